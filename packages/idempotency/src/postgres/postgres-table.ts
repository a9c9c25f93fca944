import { readOptions } from '@sallyport/plugin-kit/options';
import { databaseRule, ensureTables, tableRule } from '@sallyport/plugin-kit/postgres';
import {
  boolean,
  getTableConfig,
  index,
  type PgDatabase,
  type PgQueryResultHKT,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm/sql';
import { IdempotencySetupError } from '../errors.js';

/**
 * A table of records under a name of your own, for `createPostgresIdempotencyStore({ table })` and your own schema.
 *
 * @example
 * ```ts
 * import { defineIdempotencyRecords } from '@sallyport/idempotency/postgres';
 *
 * export const table = defineIdempotencyRecords('shop_keys');
 * ```
 */
export function defineIdempotencyRecords(name: string) {
  return pgTable(
    name,
    {
      /** A hash of principal, method, path and key. */
      scope: text('scope').primaryKey(),
      state: text('state', { enum: ['PROCESSING', 'SUBMITTED', 'UNKNOWN'] }).notNull(),
      /** A hash of the request. */
      digest: text('digest').notNull(),
      /**
       * PROCESSING: the token of the run that holds the record. SUBMITTED: the result that the route keeps, as JSON, or
       * null. One column, because a record has one or the other, and a table of an earlier release needs no migration.
       */
      owner: text('owner'),
      isTransactional: boolean('is_transactional').notNull(),
      /** The end of the run's lease; null if no run holds the record. */
      leasedUntil: timestamp('leased_until', { withTimezone: true }),
      changedAt: timestamp('changed_at', { withTimezone: true }).notNull(),
      expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    },
    // For the sweep of expired records.
    (table) => [index(`${name}_expires_at_index`).on(table.expiresAt)],
  );
}

export type IdempotencyRecordsTable = ReturnType<typeof defineIdempotencyRecords>;

/** The drizzle table `idempotency_records`. Export it from your schema, and drizzle-kit migrates it. */
export const idempotencyRecords = defineIdempotencyRecords('idempotency_records');

/**
 * The part of a drizzle database that the store uses: over postgres-js, PGlite or node-postgres, with any schema.
 * drizzle declares its classes twice, for ES modules and for CommonJS, and their private members make the two
 * incompatible. This type therefore names the methods alone, and both declarations fit.
 */
export interface RecordDatabase {
  delete(...given: never): unknown;
  execute(...given: never): PromiseLike<unknown>;
  insert(...given: never): unknown;
  select(...given: never): unknown;
  /** Only databases of PostgreSQL fit, not those of MySQL and SQLite. */
  selectDistinctOn(...given: never): unknown;
  update(...given: never): unknown;
}

/** {@link RecordDatabase} as this package calls it. */
export type DrizzleRecordDatabase = Pick<PgDatabase<PgQueryResultHKT>, keyof RecordDatabase>;

export const idempotencyTableRule = tableRule('defineIdempotencyRecords', idempotencyRecords);

/**
 * Creates the table and its index if they are absent, for applications that don't migrate with drizzle-kit. Any number
 * of nodes may call it at once: `if not exists` alone would let one of them fail.
 *
 * @example
 * ```ts
 * const database = drizzle(pool);
 * await database.execute('create table if not exists payments (id serial primary key, amount text not null)');
 * await createIdempotencyRecordsTable(database); // or export `idempotencyRecords` from your schema, and migrate it
 * await app.register(idempotency, { store: createPostgresIdempotencyStore({ database }), principalOf: () => 'ada' });
 * ```
 */
export async function createIdempotencyRecordsTable(
  database: Pick<RecordDatabase, 'execute'>,
  table: IdempotencyRecordsTable = idempotencyRecords,
): Promise<void> {
  const given = readOptions<{ readonly database: DrizzleRecordDatabase; readonly table: IdempotencyRecordsTable }>(
    { subject: 'createIdempotencyRecordsTable', SetupError: IdempotencySetupError },
    { database, table },
    { database: databaseRule<DrizzleRecordDatabase>('execute'), table: idempotencyTableRule },
  );
  const { name, indexes } = getTableConfig(table);
  const indexName = sql.identifier(indexes[0]?.config.name as string);
  await ensureTables(
    given.database,
    'idem_rec',
    sql`
      create table if not exists ${sql.identifier(name)} (
        "scope" text primary key not null,
        "state" text not null,
        "digest" text not null,
        "owner" text,
        "is_transactional" boolean not null,
        "leased_until" timestamp with time zone,
        "changed_at" timestamp with time zone not null,
        "expires_at" timestamp with time zone not null
      );
      create index if not exists ${indexName} on ${sql.identifier(name)} using btree ("expires_at");
    `,
  );
}

/** SQLSTATE `undefined_table` (PostgreSQL manual, appendix A). */
const UNDEFINED_TABLE = '42P01';

function sqlStateOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

/** An error that names the remedy if the table is missing. Any other error is returned unchanged. */
export function explainMissingTable(error: unknown, table: IdempotencyRecordsTable): unknown {
  // drizzle wraps the error of the driver.
  if (sqlStateOf(error) !== UNDEFINED_TABLE && sqlStateOf((error as Error | null)?.cause) !== UNDEFINED_TABLE)
    return error;
  const { name } = getTableConfig(table);
  const given = table === idempotencyRecords ? 'database' : 'database, table';
  return new Error(
    `The table ${name} does not exist: call createIdempotencyRecordsTable(${given}) at the start, or migrate it`,
    { cause: error },
  );
}
