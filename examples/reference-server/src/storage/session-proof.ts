import type { Sql } from 'postgres';

/** A program between the server and PostgreSQL does not provide separate sessions with the requested settings. */
export class NoOwnSessionError extends Error {
  override readonly name = 'NoOwnSessionError';
  /** The SQLSTATE of a refused connection, so that callers treat the database as unavailable. */
  readonly code = '08004';
  constructor(finding: string) {
    super(`${finding}; ${CONNECT_DIRECTLY}`);
  }
}

export const CONNECT_DIRECTLY =
  'a connection pooler is between the server and PostgreSQL: set SERVICE_DATABASE_URL to PostgreSQL itself';

/** The requested settings on which the server relies. */
const RELIED_ON = [
  'search_path',
  'default_transaction_read_only',
  'statement_timeout',
  'idle_in_transaction_session_timeout',
] as const;

/** Settings by name, as PostgreSQL writes them: 5000 is 5s. */
export type ReliedOn = ReadonlyMap<string, string>;

/**
 * Proves that a session has the settings that its pool asks for. A pooler that ignores the parameters of the startup
 * leaves the reading handle able to write, statements without a limit, and tables in another schema. Resolves to the
 * settings. Requirement REL-15.
 *
 * @throws {NoOwnSessionError}
 */
export async function proveSettings(client: Sql): Promise<ReliedOn> {
  const { connection } = client.options;
  const asked = RELIED_ON.flatMap((name) => (connection[name] === undefined ? [] : [[name, String(connection[name])]]));
  // Both values are in the format of PostgreSQL. `true` limits the setting to this statement.
  const rows = await client.unsafe<{ name: string; found: string; expected: string }[]>(
    `select key as name, current_setting(key) as found, set_config(key, value, true) as expected
     from json_each_text($1::text::json)`,
    [JSON.stringify(Object.fromEntries(asked))],
  );
  for (const { name, found, expected } of rows) {
    if (found !== expected) throw new NoOwnSessionError(`${name} is ${found}, although ${expected} was asked for`);
  }
  return new Map(rows.map(({ name, expected }) => [name, expected]));
}

/**
 * Two connections, in an order that detects poolers which assign backends in turn or always assign the last one. With
 * two backends in turn, both positions of a connection meet both of them.
 */
const ORDER = [0, 1, 1, 0, 0, 1, 0, 1, 1] as const;

/**
 * Proves that two clients with one connection each have separate PostgreSQL sessions. A pooler in transaction mode
 * shares sessions between connections, and statements prepared on one are missing on the next. Requirement REL-15.
 *
 * @throws {NoOwnSessionError}
 */
export async function proveWholeSessions(clients: readonly [Sql, Sql]): Promise<void> {
  const backends = [new Set<number>(), new Set<number>()] as const;
  for (const place of ORDER) {
    const [row] = await clients[place].unsafe<{ pid: number }[]>('select pg_backend_pid() as pid');
    backends[place].add(row?.pid ?? 0);
  }
  const all = new Set(backends.flatMap((each) => [...each]));
  if (all.size === 2 && backends.every(({ size }) => size === 1)) return;
  throw new NoOwnSessionError('connections share the sessions of PostgreSQL (pool_mode = transaction)');
}
