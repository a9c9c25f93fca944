import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, eq, sql } from 'drizzle-orm/sql';
import type { DrizzleEntryDatabase, TtlEntries } from './postgres-table.js';

/**
 * The run of a PostgreSQL: the cluster, its timeline and the start of its server. A restored copy has another start. A
 * standby that took over has another start and another timeline. PGlite has them as well. Whole microseconds: up to
 * PostgreSQL 13 the digits of a fraction depend on the session (`extra_float_digits`).
 */
const RUN = sql<string>`(
  (select system_identifier from pg_control_system())::text || ':' ||
  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) || ':' ||
  (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint::text
)`;

const NOW_MILLIS = sql<number>`floor(extract(epoch from statement_timestamp()) * 1000)::double precision`;

/**
 * The statements of `StoreMarks`. A statement sees the mark and the entries at one moment. Two of them return nothing
 * if they wrote nothing. `seeMark` then returns the reason in a second round trip.
 */
export function markStatements(database: DrizzleEntryDatabase, table: TtlEntries) {
  const mark = sql.placeholder('mark');
  const millis = (column: typeof table.expiresAt) =>
    sql<number>`floor(extract(epoch from ${column}) * 1000)::double precision`;
  const at = (name: string) => sql`to_timestamp(${sql.placeholder(name)}::double precision / 1000)`;
  const ttl = sql`${sql.placeholder('ttlMillis')}::double precision * interval '1 millisecond'`;
  const afterTtl = sql`statement_timestamp() + ${ttl}`;
  const alive = sql`${table.expiresAt} > statement_timestamp()`;
  const holds = and(
    eq(table.key, mark),
    sql`${table.value} = ${sql.placeholder('markValue')}`,
    alive,
    sql`${table.expiresAt} >= ${at('minExpiresAt')}`,
    sql`${RUN} = ${sql.placeholder('run')}::text`,
  );
  const isTime = sql`statement_timestamp() between ${at('notBefore')} and ${at('notAfter')}`;
  // The lock waits for a transaction that deletes the mark, as `delete from` the table does. Without the lock, the
  // entry would be written after that transaction, although the mark is gone. Claims don't wait for each other, nor for
  // `keep`.
  const entry = sql`select ${sql.placeholder('key')}::text, ${sql.placeholder('value')}::text,
    greatest(${afterTtl}, ${at('keepUntil')}) from ${table} where ${holds} and ${isTime} for key share`;

  return {
    keepMark: database
      .update(table)
      .set({ expiresAt: sql`greatest(${table.expiresAt}, ${afterTtl})` })
      .where(holds)
      .returning({ time: NOW_MILLIS, expiresAt: millis(table.expiresAt) })
      .prepare(UNNAMED),

    replaceMark: database
      .update(table)
      .set({ value: sql`${sql.placeholder('value')}`, expiresAt: afterTtl })
      .where(
        and(
          eq(table.key, mark),
          sql`${table.value} = ${sql.placeholder('expected')}`,
          alive,
          sql`${table.expiresAt} >= ${at('minExpiresAt')}`,
          // Not the time of the statement, because it may have waited for a lock.
          sql`clock_timestamp() <= ${at('notAfter')}`,
        ),
      )
      .returning({ written: sql<number>`1` })
      .prepare(UNNAMED),

    setIfMarked: database
      .insert(table)
      .select(entry)
      .onConflictDoUpdate({
        target: table.key,
        set: { value: sql`excluded."value"`, expiresAt: sql`excluded."expires_at"` },
        setWhere: sql`${table.expiresAt} <= statement_timestamp()`,
      })
      .returning({ time: NOW_MILLIS })
      .prepare(UNNAMED),

    // No row: the mark does not hold.
    getIfMarked: database
      .select({
        value: sql<string | null>`(select '=' || entry.value from ${table} as entry
          where entry.key = ${sql.placeholder('key')}::text and entry.expires_at > statement_timestamp())`,
      })
      .from(table)
      .where(holds)
      .prepare(UNNAMED),

    // An outer join returns one row, with nulls if the mark is absent.
    seeMark: database
      .select({
        time: NOW_MILLIS,
        run: RUN,
        value: sql<string | null>`'=' || ${table.value}`,
        expiresAt: sql<number | null>`floor(extract(epoch from ${table.expiresAt}) * 1000)::double precision`,
      })
      .from(sql`(values (1)) as one`)
      .leftJoin(table, and(eq(table.key, mark), alive))
      .prepare(UNNAMED),
  };
}
