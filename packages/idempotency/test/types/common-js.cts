// ADP-7: in a project whose TypeScript emits CommonJS, drizzle's own types come from its second declaration.
import * as postgresRecords from '@sallyport/idempotency/postgres';

import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';

const orders = pgTable('orders', { id: text('id').primaryKey() });

export async function open(injected: NodePgDatabase<{ orders: typeof orders }>) {
  await postgresRecords.createIdempotencyRecordsTable(injected);
  // @ts-expect-error: a table is no database.
  await postgresRecords.createIdempotencyRecordsTable(orders);
  return [
    postgresRecords.createPostgresIdempotencyStore({ database: injected }),
    postgresRecords.createPostgresIdempotencyStore({ database: drizzlePglite() }),
  ];
}
