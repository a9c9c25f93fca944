import type { PGlite } from '@electric-sql/pglite';
import { withinDeadline } from '@sallyport/deadline';
import type { PostgresNotifierOptions } from '@sallyport/system-parameters/postgres';
import { DrizzleQueryError, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { DatabaseUnavailableError } from './errors.js';

/** Both databases of the server, PostgreSQL and the embedded PGlite, behind one query builder. */
type Orm = PgDatabase<PgQueryResultHKT>;

/** The database itself, or one transaction on it. */
export type Queries = Pick<Orm, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

/**
 * Runs as the last step in the transaction of a change. If it rejects, the change is rolled back.
 *
 * @param target the id of the changed resource
 */
export type Completion = (transaction: Queries, target: string) => Promise<void>;

/** An open database with all migrations applied. The opener closes it. */
export interface Database {
  readonly orm: Orm;
  /** For LISTEN and NOTIFY. */
  readonly client: PostgresNotifierOptions['client'];
  /** The embedded database; null for PostgreSQL. */
  readonly embedded: PGlite | null;
  /** For the banner. Never contains a URL. */
  readonly name: 'PostgreSQL' | 'embedded';
  close(): Promise<void>;
}

/** Timeout of a query, in milliseconds: a refusal must reach the client within 2 s. */
const QUERY_LIMIT_MILLIS = 1800;

/** Awaits a query, or rejects with a refusal after the limit. The query may still take effect. */
export function withinLimit<Result>(query: PromiseLike<Result>, limitMillis = QUERY_LIMIT_MILLIS): Promise<Result> {
  return withinDeadline(query, limitMillis, () => new DatabaseUnavailableError());
}

/** Rejects unless the database answers in time. */
export async function pingDatabase({ orm }: Pick<Database, 'orm'>, limitMillis: number): Promise<void> {
  await withinLimit(orm.execute(sql`select 1`), limitMillis);
}

/** Error codes of the driver and the socket for a missing or broken connection. */
const CONNECTION_CODES =
  /^(?:CONNECT_TIMEOUT|CONNECTION_(?:CLOSED|ENDED|DESTROYED)|ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/;

/**
 * SQLSTATE classes and codes for an unavailable database: connection exception, invalid authorization or catalog, too
 * many connections, shutdown or startup, a database that accepts no connections.
 */
const UNAVAILABLE_STATES = /^(?:(?:08|28|3D|53|57P)[0-9A-Z]+|55000)$/;

/** Whether an error means that the database is unavailable, and not that a statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof DrizzleQueryError && saysUnavailable(error.cause);
}

function saysUnavailable(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && (CONNECTION_CODES.test(code) || UNAVAILABLE_STATES.test(code));
}

/** Runs the work in one transaction. After a timeout, it may still take effect. */
export async function inTransaction<Result>(
  { orm }: Pick<Database, 'orm'>,
  work: (transaction: Queries) => Promise<Result>,
): Promise<Result> {
  try {
    return await withinLimit(orm.transaction(work));
  } catch (error) {
    // The driver runs begin and commit itself. Their errors are not query errors.
    if (saysUnavailable(error)) throw new DatabaseUnavailableError({ cause: error as Error });
    throw error;
  }
}
