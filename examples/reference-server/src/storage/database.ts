import type { PGlite } from '@electric-sql/pglite';
import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { refusals } from '@sallyport/plugin-kit/postgres-refusals';
import type { PostgresNotifierOptions } from '@sallyport/system-parameters/postgres';
import { DrizzleQueryError, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Turns } from './change-turns.js';
import { DatabaseUnavailableError } from './errors.js';

/** Both databases of the server, PostgreSQL and the embedded PGlite, behind one query builder. */
type Orm = PgDatabase<PgQueryResultHKT>;

/** A transaction that may write. It exists only inside a change (changes.ts). */
export type Queries = Pick<Orm, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

/** A handle that can only read: in every session behind it PostgreSQL refuses to write (AUD-8). */
export type Reading = Pick<Orm, 'select'>;

/** The database in the view of a module. */
export interface ReadableDatabase {
  readonly reading: Reading;
}

/** An open database with all migrations applied. The opener closes it. */
export interface Database extends ReadableDatabase {
  /** Can write: for the stores of the packages and for changes. Modules never hold it. */
  readonly orm: Orm;
  /** Can also write, on connections that no other change holds. For changes that end sessions (TOK-13). */
  readonly ending: Orm;
  /** The turns of transactions for a connection of `orm`. Statements outside of transactions need no turn. */
  readonly turns: Turns;
  /** The turns for `ending`. */
  readonly endingTurns: Turns;
  /** The client for LISTEN and NOTIFY. */
  readonly client: PostgresNotifierOptions['client'];
  /** The embedded database; null for PostgreSQL. */
  readonly embedded: PGlite | null;
  /** The data folder of the embedded database, which this process has locked; null for PostgreSQL and in memory. */
  readonly folder: string | null;
  /** The description for the banner. Never contains a URL. */
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
 * many connections, shutdown or startup, a database that accepts no connections, a lock that was not released in time,
 * a transaction that idled too long, a statement that took too long or was canceled, a write that a replica refused, as
 * after a failover, and a transaction that lost to another one and changed nothing (a deadlock, or a failure of
 * serialization where an operator has set that level).
 */
const UNAVAILABLE_STATES = /^(?:(?:08|28|3D|53|57P)[0-9A-Z]+|57014|55000|55P03|25006|25P03|40001|40P01)$/;

/** Whether an error means that the database is unavailable, and not that a statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof DrizzleQueryError && saysUnavailable(error.cause);
}

/** The same for an error of the driver itself, which runs begin and commit, and for a transaction that was refused. */
export function saysUnavailable(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return (
    typeof code === 'string' &&
    (CONNECTION_CODES.test(code) || UNAVAILABLE_STATES.test(code) || Object.hasOwn(refusals, code))
  );
}
