import rateLimit from '@fastify/rate-limit';
import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
await app.register(authTokens, options);
await app.register(rateLimit, { max: 2 });
app.get('/salaries', admin, salaries);
await listen(app);
