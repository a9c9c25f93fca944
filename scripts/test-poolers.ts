import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { startPgbouncerProcess } from './pgbouncer-process.js';
import { type Driver, POSTGRES_JS_OPTIONS, poolerOf, type Way } from './pooler-ways.js';
import { createTestDatabase } from './test-database.js';

export interface ReachedDatabase {
  /** A separate pool of five connections, as of another process. */
  connect(): PgDatabase<PgQueryResultHKT>;
  close(): Promise<void>;
}

/** Creates a database, and reaches it by this driver on this way. */
export async function reachTestDatabase(driver: Driver, way: Way): Promise<ReachedDatabase> {
  const own = await createTestDatabase();
  const settings = poolerOf(way);
  const pooler = settings && (await startPgbouncerProcess(own.url, settings.mode, ...settings.lines));
  const url = pooler?.url ?? own.url;
  const ends: (() => Promise<void>)[] = [];

  return {
    connect() {
      if (driver === 'postgres.js') {
        const database = own.connect({
          ...POSTGRES_JS_OPTIONS[way],
          host: '127.0.0.1',
          port: Number(new URL(url).port),
        });
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
