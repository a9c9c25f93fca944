import { mkdir, rename } from 'node:fs/promises';
import { runTransaction } from '@sallyport/idempotency/postgres';
import { createFileDestination, uploadPolicy } from '@sallyport/upload-policy';
import type { FastifyPluginAsync } from 'fastify';
import { database, orders } from '../plugins/database.js';

const item = { type: 'string', minLength: 1, maxLength: 100 };
const placing = {
  config: { audit: 'order', idempotency: { transactional: true } },
  schema: { body: { type: 'object', required: ['item'], properties: { item } } },
};

const folder = process.env.RECEIPTS_DIR ?? '.data/receipts';
await mkdir(folder, { recursive: true });

export default (async (app) => {
  app.addHook('onRequest', (request) => request.jwtVerify());
  await app.register(uploadPolicy, { scope: 'encapsulated' });

  app.get('/orders', { config: { audit: 'order' } }, async () => database.select().from(orders).limit(20));

  app.post<{ Body: { item: string } }>('/orders', placing, async (request, reply) => {
    const [order] = await runTransaction(database, async (tx) => {
      const rows = await tx.insert(orders).values(request.body).returning();
      await request.idempotency?.completeWithin(tx);
      return rows;
    });
    return reply.code(201).send(order);
  });

  app.post('/receipts', { config: { audit: 'receipt' } }, async (request, reply) => {
    const store = createFileDestination({ folder, keep: (file, path) => rename(path, `${folder}/${file.sha256}`) });
    const { fileName, mediaType } = await app.uploadPolicy.receive(request, store);
    return reply.code(201).send({ fileName, mediaType });
  });
}) satisfies FastifyPluginAsync;
