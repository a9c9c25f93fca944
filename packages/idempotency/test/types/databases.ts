// ADP-7: drizzle databases of every driver fit, with any schema and without one.
import {
  createPostgresIdempotencyStore,
  type PostgresIdempotencyStoreOptions,
  runTransaction,
} from '@sallyport/idempotency/postgres';
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
    createPostgresIdempotencyStore({ database });
  }
  // @ts-expect-error: a table is no database.
  const table: PostgresIdempotencyStoreOptions['database'] = orders;
  return table;
}

/** The transaction has the type that `database.transaction(…)` of the driver passes in. */
export function place(databases: {
  readonly pglite: PgliteDatabase<typeof schema>;
  readonly postgresJs: PostgresJsDatabase<typeof schema>;
  readonly nodePostgres: NodePgDatabase<typeof schema>;
}): Promise<readonly { id: string }[]>[] {
  return [
    runTransaction(databases.pglite, (tx) => tx.query.orders.findMany()),
    runTransaction(databases.postgresJs, (tx) => tx.query.orders.findMany()),
    runTransaction(databases.nodePostgres, (tx) => tx.insert(orders).values({ id: 'a' }).returning()),
  ];
}
