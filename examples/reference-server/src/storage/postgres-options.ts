import type postgres from 'postgres';
import { DEFAULT_DATABASE_SCHEMA } from './schema-target.js';

const CONNECT_TIMEOUT_SECONDS = 2;

/**
 * How long a connection waits before it connects again. By default the driver counts the failures of all connections
 * of a pool together and waits up to 20 s, which a short outage under load reaches: then idempotency keys would have no
 * definite answer for longer than the outage (REL-3).
 */
const RECONNECT_SECONDS = 0.25;

/** What distinguishes the clients of PostgreSQL in this process. */
export interface PostgresClientOptions {
  /** Maximum number of connections. */
  readonly max: number;
  /** Shown in `pg_stat_activity`, with the schema. */
  readonly applicationName: string;
  /** Run-time parameters of every session, such as `statement_timeout`. */
  readonly session?: Readonly<Record<string, string | number | boolean>>;
}

/** The sessions of a running server, and of its notification queue. */
export const SERVER_SESSION = 'sallyport-reference-server';
export const QUEUE_SESSION = 'sallyport-notifications';

/** PostgreSQL cuts longer names of sessions. In bytes. */
const MAX_NAME_LENGTH = 63;

/** The name of a session: other sessions see neither its search path nor its schema. */
export function sessionName(applicationName: string, schema: string): string {
  const name = schema === DEFAULT_DATABASE_SCHEMA ? applicationName : `${applicationName}@${schema}`;
  return name.slice(0, MAX_NAME_LENGTH);
}

/**
 * The options of every client of PostgreSQL: all of its connections find the tables in the schema alone (OPS-11). What
 * the role or the database has as its search path does not matter, and `search_path` in the URL is refused.
 */
export function postgresOptions(
  schema: string,
  { max, applicationName, session = {} }: PostgresClientOptions,
): postgres.Options<Record<string, never>> {
  return {
    max,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: () => RECONNECT_SECONDS * (1 + Math.random()),
    // If the connection breaks during this query, which the driver issues itself, an unhandled rejection ends the
    // process. drizzle parses arrays without it.
    fetch_types: false,
    onnotice: () => {},
    connection: { ...session, application_name: sessionName(applicationName, schema), search_path: `"${schema}"` },
  };
}
