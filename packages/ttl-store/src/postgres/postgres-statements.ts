import { getTableConfig } from 'drizzle-orm/pg-core';
import { and, eq, type SQL, sql } from 'drizzle-orm/sql';
import type { EntryDatabase, TtlEntries } from './postgres-table.js';

const VALUE_MARK = '=';

/** The value of a row of `get` or `take`. */
export function readValue(row: { readonly value: string } | undefined): string | null {
  return row === undefined ? null : row.value.slice(VALUE_MARK.length);
}

/*
 * One statement per verb, each on one row, atomic under READ COMMITTED (the default of PostgreSQL):
 * - `insert … on conflict do update … where` locks the row that is there, in its newest version, and judges that one.
 * - `update` and `delete` find a row, wait for whoever changes it, and judge their condition anew on its newest
 *   version; a row deleted meanwhile is none.
 * A statement holds one row lock, so no two of them can deadlock.
 *
 * Time is `statement_timestamp()`: the database's clock, so that nodes whose own clocks differ agree, read once per
 * statement, so that no row is alive in one half of a statement and expired in the other.
 */
export function prepareStatements(database: EntryDatabase, table: TtlEntries) {
  const { name, schema = '' } = getTableConfig(table);
  // Drivers that keep prepared statements by name must not confuse those of two tables.
  const named = (verb: string) => `ttl_store_${verb}_${schema}_${name}`;

  const key = sql.placeholder('key');
  const value = sql.placeholder('value');
  const keyMatches = eq(table.key, key);
  const valueMatches = sql`${table.value} = ${sql.placeholder('expected')}`;
  const expired = sql`${table.expiresAt} <= statement_timestamp()`;
  const alive = sql`${table.expiresAt} > statement_timestamp()`;
  const afterTtl = sql`statement_timestamp() + ${sql.placeholder('ttlMillis')}::double precision * interval '1 millisecond'`;
  const given = { value: sql`excluded."value"`, expiresAt: sql`excluded."expires_at"` };
  const entry = { key, value, expiresAt: afterTtl };

  // PGlite drops a U+FEFF at the start of a text that it yields: the values come with something before it.
  const marked = { value: sql<string>`${sql.raw(`'${VALUE_MARK}'`)} || ${table.value}` };

  const counter = counterSql(table);

  return {
    setIfAbsent: database
      .insert(table)
      .values(entry)
      .onConflictDoUpdate({ target: table.key, set: given, setWhere: expired })
      .returning({ written: sql<number>`1` })
      .prepare(named('set_if_absent')),

    get: database.select(marked).from(table).where(and(keyMatches, alive)).prepare(named('get')),

    set: database
      .insert(table)
      .values(entry)
      .onConflictDoUpdate({ target: table.key, set: given })
      .prepare(named('set')),

    take: database.delete(table).where(and(keyMatches, alive)).returning(marked).prepare(named('take')),

    // No row: what is there can't be added to.
    increment: database
      .insert(table)
      .values(entry)
      .onConflictDoUpdate({
        target: table.key,
        set: {
          value: sql`case when ${expired} then ${given.value} else (${counter.sum})::text end`,
          expiresAt: sql`case when ${expired} then ${given.expiresAt} else ${table.expiresAt} end`,
        },
        setWhere: sql`${expired} or ${counter.possible}`,
      })
      .returning({
        value: table.value,
        remainingMillis: sql<number>`(extract(epoch from ${table.expiresAt} - statement_timestamp()) * 1000)::double precision`,
      })
      .prepare(named('increment')),

    compareAndSet: database
      .update(table)
      .set({ value: sql`${value}`, expiresAt: afterTtl })
      .where(and(keyMatches, valueMatches, alive))
      .returning({ written: sql<number>`1` })
      .prepare(named('compare_and_set')),

    compareAndDelete: database
      .delete(table)
      .where(and(keyMatches, valueMatches, alive))
      .returning({ deleted: sql<number>`1` })
      .prepare(named('compare_and_delete')),

    delete: database
      .delete(table)
      .where(and(keyMatches, alive))
      .returning({ deleted: sql<number>`1` })
      .prepare(named('delete')),

    // `array(…)` is carried out once; `in (…)` may be carried out again and again, and delete more than the limit.
    // `skip locked`: two sweeps at once share the work, instead of waiting for each other or deadlocking.
    deleteExpired: database
      .delete(table)
      .where(
        sql`${table.key} = any(array(
          select ${table.key} from ${table} where ${expired} order by ${table.expiresAt}
          limit ${sql.placeholder('limit')}::bigint for update skip locked
        )) and ${expired}`,
      )
      .returning({ deleted: sql<number>`1` })
      .prepare(named('delete_expired')),
  };
}

/** A counter is text (see `counter-text.ts`); `excluded.value` is the amount. `case` keeps a cast from texts that it would refuse. */
function counterSql(table: TtlEntries): { sum: SQL; possible: SQL } {
  const sum = sql`${table.value}::bigint + excluded."value"::bigint`;
  const safe = (number: SQL) => sql`abs(${number}) <= ${sql.raw(String(Number.MAX_SAFE_INTEGER))}`;
  const possible = sql`case when ${table.value} ~ '^(0|-?[1-9][0-9]{0,15})$' then ${safe(sql`${table.value}::bigint`)} and ${safe(sum)} else false end`;
  return { sum, possible };
}
