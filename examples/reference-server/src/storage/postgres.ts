import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import type { Database } from './database.js';
import { migrations, refuseNewerSchema } from './migrations.js';
import { prepareStatements } from './prepared-statements.js';

/** Advisory lock for migrations. An arbitrary number, the same on every node ('SPRT' in ASCII). */
const MIGRATION_LOCK = 0x53505254;

const CONNECT_TIMEOUT_SECONDS = 2;

/** The server aborts a statement after this time. By then no client waits for it. */
const STATEMENT_TIMEOUT_MILLIS = 5000;

/** The server ends an idle transaction after this time, for example of a stopped node, and releases its locks. */
const IDLE_TRANSACTION_MILLIS = 5000;

/** Connections of the handle that can write, and of the one that can only read. */
const MAX_WRITING = 10;
const MAX_READING = 10;

/** PostgreSQL can't be used. The message does not contain the address, which may hold a password. */
class PostgresUnusableError extends Error {
  override readonly name = 'PostgresUnusableError';
  constructor(cause: unknown) {
    super(`PostgreSQL at SERVICE_DATABASE_URL could not be used: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * A connection refused at several addresses has a code and no message. A failed statement has its reason in its cause.
 */
function reasonOf(cause: unknown): string {
  const { message, code } = ((cause as Error).cause ?? cause) as Error & { code?: string };
  return message || code || 'unknown reason';
}

/** Connects to PostgreSQL and applies pending migrations. */
export async function openPostgres(url: string): Promise<Database> {
  await migratePostgres(url).catch((error: unknown) => {
    throw new PostgresUnusableError(error);
  });
  const client = connect(url, MAX_WRITING, {});
  // A pool of its own: reads don't wait behind writes that wait for a lock.
  const readingClient = connect(url, MAX_READING, { default_transaction_read_only: true });
  return {
    orm: drizzle(prepareStatements(client)),
    reading: drizzle(prepareStatements(readingClient)),
    client,
    embedded: null,
    name: 'PostgreSQL',
    async close() {
      await Promise.all([client.end({ timeout: 5 }), readingClient.end({ timeout: 5 })]);
    },
  };
}

function connect(url: string, max: number, connection: { readonly default_transaction_read_only?: boolean }) {
  return postgres(url, {
    max,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // If the connection breaks during this query, which the driver issues itself, an unhandled rejection ends the
    // process. drizzle parses arrays without it.
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: 'sallyport-reference-server',
      statement_timeout: STATEMENT_TIMEOUT_MILLIS,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MILLIS,
      ...connection,
    },
  });
}

/** One connection holds the lock and migrates. Other nodes that start at the same time wait. */
async function migratePostgres(url: string): Promise<void> {
  const client = postgres(url, {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    fetch_types: false,
    onnotice: () => {},
  });
  try {
    await client`select pg_advisory_lock(${MIGRATION_LOCK})`;
    const orm = drizzle(client);
    await migrate(orm, migrations);
    await refuseNewerSchema(orm);
  } finally {
    // Ending the session releases the lock.
    await client.end({ timeout: 5 });
  }
}
