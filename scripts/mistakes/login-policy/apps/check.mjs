import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { addLogin, checks, listen } from './team.mjs';

const app = Fastify({ logger: { level: 'error' } });
await app.register(loginPolicy, { store: createMemoryStore() });
addLogin(app, checks[process.argv[2]]);
await listen(app);
