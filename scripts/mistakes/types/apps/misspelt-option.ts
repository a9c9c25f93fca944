import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const app = Fastify();
await app.register(loginPolicy, {
  store: createMemoryStore(),
  policy: { failureCounts: 3 }, // mistake
});
