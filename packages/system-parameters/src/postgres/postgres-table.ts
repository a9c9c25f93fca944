import { readOptions } from '@sallyport/plugin-kit/options';
import { databaseRule, ensureTables, tableRule } from '@sallyport/plugin-kit/postgres';
import {
  boolean,
  getTableConfig,
  integer,
  type PgDatabase,
  type PgQueryResultHKT,
  type PgTransactionConfig,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm/sql';
import { SystemParametersSetupError } from '../errors.js';

/**
 * A table of parameters under a name of your own, for `createPostgresSource({ table })` and your own schema.
 *
 * @example
 * ```ts
 * import { defineSystemParameters } from '@sallyport/system-parameters/postgres';
 *
 * export const table = defineSystemParameters('shop_parameters');
 * ```
 */
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

/** The drizzle table `system_parameters`. Export it from your schema, and drizzle-kit migrates it. */
export const systemParameters = defineSystemParameters('system_parameters');

/** A drizzle transaction, without the members whose types contain the schema of the database. */
export type ParameterTransaction = Omit<PgDatabase<PgQueryResultHKT>, '_' | 'query' | 'transaction'>;

/**
 * The part of a drizzle database that the source uses: over postgres-js, PGlite or node-postgres, with any schema.
 * drizzle declares its classes twice, for ES modules and for CommonJS, and their private members make the two
 * incompatible. This type therefore names the methods alone, and both declarations fit.
 */
export interface ParameterDatabase {
  execute(...given: never): PromiseLike<unknown>;
  insert(...given: never): unknown;
  select(...given: never): unknown;
  /** Only databases of PostgreSQL fit, not those of MySQL and SQLite. */
  selectDistinctOn(...given: never): unknown;
  update(...given: never): unknown;
  transaction(...given: never): Promise<unknown>;
}

/** {@link ParameterDatabase} as this package calls it. */
export interface DrizzleParameterDatabase
  extends Pick<ParameterTransaction, 'execute' | 'insert' | 'select' | 'selectDistinctOn' | 'update'> {
  transaction<Result>(
    work: (transaction: ParameterTransaction) => Promise<Result>,
    config?: PgTransactionConfig,
  ): Promise<Result>;
}

export const parameterTableRule = tableRule('defineSystemParameters', systemParameters);

/**
 * Creates the table if it is absent, for applications that don't migrate with drizzle-kit. Any number of nodes may call
 * it at once: `if not exists` alone would let one of them fail.
 *
 * @example
 * ```ts
 * const client = postgres(url, { onnotice() {} });
 * const database = drizzle(client);
 * await createSystemParametersTable(database);
 * ```
 */
export async function createSystemParametersTable(
  database: Pick<ParameterDatabase, 'execute'>,
  table: SystemParametersTable = systemParameters,
): Promise<void> {
  const given = readOptions<{ readonly database: DrizzleParameterDatabase; readonly table: SystemParametersTable }>(
    { subject: 'createSystemParametersTable', SetupError: SystemParametersSetupError },
    { database, table },
    { database: databaseRule<DrizzleParameterDatabase>('execute'), table: parameterTableRule },
  );
  const { name } = getTableConfig(table);
  await ensureTables(
    given.database,
    'sys_para',
    sql`
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
    `,
  );
}
