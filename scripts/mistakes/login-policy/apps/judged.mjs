import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { addLogin, checks, listen } from './team.mjs';

const judges = {
  throws: ({ error }) => error.response.status === 401, // where there is no response
  promise: async () => false,
  garbage: () => 'no',
};
const app = Fastify();
await app.register(loginPolicy, { store: createMemoryStore(), isFailure: judges[process.argv[2]] });
addLogin(app, checks.false);
await listen(app);
