import idempotency from '@sallyport/idempotency';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify, { type FastifyRequest } from 'fastify';

const userOf = (request: FastifyRequest) => (request as { user?: { id: string } }).user;

const app = Fastify();
await app.register(idempotency, {
  store: createMemoryStore(),
  principalOf: (request) => userOf(request)?.id, // mistake
});
