// ADP-7: drizzle databases of every driver fit, with any schema and without one.
import { createPostgresStore, type PostgresStoreOptions } from '@sallyport/ttl-store/postgres';
import { drizzle as drizzleNodePostgres, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite, type PgliteDatabase } from 'drizzle-orm/pglite';
import { drizzle as drizzlePostgresJs, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';

const orders = pgTable('orders', { id: text('id').primaryKey() });
const schema = { orders };

export function open(
  databases: readonly [
    PgliteDatabase,
    PgliteDatabase<Record<string, unknown>>,
    PgliteDatabase<typeof schema>,
    PostgresJsDatabase,
    PostgresJsDatabase<Record<string, unknown>>,
    PostgresJsDatabase<typeof schema>,
    NodePgDatabase,
    NodePgDatabase<Record<string, unknown>>,
    NodePgDatabase<typeof schema>,
  ],
) {
  const opened = [
    drizzlePglite(),
    drizzlePglite({ schema }),
    drizzlePostgresJs('postgres://localhost/orders'),
    drizzlePostgresJs('postgres://localhost/orders', { schema }),
    drizzleNodePostgres('postgres://localhost/orders'),
    drizzleNodePostgres('postgres://localhost/orders', { schema }),
  ];
  for (const database of [...databases, ...opened]) {
    createPostgresStore({ database });
  }
  // @ts-expect-error: a table is no database.
  const table: PostgresStoreOptions['database'] = orders;
  return table;
}
