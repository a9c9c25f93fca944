import type postgres from 'postgres';
import { DEFAULT_DATABASE_SCHEMA } from './schema-target.js';

const CONNECT_TIMEOUT_SECONDS = 2;

/**
 * The pause before a connection connects again. By default the driver counts the failures of all connections of a pool
 * together and waits up to 20 s, which a short outage under load reaches. Idempotency keys would then have no definite
 * answer for longer than the outage (REL-3).
 */
const RECONNECT_SECONDS = 0.25;

/** The differences between the clients of PostgreSQL in this process. */
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

/** The longest name of a session, in bytes. PostgreSQL cuts longer ones. */
const MAX_NAME_LENGTH = 63;

/** The name of a session. It contains the schema, because other sessions can't see its search path. */
export function sessionName(applicationName: string, schema: string): string {
  const name = schema === DEFAULT_DATABASE_SCHEMA ? applicationName : `${applicationName}@${schema}`;
  return name.slice(0, MAX_NAME_LENGTH);
}

/**
 * The options of every client of PostgreSQL. All its connections find the tables only in the schema (OPS-11). The
 * search path of the role or the database has no effect, and `search_path` in the URL is refused.
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
