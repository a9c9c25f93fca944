import { readOptions } from '@sallyport/plugin-kit/options';
import { databaseRule, ensureTables, tableRule } from '@sallyport/plugin-kit/postgres';
import {
  getTableConfig,
  index,
  type PgDatabase,
  type PgQueryResultHKT,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm/sql';
import { StoreSetupError } from '../store-options.js';

/** The value of every item of a list. An item needs no value; this one selects the entries for the index. */
export const ITEM_VALUE = 'an item';

/**
 * A table of entries under a name of your own, for `createPostgresStore({ table })` and your own schema.
 *
 * @example
 * ```ts
 * import { defineTtlEntries } from '@sallyport/ttl-store/postgres';
 *
 * export const table = defineTtlEntries('shop_entries');
 * ```
 */
export function defineTtlEntries(name: string) {
  return pgTable(
    name,
    {
      key: text('key').primaryKey(),
      value: text('value').notNull(),
      expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    },
    (table) => [
      // For the sweep of expired entries.
      index(`${name}_expires_at_index`).on(table.expiresAt),
      // An index of the items of lists alone, in the order of their bytes.
      index(`${name}_list_index`)
        .on(sql`${table.key} collate "C"`)
        .where(sql.raw(`"value" = '${ITEM_VALUE}'`)),
    ],
  );
}

export type TtlEntries = ReturnType<typeof defineTtlEntries>;

/** The drizzle table `ttl_entries`. Export it from your schema, and drizzle-kit migrates it. */
export const ttlEntries = defineTtlEntries('ttl_entries');

/**
 * The part of a drizzle database that the store uses: over postgres-js, PGlite or node-postgres, with any schema.
 * drizzle declares its classes twice, for ES modules and for CommonJS, and their private members make the two
 * incompatible. This type therefore names the methods alone, and both declarations fit.
 */
export interface EntryDatabase {
  delete(...given: never): unknown;
  execute(...given: never): PromiseLike<unknown>;
  insert(...given: never): unknown;
  select(...given: never): unknown;
  /** Only databases of PostgreSQL fit, not those of MySQL and SQLite. */
  selectDistinctOn(...given: never): unknown;
  update(...given: never): unknown;
}

/** {@link EntryDatabase} as this package calls it. */
export type DrizzleEntryDatabase = Pick<PgDatabase<PgQueryResultHKT>, keyof EntryDatabase>;

export const ttlTableRule = tableRule('defineTtlEntries', ttlEntries);

/**
 * Creates the table and its indexes if they are absent, for applications that don't migrate with drizzle-kit. Any
 * number of nodes may call it at once: `if not exists` alone would let one of them fail.
 *
 * @example
 * ```ts
 * const database = drizzle({ connection: { url, fetch_types: false } });
 * await createTtlEntriesTable(database); // or export `ttlEntries` from your drizzle schema, and migrate
 * const store = createPostgresStore({ database, keyPrefix: 'visits:' });
 * ```
 */
export async function createTtlEntriesTable(database: EntryDatabase, table: TtlEntries = ttlEntries): Promise<void> {
  const given = readOptions<{ readonly database: DrizzleEntryDatabase; readonly table: TtlEntries }>(
    { subject: 'createTtlEntriesTable', SetupError: StoreSetupError },
    { database, table },
    { database: databaseRule<DrizzleEntryDatabase>('execute'), table: ttlTableRule },
  );
  const { name, indexes } = getTableConfig(table);
  const [expiryIndex, listIndex] = indexes.map(({ config }) => sql.identifier(config.name as string));
  await ensureTables(
    given.database,
    'ttl_entr',
    sql`
      create table if not exists ${sql.identifier(name)} (
        "key" text primary key not null,
        "value" text not null,
        "expires_at" timestamp with time zone not null
      );
      create index if not exists ${expiryIndex} on ${sql.identifier(name)} using btree ("expires_at");
      create index if not exists ${listIndex} on ${sql.identifier(name)} using btree ("key" collate "C")
        where "value" = '${sql.raw(ITEM_VALUE)}';
    `,
  );
}
