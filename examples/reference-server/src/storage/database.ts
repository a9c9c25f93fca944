import type { PGlite } from '@electric-sql/pglite';
import { withinDeadline } from '@sallyport/deadline';
import type { PostgresNotifierOptions } from '@sallyport/system-parameters/postgres';
import { DrizzleQueryError, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { DatabaseUnavailableError } from './errors.js';

/** Both databases of the server, PostgreSQL and the embedded PGlite, through one query builder. */
type Orm = PgDatabase<PgQueryResultHKT>;

/** What reads and writes: the database itself, or one transaction on it. */
export type Queries = Pick<Orm, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

/**
 * What has to happen in the transaction of a change, as the last thing in it. If it rejects, the change is not made.
 *
 * @param target the id of what was changed
 */
export type Completion = (transaction: Queries, target: string) => Promise<void>;

/** An open database with every migration applied. Whoever opened it closes it. */
export interface Database {
  readonly orm: Orm;
  /** For LISTEN and NOTIFY. */
  readonly client: PostgresNotifierOptions['client'];
  /** The embedded database itself; null: it is PostgreSQL. */
  readonly embedded: PGlite | null;
  /** For the banner: never with a URL. */
  readonly name: 'PostgreSQL' | 'embedded';
  close(): Promise<void>;
}

/** How long one query may take before the request is refused, in milliseconds: a refusal has to come within 2 s. */
const QUERY_LIMIT_MILLIS = 1800;

/** The outcome of a query, or a refusal when the database takes too long. The query may still take effect. */
export function withinLimit<Result>(query: PromiseLike<Result>, limitMillis = QUERY_LIMIT_MILLIS): Promise<Result> {
  return withinDeadline(query, limitMillis, () => new DatabaseUnavailableError());
}

/** Rejects unless the database answers in time. */
export async function pingDatabase({ orm }: Pick<Database, 'orm'>, limitMillis: number): Promise<void> {
  await withinLimit(orm.execute(sql`select 1`), limitMillis);
}

/** Codes of the driver and of the socket for: no connection, or it broke. */
const CONNECTION_CODES =
  /^(?:CONNECT_TIMEOUT|CONNECTION_(?:CLOSED|ENDED|DESTROYED)|ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/;

/**
 * SQLSTATE for: no connection to be had. Connection exception, refused authorization or catalog, too many connections,
 * shutdown or start-up, a database closed to connections.
 */
const UNAVAILABLE_STATES = /^(?:(?:08|28|3D|53|57P)[0-9A-Z]+|55000)$/;

/** Whether an error says that the database is away, and not that a statement was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof DrizzleQueryError && saysUnavailable(error.cause);
}

function saysUnavailable(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && (CONNECTION_CODES.test(code) || UNAVAILABLE_STATES.test(code));
}

/**
 * Runs the work in one transaction: all of it takes effect, or nothing. An answer that is late may still take effect.
 */
export async function inTransaction<Result>(
  { orm }: Pick<Database, 'orm'>,
  work: (transaction: Queries) => Promise<Result>,
): Promise<Result> {
  try {
    return await withinLimit(orm.transaction(work));
  } catch (error) {
    // The driver begins and commits on its own; the errors of that are not those of a query.
    if (saysUnavailable(error)) throw new DatabaseUnavailableError({ cause: error as Error });
    throw error;
  }
}
