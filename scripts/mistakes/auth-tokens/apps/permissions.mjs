import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { listen, options, salaries } from './options.mjs';

const failing = {
  rejects: async () => {
    throw new Error('the table of roles is away');
  },
  nothing: async () => undefined,
  object: async () => ({ 'api:salaries:list': true }),
  text: async () => 'api:*',
};
const loadPermissions = failing[process.argv[2]];
const app = Fastify();
await app.register(authTokens, { ...options, permissions: ['api:salaries:list'], loadPermissions });
app.post('/login', { config: { access: 'public' } }, () => app.authTokens.issue({ subject: 'u-1', audience: 'admin' }));
app.get('/salaries', { config: { access: 'admin', permission: 'api:salaries:list' } }, salaries);
await listen(app);
