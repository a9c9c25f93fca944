import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, eq, type SQL, sql } from 'drizzle-orm/sql';
import { markStatements } from './postgres-mark-statements.js';
import { type DrizzleEntryDatabase, ITEM_VALUE, type TtlEntries } from './postgres-table.js';

const VALUE_MARK = '=';

/** The value of a row that `get` or `take` returned. */
export function readValue(row: { readonly value: string } | undefined): string | null {
  return row === undefined ? null : row.value.slice(VALUE_MARK.length);
}

/*
 * One statement per verb, each on one row, atomic under READ COMMITTED (the default of PostgreSQL):
 * - `insert … on conflict do update … where` locks the present row in its newest version, and checks that version.
 * - `update` and `delete` find a row, wait for concurrent changes of it, and check their condition again on its newest
 *   version; a row deleted in between does not count.
 * A statement holds one row lock, so no two of them can deadlock.
 *
 * Time is `statement_timestamp()`: the database's clock, so that nodes with different clocks agree. It is read once per
 * statement, so that a row is not live in one part of a statement and expired in another.
 */
export function prepareStatements(database: DrizzleEntryDatabase, table: TtlEntries) {
  const key = sql.placeholder('key');
  const value = sql.placeholder('value');
  const keyMatches = eq(table.key, key);
  const valueMatches = sql`${table.value} = ${sql.placeholder('expected')}`;
  const expired = sql`${table.expiresAt} <= statement_timestamp()`;
  const alive = sql`${table.expiresAt} > statement_timestamp()`;
  const ttl = sql`${sql.placeholder('ttlMillis')}::double precision * interval '1 millisecond'`;
  const afterTtl = sql`statement_timestamp() + ${ttl}`;
  const given = { value: sql`excluded."value"`, expiresAt: sql`excluded."expires_at"` };
  const entry = { key, value, expiresAt: afterTtl };

  // PGlite drops a U+FEFF at the start of a text that it returns, so values are returned with a mark before them.
  const marked = { value: sql<string>`${sql.raw(`'${VALUE_MARK}'`)} || ${table.value}` };

  const remainingSeconds = sql`extract(epoch from ${table.expiresAt} - statement_timestamp())`;
  const counter = counterSql(table);

  return {
    setIfAbsent: database
      .insert(table)
      .values(entry)
      .onConflictDoUpdate({ target: table.key, set: given, setWhere: expired })
      .returning({ written: sql<number>`1` })
      .prepare(UNNAMED),

    get: database.select(marked).from(table).where(and(keyMatches, alive)).prepare(UNNAMED),

    // The keys are one text, because drivers pass lists in different ways. The result has places, because PGlite may
    // return another text than the key.
    getAll: database
      .select({ place: sql<number>`(asked.place - 1)::int`, ...marked })
      .from(table)
      .innerJoin(
        sql`json_array_elements_text(${sql.placeholder('asked')}::json) with ordinality as asked (key, place)`,
        sql`${table.key} = asked.key`,
      )
      .where(alive)
      .prepare(UNNAMED),

    set: database.insert(table).values(entry).onConflictDoUpdate({ target: table.key, set: given }).prepare(UNNAMED),

    take: database.delete(table).where(and(keyMatches, alive)).returning(marked).prepare(UNNAMED),

    // No row means that the present value can't be incremented.
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
        remainingMillis: sql<number>`(${remainingSeconds} * 1000)::double precision`,
      })
      .prepare(UNNAMED),

    compareAndSet: database
      .update(table)
      .set({ value: sql`${value}`, expiresAt: afterTtl })
      .where(and(keyMatches, valueMatches, alive))
      .returning({ written: sql<number>`1` })
      .prepare(UNNAMED),

    compareAndDelete: database
      .delete(table)
      .where(and(keyMatches, valueMatches, alive))
      .returning({ deleted: sql<number>`1` })
      .prepare(UNNAMED),

    delete: database
      .delete(table)
      .where(and(keyMatches, alive))
      .returning({ deleted: sql<number>`1` })
      .prepare(UNNAMED),

    // Rounded down, so that the time is never ahead of the store's clock.
    time: database
      .select({ millis: sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::double precision` })
      .from(sql`(values (1)) as one`)
      .prepare(UNNAMED),

    // The literal value lets the planner use the index of items. `start` sorts before the first item.
    readList: database
      .select({ item: sql<string>`substr(${table.key}, char_length(${sql.placeholder('start')}::text) + 1)` })
      .from(table)
      .where(
        and(
          sql`${table.key} collate "C" > ${sql.placeholder('after')}::text`,
          sql`${table.key} collate "C" < ${sql.placeholder('end')}::text`,
          sql`${table.value} = ${sql.raw(`'${ITEM_VALUE}'`)}`,
          alive,
        ),
      )
      .orderBy(sql`${table.key} collate "C"`)
      .limit(sql.placeholder('limit'))
      .prepare(UNNAMED),

    ...markStatements(database, table),

    // `array(…)` is evaluated once. `in (…)` may be evaluated repeatedly, and delete more than the limit.
    // `skip locked`: concurrent sweeps share the work instead of waiting for each other or deadlocking.
    deleteExpired: database
      .delete(table)
      .where(
        sql`${table.key} = any(array(
          select ${table.key} from ${table} where ${expired} order by ${table.expiresAt}
          limit ${sql.placeholder('limit')}::bigint for update skip locked
        )) and ${expired}`,
      )
      .returning({ deleted: sql<number>`1` })
      .prepare(UNNAMED),
  };
}

/** A counter is text (see `entry-limits.ts`); `excluded.value` is the amount. `case` avoids casts that would fail. */
function counterSql(table: TtlEntries): { sum: SQL; possible: SQL } {
  const sum = sql`${table.value}::bigint + excluded."value"::bigint`;
  const safe = (number: SQL) => sql`abs(${number}) <= ${sql.raw(String(Number.MAX_SAFE_INTEGER))}`;
  const isInteger = sql`${table.value} ~ '^(0|-?[1-9][0-9]{0,15})$'`;
  const isSafe = sql`${safe(sql`${table.value}::bigint`)} and ${safe(sum)}`;
  const possible = sql`case when ${isInteger} then ${isSafe} else false end`;
  return { sum, possible };
}
