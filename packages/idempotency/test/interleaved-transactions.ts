import type { PGlite } from '@electric-sql/pglite';
import { eq, sql } from 'drizzle-orm';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { stepwise } from '../../../scripts/test-interleavings.js';
import { createIdempotencyRecordsTable, idempotencyRecords } from '../src/postgres/index.js';
import { type Backend, Death, type Sources } from './interleaved-runs.js';

const orders = pgTable('orders', { scope: text('scope').notNull() });

/** Creates the table of the effects and that of the records. */
export async function createOrders(embedded: PGlite): Promise<void> {
  const database = drizzle(embedded);
  await createIdempotencyRecordsTable(database);
  await database.execute(sql`create table ${orders} (scope text not null)`);
}

/**
 * Records on PGlite. Its one connection does one transaction at a time, so calls interleave between transactions only.
 * PostgreSQL's clock can't be moved: instead of the clock the stored times move.
 */
export function createPostgresBackend(
  { createPostgresIdempotencyStore }: Pick<Sources, 'createPostgresIdempotencyStore'>,
  embedded: PGlite,
  { isTransactional }: { isTransactional: boolean },
): Backend {
  const database = drizzle(embedded);
  const store = createPostgresIdempotencyStore({ database, timeoutMillis: 30_000 });

  return {
    open: (step, terms) => stepwise(store.openRecords(terms), step),

    async pass(millis) {
      const interval = sql`${millis} * interval '1 millisecond'`;
      await database.update(idempotencyRecords).set({
        leasedUntil: sql`${idempotencyRecords.leasedUntil} - ${interval}`,
        expiresAt: sql`${idempotencyRecords.expiresAt} - ${interval}`,
      });
    },

    commit: !isTransactional
      ? null
      : async (run, scope, end, turn) => {
          await database.transaction(async (transaction) => {
            await transaction.insert(orders).values({ scope });
            await turn();
            if (end === 'fails') throw new Error('The handler failed');
            if (end === 'loses its connection') await transaction.execute(sql`rollback`);
            await run.completeWithin(transaction);
            await turn();
            if (end === 'dies within') throw new Death();
            if (end === 'loses its connection') throw new Error('The connection is lost');
          });
          if (end === 'commits unheard') throw new Error('The answer to the commit is lost');
        },

    async countCommitted(scope) {
      return (await database.select().from(orders).where(eq(orders.scope, scope))).length;
    },
  };
}
