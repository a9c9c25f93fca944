import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
await app.register(authTokens, options);
await app.register(async (api) => {
  await api.register(authTokens, { ...options, scope: 'encapsulated' });
  api.get('/salaries', admin, salaries);
});
await listen(app);
