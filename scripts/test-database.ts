import { randomUUID } from 'node:crypto';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { inject } from 'vitest';

/** A database for one test file, on the PostgreSQL of the test run. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** A separate pool, as of another process. */
  connect(options?: postgres.Options<Record<string, never>>): PostgresJsDatabase & { $client: postgres.Sql };
  /** Closes the pools, and terminates all other connections. */
  drop(): Promise<void>;
}

/** Creates it empty. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await runOnServer(`create database ${name}`);
  const url = Object.assign(new URL(inject('databaseUrl')), { pathname: `/${name}` }).href;
  const pools: postgres.Sql[] = [];

  return {
    name,
    url,
    connect(options = {}) {
      const pool = postgres(url, { max: 5, fetch_types: false, onnotice: () => {}, ...options });
      pools.push(pool);
      return drizzle(pool);
    },
    async drop() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
      await runOnServer(`drop database ${name} with (force)`);
    },
  };
}

async function runOnServer(statement: string): Promise<void> {
  const server = postgres(inject('databaseUrl'), { max: 1 });
  try {
    await server.unsafe(statement);
  } finally {
    await server.end();
  }
}
