// Where the packages keep what they know: in memory, or in PostgreSQL by a pooler.
import { randomBytes } from 'node:crypto';
import { createMemorySink } from '@sallyport/audit-log';
import { auditRecords, createAuditTables, createPostgresAuditSink } from '@sallyport/audit-log/postgres';
import { createIdempotencyRecordsTable, createPostgresIdempotencyStore } from '@sallyport/idempotency/postgres';
import { createMemorySource } from '@sallyport/system-parameters';
import { createPostgresSource, createSystemParametersTable } from '@sallyport/system-parameters/postgres';
import { createMemoryStore } from '@sallyport/ttl-store';
import { createPostgresStore, createTtlEntriesTable } from '@sallyport/ttl-store/postgres';
import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import pg from 'pg';
import postgres from 'postgres';

export const memoryStores = {
  ttl: async () => createMemoryStore(),
  idempotency: async () => createMemoryStore(),
  async audit() {
    const sink = createMemorySink();
    return { sink, records: async () => sink.records() };
  },
  parameters: async () => createMemorySource(),
  close: async () => {},
};

/** What postgres.js needs behind a pooler in transaction mode. */
const POOLED = { prepare: false, max_pipeline: 0, fetch_types: false };

/** The machine may be busy. */
const timeoutMillis = 15_000;

/** How applications reach a database. */
const drivers = {
  'postgres.js': (url) => connectByPostgresJs(url, POOLED),
  'postgres.js by its defaults': (url) => connectByPostgresJs(url, {}),
  'node-postgres': connectByNodePostgres,
};

function connectByPostgresJs(url, options) {
  const client = postgres(url, { max: 5, onnotice() {}, ...options });
  return { database: drizzlePostgresJs(client), end: () => client.end({ timeout: 1 }) };
}

function connectByNodePostgres(url) {
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return { database: drizzleNodePostgres(pool), end: () => pool.end() };
}

/**
 * @param {keyof drivers} driver
 * @param {{ direct: string, pooled: string }} urls of one empty database
 */
export async function createPooledStores(driver, { direct, pooled }) {
  const owner = connectByNodePostgres(direct);
  await createTtlEntriesTable(owner.database);
  await createIdempotencyRecordsTable(owner.database);
  await createAuditTables(owner.database);
  await createSystemParametersTable(owner.database);
  const { database, end } = drivers[driver](pooled);
  return {
    ttl: async () => createPostgresStore({ database, timeoutMillis }),
    idempotency: async () => createPostgresIdempotencyStore({ database, timeoutMillis }),
    async audit() {
      const key = { id: 'k', secret: randomBytes(32) };
      const sink = createPostgresAuditSink({ database, key, timeoutMillis });
      return { sink, records: () => owner.database.select().from(auditRecords) };
    },
    parameters: async () => createPostgresSource({ database }),
    async close() {
      await Promise.allSettled([end(), owner.end()]);
    },
  };
}
