import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { addLogin, checks, listen } from './team.mjs';

const wrong = {
  'failure-count': { policy: { failureCount: '5' } },
  milliseconds: { policy: { lockMillis: 600_000 } },
  misspelt: { polcy: { failureCount: 3 } },
  zero: { policy: { failureCount: 0 } },
  'no-store': { store: undefined },
  map: { store: new Map() },
};
const app = Fastify();
await app.register(loginPolicy, { store: createMemoryStore(), ...wrong[process.argv[2]] });
addLogin(app, checks.false);
await listen(app);
