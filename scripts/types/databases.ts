// ADP-7: drizzle databases of every driver fit every package with an entry for PostgreSQL, with any schema and without.
import {
  type AuditDatabase,
  createAuditedChanges,
  createAuditReader,
  createPostgresAuditSink,
} from '@sallyport/audit-log/postgres';
import {
  createPostgresIdempotencyStore,
  type PostgresIdempotencyStoreOptions,
  runTransaction,
} from '@sallyport/idempotency/postgres';
import {
  createPostgresSource,
  createSystemParametersTable,
  type ParameterDatabase,
} from '@sallyport/system-parameters/postgres';
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
    const sink = createPostgresAuditSink({ database, key: { id: '1', secret: Buffer.alloc(32, 'key') } });
    createAuditReader({ database });
    createAuditedChanges({ database, sink }).change({ event: { action: 'order.create' } }, async (transaction) => {
      await transaction.insert(orders).values({ id: '1' });
    });
    createPostgresIdempotencyStore({ database });
    createPostgresSource({ database });
    createSystemParametersTable(database);
    createPostgresStore({ database });
  }
  // @ts-expect-error: a table is no database.
  const forRecords: AuditDatabase = orders;
  // @ts-expect-error: a table is no database.
  const forRuns: PostgresIdempotencyStoreOptions['database'] = orders;
  // @ts-expect-error: a table is no database.
  const forParameters: ParameterDatabase = orders;
  // @ts-expect-error: a table is no database.
  const forEntries: PostgresStoreOptions['database'] = orders;
  return [forRecords, forRuns, forParameters, forEntries];
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
