// ADP-7: in a project whose TypeScript emits CommonJS, drizzle's own types come from its second declaration.
import * as postgresSource from '@sallyport/system-parameters/postgres';

import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';

const orders = pgTable('orders', { id: text('id').primaryKey() });
type Database = NodePgDatabase<{ orders: typeof orders }>;
type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0];

export async function open(injected: Database, change: Parameters<typeof postgresSource.transactionOf>[0]) {
  await postgresSource.createSystemParametersTable(injected);
  await postgresSource.transactionOf<Transaction>(change).insert(orders).values({ id: '1' });
  // @ts-expect-error: a table is no database.
  await postgresSource.createSystemParametersTable(orders);
  return [
    postgresSource.createPostgresSource({ database: injected }),
    postgresSource.createPostgresSource({ database: drizzlePglite() }),
  ];
}
