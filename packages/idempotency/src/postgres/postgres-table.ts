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

/** A table of records under a name of your own, for `createPostgresIdempotencyStore({ table })` and your own schema. */
export function defineIdempotencyRecords(name: string) {
  return pgTable(
    name,
    {
      /** A hash of principal, method, path and key. */
      scope: text('scope').primaryKey(),
      state: text('state', { enum: ['PROCESSING', 'SUBMITTED', 'UNKNOWN'] }).notNull(),
      /** A hash of the request. */
      digest: text('digest').notNull(),
      /** The token of the run that holds the record; null when none does. */
      owner: text('owner'),
      isTransactional: boolean('is_transactional').notNull(),
      /** Until when the run is trusted to live; null when none does. */
      leasedUntil: timestamp('leased_until', { withTimezone: true }),
      changedAt: timestamp('changed_at', { withTimezone: true }).notNull(),
      expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    },
    // For the sweep, which looks for what has expired.
    (table) => [index(`${name}_expires_at_index`).on(table.expiresAt)],
  );
}

export type IdempotencyRecordsTable = ReturnType<typeof defineIdempotencyRecords>;

/** The drizzle table `idempotency_records`: export it from your schema, and drizzle-kit migrates it with the rest. Requirement IDM-7. */
export const idempotencyRecords = defineIdempotencyRecords('idempotency_records');

/** What the store needs of a drizzle database: over postgres-js, PGlite or node-postgres, with any schema. */
export type RecordDatabase = Pick<PgDatabase<PgQueryResultHKT>, 'delete' | 'execute' | 'insert' | 'select' | 'update'>;

// 'idem_rec' in ASCII: a number that no other lock of the application uses by chance.
const CREATION_LOCK = 0x6964656d5f726563n;

/**
 * Creates the table and its index where they are absent, for those who don't migrate with drizzle-kit. Any number of
 * nodes may call it at once: `if not exists` alone would let one of them fail.
 */
export async function createIdempotencyRecordsTable(
  database: Pick<RecordDatabase, 'execute'>,
  table: IdempotencyRecordsTable = idempotencyRecords,
): Promise<void> {
  const { name, indexes } = getTableConfig(table);
  await database.execute(sql`
    do $creation$ begin
      perform pg_advisory_xact_lock(${sql.raw(String(CREATION_LOCK))});
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
      create index if not exists ${sql.identifier(indexes[0]?.config.name as string)} on ${sql.identifier(name)} using btree ("expires_at");
    end $creation$
  `);
}
