import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { listen, options, salaries } from './options.mjs';

const decisions = {
  throws: () => {
    throw new Error('no table of routes');
  },
  promise: async () => 'public',
  garbage: () => 'yes',
  number: () => 1,
  misspelt: () => ({ acess: 'admin' }),
  'without-access': () => ({ permission: 'api:salaries:list' }),
};
const app = Fastify();
await app.register(authTokens, { ...options, decide: decisions[process.argv[2]] });
app.get('/salaries', salaries);
await listen(app);
