import { setTimeout as sleep } from 'node:timers/promises';
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

/** How long all clients may take to come back. One that is in use elsewhere, or lost, is not waited for any longer. */
const [MAX_WAITS, WAIT_MILLIS] = [50, 20];

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
  const client = database.$client as Counts;
  if (client.totalCount === undefined) return { working };
  // The work resolves at our COMMIT, and the driver gives the client back after one statement more.
  for (let waits = 0; waits < MAX_WAITS && client.idleCount !== client.totalCount; waits += 1) await sleep(WAIT_MILLIS);
  const { totalCount, idleCount, waitingCount } = client;
  return { working, totalCount, idleCount, waitingCount } as PoolCounts;
}
