import { sql } from 'drizzle-orm';
import { type Database, withinLimit } from './database.js';

/** How long an end waits before it looks for who stands still: then it still has time to be answered within 2 s. */
const LOOK_AFTER_MILLIS = 1000;

/**
 * Sessions of the server's nodes that wait for their client in the middle of a statement. The driver describes a
 * statement before it first sends its parameters on a connection; a node that stands still in between holds its locks,
 * and no timeout of PostgreSQL applies to it: its session is not idle, and no statement runs. (`transaction_timeout`
 * would, but needs PostgreSQL 17.)
 */
const END_STANDSTILLS = sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user
    and application_name = current_setting('application_name') and pid <> pg_backend_pid()
    and xact_start is not null and state = 'active' and wait_event = 'ClientRead'
    and state_change < clock_timestamp() - interval '800 ms'`;

/**
 * Awaits what an end writes, or rejects with a refusal after the limit. It waits for no node that stands still
 * (TOK-13): what idles in a transaction is ended by PostgreSQL, and what does so within a statement is ended here.
 */
export async function withinLimitOfEnd<Result>(
  { orm, embedded }: Pick<Database, 'orm' | 'embedded'>,
  query: PromiseLike<Result>,
): Promise<Result> {
  // A process that is alone waits for nobody else.
  if (embedded !== null) return withinLimit(query);
  // By the handle whose connections no waiting end holds.
  const look = setTimeout(() => orm.execute(END_STANDSTILLS).then(undefined, () => {}), LOOK_AFTER_MILLIS);
  try {
    return await withinLimit(query);
  } finally {
    clearTimeout(look);
  }
}
