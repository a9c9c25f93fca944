import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify-4';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
await app.register(authTokens, options);
app.get('/salaries', admin, salaries);
await listen(app);
