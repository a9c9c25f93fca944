import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import type { Database } from './database.js';
import { migrate } from './migrations.js';
import { postgresOptions } from './postgres-options.js';
import { prepareStatements } from './prepared-statements.js';
import { DEFAULT_DATABASE_SCHEMA, type SchemaTarget } from './schema-target.js';

/** The server aborts a statement after this time. By then no client waits for it. */
const STATEMENT_TIMEOUT_MILLIS = 5000;

/** The server ends an idle transaction after this time, for example of a stopped node, and releases its locks. */
const IDLE_TRANSACTION_MILLIS = 5000;

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

/**
 * Connects to PostgreSQL and applies pending migrations.
 *
 * @param target default: the schema `public`, with the notification queue
 */
export async function openPostgres(url: string, target: Partial<SchemaTarget> = {}): Promise<Database> {
  const { schema = DEFAULT_DATABASE_SCHEMA, hasQueue = true } = target;
  await migratePostgres(url, { schema, hasQueue }).catch((error: unknown) => {
    throw new PostgresUnusableError(error);
  });
  const client = postgres(
    url,
    postgresOptions(schema, {
      max: 10,
      applicationName: 'sallyport-reference-server',
      session: {
        statement_timeout: STATEMENT_TIMEOUT_MILLIS,
        idle_in_transaction_session_timeout: IDLE_TRANSACTION_MILLIS,
      },
    }),
  );
  return {
    orm: drizzle(prepareStatements(client)),
    client,
    embedded: null,
    name: 'PostgreSQL',
    close: () => client.end({ timeout: 5 }),
  };
}

/** A statement of a migration may take any time. */
async function migratePostgres(url: string, target: SchemaTarget): Promise<void> {
  const options = { max: 1, applicationName: 'sallyport-migrations' };
  const client = postgres(url, postgresOptions(target.schema, options));
  try {
    await migrate(drizzle(client), target);
  } finally {
    await client.end({ timeout: 5 });
  }
}
