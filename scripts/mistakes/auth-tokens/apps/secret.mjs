import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const keys = {
  text: 'my secret',
  short: { algorithm: 'HS256', secret: 'my secret' },
  sample: { algorithm: 'HS256', secret: 'change-me-change-me-change-me-change-me' },
  unset: { algorithm: 'HS256', secret: process.env.JWT_SECRET },
};
const app = Fastify();
await app.register(authTokens, { ...options, signingKey: keys[process.argv[2]] });
app.get('/salaries', admin, salaries);
await listen(app);
