import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const configs = {
  'another-case': { access: 'Admin' },
  true: { access: true },
  misspelt: { acces: 'admin' },
  'empty-list': { access: [] },
  wildcard: { access: 'admin', permission: 'api:*' },
  undeclared: { access: 'admin', permission: 'api:salaries:list' },
  plural: { access: 'admin', permissions: ['api:salaries:list'] },
  role: { access: 'manager' },
  'public-in-list': { access: ['public', 'admin'] },
};
const app = Fastify();
await app.register(authTokens, options);
app.get('/me', admin, async (request) => request.principal);
app.get('/salaries', { config: configs[process.argv[2]] }, salaries);
await listen(app);
