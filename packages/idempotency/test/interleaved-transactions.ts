import type { PGlite } from '@electric-sql/pglite';
import { eq, sql } from 'drizzle-orm';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pglite';
import { stepwise } from '../../../scripts/test-interleavings.js';
import { createIdempotencyRecordsTable, idempotencyRecords } from '../src/postgres/index.js';
import type { Run } from '../src/runs/index.js';
import { type Backend, Death, type End, type Sources } from './interleaved-runs.js';

const orders = pgTable('orders', { scope: text('scope').notNull() });

async function completeWithin(run: Run, transaction: Nestable, end: End): Promise<void> {
  if (end !== 'completes in vain') return run.completeWithin(transaction);
  const undo = new Error('The savepoint is rolled back');
  const completing = transaction.transaction(async (savepoint) => {
    await run.completeWithin(savepoint);
    throw undo;
  });
  await completing.catch((error) => error === undo || Promise.reject(error));
}

interface Nestable {
  transaction(work: (savepoint: object) => Promise<never>): Promise<never>;
}

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
            await completeWithin(run, transaction, end);
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
