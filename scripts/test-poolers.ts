import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type postgres from 'postgres';
import { type PoolMode, startPgbouncerProcess, USUAL_REMEDY } from './pgbouncer-process.js';
import { createTestDatabase } from './test-database.js';

export type Driver = 'postgres.js' | 'node-postgres';

/** How an application reaches PostgreSQL. */
export type Way = 'direct' | PoolMode;

/** Every driver on every way, for `describe.each`. PGlite has no connections. */
export const driversAndWays: readonly (readonly [Driver, Way])[] = (['postgres.js', 'node-postgres'] as const).flatMap(
  (driver) => (['direct', 'session', 'transaction'] as const).map((way) => [driver, way] as const),
);

/** Few, so that each transaction meets another one. In session mode each connection of a client needs its own. */
const BACKENDS = { session: 40, transaction: 3 } as const satisfies Record<PoolMode, number>;

/** What the page 'Drivers and poolers' demands of postgres.js. Its types don't know `max_pipeline`. */
const OPTIONS: Readonly<Record<Way, postgres.Options<Record<string, never>> & { readonly max_pipeline?: number }>> = {
  direct: {},
  session: {},
  transaction: { prepare: false, max_pipeline: 0 },
};

export interface ReachedDatabase {
  /** A separate pool of five connections, as of another process. */
  connect(): PgDatabase<PgQueryResultHKT>;
  close(): Promise<void>;
}

/** Creates a database, and reaches it by this driver on this way. */
export async function reachTestDatabase(driver: Driver, way: Way): Promise<ReachedDatabase> {
  const own = await createTestDatabase();
  const pooler =
    way === 'direct'
      ? null
      : await startPgbouncerProcess(own.url, way, `default_pool_size = ${BACKENDS[way]}`, USUAL_REMEDY);
  const url = pooler?.url ?? own.url;
  const ends: (() => Promise<void>)[] = [];

  return {
    connect() {
      if (driver === 'postgres.js') {
        const database = own.connect({ ...OPTIONS[way], host: '127.0.0.1', port: Number(new URL(url).port) });
        ends.push(() => database.$client.end({ timeout: 1 }));
        return database;
      }
      const database = drizzleNodePostgres({ connection: { connectionString: url, max: 5 } });
      // A pool is at its end before its connections are: what cuts one of them off then has no other listener.
      database.$client.on('error', () => {});
      ends.push(() => database.$client.end());
      return database;
    },
    async close() {
      await Promise.all(ends.map((end) => end()));
      await pooler?.stop();
      await own.drop();
    },
  };
}
