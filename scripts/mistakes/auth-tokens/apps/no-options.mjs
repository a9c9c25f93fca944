import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, salaries } from './options.mjs';

const app = Fastify();
await app.register(authTokens);
app.get('/salaries', admin, salaries);
await listen(app);
