import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { createTestDatabase } from '../../../scripts/test-database.js';

/** A database of one test file's own, and the pools on it. */
export interface OwnDatabase {
  readonly name: string;
  /** A pool of its own, as of another process. */
  connect(options?: postgres.Options<Record<string, never>>): PostgresJsDatabase & { $client: postgres.Sql };
  /** Closes the pools as well. */
  drop(): Promise<void>;
}

export async function createOwnDatabase(): Promise<OwnDatabase> {
  const { name, url, drop } = await createTestDatabase();
  const pools: postgres.Sql[] = [];

  return {
    name,
    connect(options = {}) {
      const pool = postgres(url, { max: 5, fetch_types: false, onnotice: () => {}, ...options });
      pools.push(pool);
      return drizzle(pool);
    },
    async drop() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
      await drop();
    },
  };
}
