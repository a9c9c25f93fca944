import {
  boolean,
  getTableConfig,
  integer,
  type PgDatabase,
  type PgQueryResultHKT,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm/sql';

/** A table of parameters under a name of your own, for `createPostgresSource({ table })` and your own schema. */
export function defineSystemParameters(name: string) {
  return pgTable(name, {
    key: text('key').primaryKey(),
    type: text('type').notNull(),
    value: text('value').notNull(),
    defaultValue: text('default_value').notNull(),
    isPublic: boolean('is_public').notNull(),
    description: text('description').notNull(),
    version: integer('version').notNull().default(0),
    updatedBy: text('updated_by'),
    updatedAt: timestamp('updated_at', { withTimezone: true }),
  });
}

export type SystemParametersTable = ReturnType<typeof defineSystemParameters>;

/** The drizzle table `system_parameters`: export it from your schema, and drizzle-kit migrates it with the rest. Requirement SYS-1. */
export const systemParameters = defineSystemParameters('system_parameters');

/** What the source needs of a drizzle database: over postgres-js, PGlite or node-postgres, with any schema. */
export type ParameterDatabase = Pick<
  PgDatabase<PgQueryResultHKT>,
  'execute' | 'insert' | 'select' | 'transaction' | 'update'
>;

// 'sys_para' in ASCII: a number that no other lock of the application uses by chance.
const CREATION_LOCK = 0x7379735f70617261n;

/**
 * Creates the table where it is absent, for those who don't migrate with drizzle-kit. Any number of nodes may call it
 * at once: `if not exists` alone would let one of them fail.
 */
export async function createSystemParametersTable(
  database: Pick<ParameterDatabase, 'execute'>,
  table: SystemParametersTable = systemParameters,
): Promise<void> {
  const { name } = getTableConfig(table);
  await database.execute(sql`
    do $creation$ begin
      perform pg_advisory_xact_lock(${sql.raw(String(CREATION_LOCK))});
      create table if not exists ${sql.identifier(name)} (
        "key" text primary key not null,
        "type" text not null,
        "value" text not null,
        "default_value" text not null,
        "is_public" boolean not null,
        "description" text not null,
        "version" integer default 0 not null,
        "updated_by" text,
        "updated_at" timestamp with time zone
      );
    end $creation$
  `);
}
