import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import idempotency from '@sallyport/idempotency';
import {
  createIdempotencyRecordsTable,
  createPostgresIdempotencyStore,
  runTransaction,
} from '@sallyport/idempotency/postgres';
import { desc, eq, sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { build } from 'esbuild';
import Fastify from 'fastify';

const orders = pgTable('orders', { id: serial().primaryKey(), item: text().notNull() });

const client = await PGlite.create(process.env.DATA_DIR ?? '.data');
const database = drizzle(client);
await database.execute(sql`create table if not exists orders (id serial primary key, item text not null)`);
await createIdempotencyRecordsTable(database);

const app = Fastify({ logger: { level: 'warn' } });
app.addHook('onClose', () => client.close());

// One customer, as long as nobody signs in here. In your application: the user of the request.
await app.register(idempotency, { store: createPostgresIdempotencyStore({ database }), principalOf: () => 'ada' });

// The switch in the page: what was to be done is done, and the connection breaks before the reply.
app.addHook('onSend', async (request) => {
  if (request.headers['x-lose-reply'] === 'yes') request.raw.socket.destroy();
});

const item = { type: 'string', minLength: 1, maxLength: 100 };
const placing = {
  schema: { body: { type: 'object', required: ['item'], additionalProperties: false, properties: { item } } },
  config: { idempotency: { transactional: true, result: 'location' } },
} as const;
app.post<{ Body: { item: string } }>('/orders', placing, async (request, reply) => {
  // The order and the record of its key commit together, or neither does. The record keeps where the order is.
  const location = await runTransaction(database, async (tx) => {
    const [order] = await tx.insert(orders).values({ item: request.body.item }).returning();
    const made = `/orders/${order?.id}`;
    await request.idempotency?.completeWithin(tx, { status: 201, location: made });
    return made;
  });
  return reply.code(201).header('location', location).send({ data: { location } });
});

app.get('/orders', async () => ({ data: await database.select().from(orders).orderBy(desc(orders.id)).limit(20) }));

const id = { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 };
const reading = { schema: { params: { type: 'object', properties: { id } } } };
app.get<{ Params: { id: number } }>('/orders/:id', reading, async ({ params }, reply) => {
  const [order] = await database.select().from(orders).where(eq(orders.id, params.id));
  return order === undefined ? reply.callNotFound() : { data: order };
});

const page = await readFile(new URL('page.html', import.meta.url));
app.get('/', (_, reply) => reply.type('text/html; charset=utf-8').send(page));

const conditions = ['@sallyport/source'];
const entryPoints = [fileURLToPath(new URL('page.ts', import.meta.url))];
const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', conditions, write: false });
app.get('/page.js', (_, reply) => reply.type('text/javascript; charset=utf-8').send(outputFiles[0]?.text));
const address = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) });
console.log(`Open ${address}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close());
