import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
await app.register(authTokens, { ...options, permisions: ['api:salaries:list'] });
app.get('/salaries', admin, salaries);
await listen(app);
