import idempotency from '@sallyport/idempotency';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify, { type FastifyInstance } from 'fastify';

/** An application as any other: nothing in it knows of traces. */
export async function createApp(): Promise<FastifyInstance> {
  const app = Fastify();
  const orders: unknown[] = [];
  await app.register(idempotency, { store: createMemoryStore(), principalOf: () => 'ada' });
  app.post('/orders', { config: { idempotency: { result: 'location' } } }, async function placeOrder(request, reply) {
    const id = orders.push(request.body);
    return reply.code(201).header('location', `/orders/${id}`).send({ data: { id } });
  });
  app.get('/orders', async function listOrders() {
    return { data: orders };
  });
  return app;
}
