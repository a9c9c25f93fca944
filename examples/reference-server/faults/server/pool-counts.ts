import { runTransaction } from '@sallyport/idempotency/postgres';
import { sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** A pool after all of its clients have worked at the same time. */
export interface PoolCounts {
  /** Connections that took part: one that was never given back takes none. */
  readonly working: number;
  /** As a pool of node-postgres counts its clients. */
  readonly totalCount?: number;
  readonly idleCount?: number;
  readonly waitingCount?: number;
}

type Counts = Omit<PoolCounts, 'working'>;

/** Long enough for all of them to begin, in seconds. */
const WORK_SECONDS = 0.2;

/** @param max of the pool */
export async function countPool(
  database: PgDatabase<PgQueryResultHKT> & { readonly $client: object },
  max: number,
): Promise<PoolCounts> {
  const work = () =>
    // That of drizzle keeps a client whose connection was lost before.
    runTransaction(database, async (transaction) => {
      const found: unknown = await transaction.execute(
        sql`select pg_backend_pid() as pid, pg_sleep(${WORK_SECONDS})::text`,
      );
      const rows = Array.isArray(found) ? found : (found as { readonly rows: readonly unknown[] }).rows;
      return (rows[0] as { readonly pid: number }).pid;
    });
  const working = new Set(await Promise.all(Array.from({ length: max }, work))).size;
  const { totalCount, idleCount, waitingCount } = database.$client as Counts;
  return totalCount === undefined ? { working } : ({ working, totalCount, idleCount, waitingCount } as PoolCounts);
}
