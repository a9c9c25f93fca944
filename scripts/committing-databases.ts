import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { type CommitProxy, startCommitProxy } from './commit-proxy.js';
import { createTestDatabase } from './test-database.js';
import { openTestEmbedded } from './test-embedded.js';

type Orm = PgDatabase<PgQueryResultHKT>;

/** An empty database behind one driver. */
export interface CommittingDatabase {
  readonly database: Orm;
  /** The rows of a query that does not pass the proxy. */
  rowsOf(query: string): Promise<readonly unknown[]>;
  /** Between the driver and PostgreSQL; null: PGlite has no network. */
  readonly proxy: CommitProxy | null;
  close(): Promise<void>;
}

/** Every driver, with a proxy that can turn its commits into rollbacks. Requirement REL-14. */
export const committingDatabases: readonly (readonly [driver: string, open: () => Promise<CommittingDatabase>])[] = [
  ['postgres.js', () => openByProxy(openPostgresJs)],
  ['node-postgres', () => openByProxy(openNodePostgres)],
  ['PGlite', openPglite],
];

type Opened = readonly [database: Orm, close: () => Promise<void>];

async function openByProxy(open: (url: string) => Opened): Promise<CommittingDatabase> {
  const own = await createTestDatabase();
  const direct = own.connect();
  const proxy = await startCommitProxy(own.url);
  const [database, closePool] = open(proxy.url);
  return {
    database,
    proxy,
    rowsOf: async (query) => [...(await direct.execute(query))],
    async close() {
      await closePool();
      await proxy.close();
      await own.drop();
    },
  };
}

function openPostgresJs(url: string): Opened {
  const client = postgres(url, { max: 2, fetch_types: false, onnotice: () => {}, backoff: () => 0 });
  return [drizzlePostgresJs(client), () => client.end({ timeout: 1 })];
}

function openNodePostgres(url: string): Opened {
  const database = drizzleNodePostgres(url);
  database.$client.on('error', () => {});
  database.$client.on('connect', (client: { on(event: 'error', listener: () => void): void }) =>
    client.on('error', () => {}),
  );
  return [database, () => database.$client.end()];
}

async function openPglite(): Promise<CommittingDatabase> {
  const client = await openTestEmbedded();
  return {
    database: drizzlePglite(client),
    proxy: null,
    rowsOf: async (query) => (await client.query(query)).rows,
    close: () => client.close(),
  };
}
