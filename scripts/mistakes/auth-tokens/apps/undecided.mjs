import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
await app.register(authTokens, options);
app.get('/salaries', admin, salaries);
app.get('/health', async () => 'up');
await listen(app);
