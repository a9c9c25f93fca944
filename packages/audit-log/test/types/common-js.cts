// ADP-7: in a project whose TypeScript emits CommonJS, drizzle's own types come from its second declaration.
import auditLog from '@sallyport/audit-log';
import * as postgresLog from '@sallyport/audit-log/postgres';

import { eq, sql } from 'drizzle-orm';
import { drizzle as drizzleNodePostgres, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';

const orders = pgTable('orders', { id: text('id').primaryKey() });
const schema = { orders };
const key = { id: '1', secret: Buffer.alloc(32, 'key') };

export async function open(injected: NodePgDatabase<typeof schema>) {
  const database = drizzlePglite({ schema });
  for (const each of [injected, database, drizzlePostgresJs('postgres://'), drizzleNodePostgres('postgres://')]) {
    await postgresLog.createAuditTables(each);
    postgresLog.createPostgresAuditSink({ database: each, key });
    postgresLog.createAuditReader({ database: each });
  }
  const sink = postgresLog.createPostgresAuditSink({ database, key });
  const changes = postgresLog.createAuditedChanges({
    database,
    sink,
    async complete(transaction, _request, insertRecord) {
      await transaction.execute(insertRecord(sql`true`));
    },
  });
  await changes.change({ event: { action: 'order.create' } }, async (transaction) => {
    await transaction.insert(orders).values({ id: '1' });
    // The caller's own type, with its schema.
    const found = await transaction.query.orders.findFirst({ where: eq(orders.id, '1') });
    // @ts-expect-error: a misspelt column.
    return found?.idd;
  });
  await database.transaction((transaction) => sink.appendWithin(transaction, []));
  // @ts-expect-error: a table is no database.
  await postgresLog.createAuditTables(orders);
  return auditLog;
}
