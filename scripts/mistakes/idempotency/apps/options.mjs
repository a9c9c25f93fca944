import { createMemoryStore } from '@sallyport/ttl-store';

export const options = { store: createMemoryStore(), principalOf: ({ headers }) => headers['x-user'] ?? 'ada' };

/** Says how often it ran. */
export const pay = async (_request, reply) => {
  process.stdout.write('PAID\n');
  return reply.code(201).send({ paid: true });
};

export const once = { config: { idempotency: true } };

export const listen = (app) => app.listen({ port: Number(process.env.PORT) });
