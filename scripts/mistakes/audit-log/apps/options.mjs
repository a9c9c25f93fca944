import { createMemorySink } from '@sallyport/audit-log';

export const sink = createMemorySink();

export const options = { sink, actorOf: ({ headers }) => headers['x-user'] ?? null };

export const pay = async (_request, reply) => {
  process.stdout.write('PAID\n');
  return reply.code(201).send({ paid: true });
};

export const payment = { config: { audit: 'payment' } };

/** Prints the records whenever the test asks for them. */
export const listen = async (app) => {
  app.server.prependListener('request', ({ url }) => {
    if (url.startsWith('/end-of-test')) process.stdout.write(`${url} ${JSON.stringify(sink.records())}\n`);
  });
  await app.listen({ port: Number(process.env.PORT) });
};
