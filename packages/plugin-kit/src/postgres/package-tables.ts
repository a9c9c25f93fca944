import { is } from 'drizzle-orm/entity';
import { PgTable } from 'drizzle-orm/pg-core';
import { type SQL, sql } from 'drizzle-orm/sql';
import { hasMethods, type OptionRule, option } from '../options/index.js';
import { primaryOf } from './database-client.js';

/**
 * The name for `.prepare(…)` of drizzle. node-postgres keeps a named statement on the connection. Behind a pooler, the
 * next call may get another connection, or one on which another client uses the name.
 */
export const UNNAMED = '';

const DATABASE_MEANING = 'a drizzle database: drizzle(…) of drizzle-orm/node-postgres, /postgres-js or /pglite';

/**
 * The rule of an option that takes a drizzle database with this method, of every driver. Of `withReplicas(…)` it reads
 * the primary, so that no statement of a package goes to a replica.
 */
export function databaseRule<Database>(method: string): OptionRule<Database> {
  return {
    ...option<Database>({
      meaning: DATABASE_MEANING,
      accepts: (value) => hasMethods(primaryOf(value), [method]),
      read: (value: unknown) => primaryOf(value) as Database,
    }),
    // The message if it is missing.
    meaning: `${DATABASE_MEANING}. It is undefined: was the plugin that decorates it loaded before?`,
  };
}

/** The rule of an option that takes a drizzle table. `maker` is the function that makes one under another name. */
export function tableRule<Table>(maker: string, byDefault: Table): OptionRule<Table> {
  return option<Table>({
    meaning: `a table made by ${maker}(name)`,
    accepts: (value) => is(value, PgTable),
    default: byDefault,
  });
}

/**
 * Creates tables and indexes that don't exist, for applications without drizzle-kit. Any number of nodes may do so at
 * once: the lock prevents the race of `if not exists`.
 *
 * @param lock eight ASCII letters, so that no other lock of the application has the same number by chance
 * @param statements the statements, each with its semicolon
 */
export async function ensureTables(
  database: { execute(statement: SQL): PromiseLike<unknown> },
  lock: string,
  statements: SQL,
): Promise<void> {
  const number = BigInt(`0x${Buffer.from(lock, 'ascii').toString('hex')}`);
  await database.execute(sql`
    do $creation$ begin
      perform pg_advisory_xact_lock(${sql.raw(String(number))});
      ${statements}
    end $creation$
  `);
}
