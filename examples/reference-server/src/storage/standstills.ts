import { sql } from 'drizzle-orm';
import { type Database, withinLimit } from './database.js';

/** The time for which an end waits before it searches for stopped nodes. It can still be answered within 2 s. */
const LOOK_AFTER_MILLIS = 1000;

/**
 * Sessions of the server's nodes that wait for their client in the middle of a statement. The driver describes a
 * statement before it first sends its parameters on a connection; a node that stops in between holds its locks. No
 * timeout of PostgreSQL applies, because its session is not idle and no statement runs. (`transaction_timeout` would,
 * but needs PostgreSQL 17.)
 */
const END_STANDSTILLS = sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user
    and application_name = current_setting('application_name') and pid <> pg_backend_pid()
    and xact_start is not null and state = 'active' and wait_event = 'ClientRead'
    and state_change < clock_timestamp() - interval '800 ms'`;

/**
 * Awaits the writes of an end, or rejects with a refusal after the limit. It does not wait for stopped nodes (TOK-13):
 * PostgreSQL ends sessions that idle in a transaction, and this function ends those that wait within a statement.
 */
export async function withinLimitOfEnd<Result>(
  { orm, embedded }: Pick<Database, 'orm' | 'embedded'>,
  query: PromiseLike<Result>,
): Promise<Result> {
  // A single process waits for no other one.
  if (embedded !== null) return withinLimit(query);
  // Uses the handle whose connections no waiting end holds.
  const look = setTimeout(() => orm.execute(END_STANDSTILLS).then(undefined, () => {}), LOOK_AFTER_MILLIS);
  try {
    return await withinLimit(query);
  } finally {
    clearTimeout(look);
  }
}
