import { createIdempotencyRecordsTable } from '@sallyport/idempotency/postgres';
import { sql } from 'drizzle-orm';
import { pgTable, serial, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import fp from 'fastify-plugin';

export const orders = pgTable('orders', { id: serial().primaryKey(), item: text().notNull() });
export const database = drizzle(process.env.DATA_DIR ?? 'memory://');

export default fp(async (app) => {
  await database.execute(sql`create table if not exists orders (id serial primary key, item text not null)`);
  await createIdempotencyRecordsTable(database);
  app.addHook('onClose', () => database.$client.close());
});
