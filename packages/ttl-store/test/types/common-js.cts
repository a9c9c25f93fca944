// ADP-7: in a project whose TypeScript emits CommonJS, drizzle's own types come from its second declaration.
import * as postgresStore from '@sallyport/ttl-store/postgres';

import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';

const orders = pgTable('orders', { id: text('id').primaryKey() });

export async function open(injected: NodePgDatabase<{ orders: typeof orders }>) {
  await postgresStore.createTtlEntriesTable(injected);
  // @ts-expect-error: a table is no database.
  await postgresStore.createTtlEntriesTable(orders);
  return [
    postgresStore.createPostgresStore({ database: injected }),
    postgresStore.createPostgresStore({ database: drizzlePglite() }),
  ];
}
