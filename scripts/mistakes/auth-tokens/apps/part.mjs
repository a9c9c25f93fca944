import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
const earlier = process.argv[2] === 'earlier';
if (earlier) app.get('/salaries', admin, salaries);
await app.register(
  async (api) => {
    await api.register(authTokens, { ...options, scope: 'encapsulated' });
    api.get('/me', admin, async (request) => request.principal);
  },
  { prefix: '/api' },
);
if (!earlier) app.get('/salaries', admin, salaries);
await listen(app);
