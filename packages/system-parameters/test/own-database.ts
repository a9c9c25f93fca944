import { randomUUID } from 'node:crypto';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { inject } from 'vitest';

/** A database of one test file's own on the PostgreSQL of the test run. */
export interface OwnDatabase {
  readonly name: string;
  /** A pool of its own, as of another process. */
  connect(options?: postgres.Options<Record<string, never>>): PostgresJsDatabase & { $client: postgres.Sql };
  drop(): Promise<void>;
}

export async function createOwnDatabase(): Promise<OwnDatabase> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(inject('databaseUrl'));
  const owner = postgres(url.href, { max: 1, onnotice: () => {} });
  await owner.unsafe(`create database ${name}`);
  url.pathname = name;
  const pools: postgres.Sql[] = [];

  return {
    name,
    connect(options = {}) {
      const pool = postgres(url.href, { max: 5, onnotice: () => {}, ...options });
      pools.push(pool);
      return drizzle(pool);
    },
    async drop() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
      await owner.unsafe(`drop database ${name} with (force)`);
      await owner.end();
    },
  };
}
