import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

// As for @fastify/jwt.
const app = Fastify();
await app.register(authTokens, { ...options, secret: 'my secret', sign: { expiresIn: '1h' } });
app.get('/salaries', admin, salaries);
await listen(app);
