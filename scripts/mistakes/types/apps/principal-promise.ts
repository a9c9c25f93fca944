import idempotency from '@sallyport/idempotency';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const app = Fastify();
await app.register(idempotency, {
  store: createMemoryStore(),
  principalOf: async () => 'ada', // mistake
});
