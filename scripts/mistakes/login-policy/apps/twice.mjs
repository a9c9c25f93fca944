import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { addLogin, checks, listen } from './team.mjs';

const app = Fastify();
await app.register(loginPolicy, { store: createMemoryStore() });
await app.register(loginPolicy, { store: createMemoryStore() });
addLogin(app, checks.false);
await listen(app);
