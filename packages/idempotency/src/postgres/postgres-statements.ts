import { renderStatement, UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, eq, type SQL, sql } from 'drizzle-orm/sql';
import type { Completion, CompletionEnd, RecordTerms } from '../records/index.js';
import type { DrizzleRecordDatabase, IdempotencyRecordsTable } from './postgres-table.js';

/** False outside of a transaction, and in one that has written nothing yet. */
const HAS_WRITTEN = renderStatement(sql`pg_current_xact_id_if_assigned() is not null`)({});

const NO_RESULT = renderStatement(sql`null`)({});

/**
 * Whether a row that was just updated is outside of savepoints: the writes of a savepoint have their own transaction
 * id. It also detects savepoints that drizzle does not know.
 */
const IS_OUTERMOST = sql`xmin = pg_current_xact_id()::xid`;

/**
 * The time at which the record was completed, which differs for the completion of another run. The text is the same in
 * every time zone.
 */
const VERSION = sql`extract(epoch from "changed_at")::text`;

type CompletionValue = 'scope' | 'owner' | 'result' | 'isWithin';

/** For the option `also` of `completeWithin`: whether that call has completed the record. */
export const isCompleted: SQL = renderStatement(sql`exists (select from completed)`)({});

/*
 * One statement per verb, each on one row, atomic under READ COMMITTED (the default of PostgreSQL): `update` and
 * `delete` find a row, wait for concurrent changes of it, and apply their condition again to its newest version. A
 * record that an open transaction may hold is locked by `for update skip locked`, so that no request waits for the
 * handler of another.
 *
 * Time is `statement_timestamp()`: the database's clock, for lease and retention alike (REL-5).
 */
export function prepareStatements(
  database: DrizzleRecordDatabase,
  table: IdempotencyRecordsTable,
  { leaseMillis, retentionMillis }: RecordTerms,
) {
  const now = sql`statement_timestamp()`;
  const after = (millis: number) => sql`statement_timestamp() + ${sql.raw(String(millis))} * interval '1 millisecond'`;
  const times = { changedAt: now, expiresAt: after(retentionMillis) };

  const scope = sql.placeholder('scope');
  const owner = sql.placeholder('owner');
  const changed = { changed: sql<number>`1` };
  const hasLapsed = sql`${table.leasedUntil} <= statement_timestamp()`;
  const hasExpired = sql`${table.expiresAt} <= statement_timestamp()`;
  const isHeld = and(eq(table.scope, scope), eq(table.owner, owner)) as SQL;
  const unlessLocked = (condition: SQL) => {
    const unlocked = sql`select ${table.scope} from ${table} where ${condition} for update skip locked`;
    return sql`${table.scope} = any(array(${unlocked})) and ${condition}`;
  };
  const isLapsed = unlessLocked(and(isHeld, hasLapsed) as SQL);

  const settled = { leasedUntil: null, ...times };
  const doubted = { ...settled, state: 'UNKNOWN', owner: null } as const;

  // The subquery is needed because the conflict clause alone would wait for a transaction that is completing the
  // record. Unlike `not exists`, it is never planned as a scan of the whole table. The rows are sorted, so that two
  // nodes wait in the same order.
  const insertIf = (isTransactional: boolean, condition: SQL) =>
    database
      .insert(table)
      .select(
        sql`select one."scope", 'PROCESSING', one."digest", one."owner", ${sql.raw(String(isTransactional))},
          ${after(leaseMillis)}, ${now}, ${after(retentionMillis)}
          from json_to_recordset(${sql.placeholder('records')}::text::json)
            as one ("scope" text, "digest" text, "owner" text)
          where ${condition} and (select true from ${table} where ${table.scope} = one."scope") is null
          order by one."scope"`,
      )
      .onConflictDoNothing({ target: table.scope })
      .returning({ owner: table.owner })
      .prepare(UNNAMED);

  const completed = sql`completed as (
    update ${table} set "state" = 'SUBMITTED', "owner" = ${sql.placeholder('result')}, "leased_until" = null,
      "changed_at" = ${now}, "expires_at" = ${after(retentionMillis)}
    where "scope" = ${scope} and "owner" = ${owner} and ${sql.placeholder('isWithin')}
    returning ${IS_OUTERMOST} as "isOutermost", ${VERSION} as "version"
  )`;
  const submitAlone = renderStatement<CompletionValue>(sql`with ${completed} select * from completed`);
  const submitWith = renderStatement<CompletionValue | 'also'>(
    sql`with ${completed}, also as (${sql.placeholder('also')}) select * from completed`,
  );

  const isCommitted = sql<boolean>`"state" = 'SUBMITTED' and ${VERSION} = ${sql.placeholder('version')}`;
  const confirmed = database.select({ isCommitted }).from(table).where(eq(table.scope, scope)).prepare(UNNAMED);
  const doubtUnlessCommitted = renderStatement<'scope' | 'owner' | 'version'>(sql`
    with doubted as (
      update ${table} set "state" = 'UNKNOWN', "owner" = null, "leased_until" = null, "changed_at" = ${now},
        "expires_at" = ${after(retentionMillis)}
      where ${unlessLocked(isHeld)}
      returning 1
    )
    select ${isCommitted} as "isCommitted",
      "owner" = ${owner} as "isHeld", exists (select from doubted) as "isDoubted"
    from ${table} where "scope" = ${scope}
  `);

  return {
    insert: insertIf(false, sql`true`),
    // The record of a transactional run needs no flush of its own. The log is flushed in order, so a crash of
    // PostgreSQL that loses the record loses the run's transaction too. The setting applies to this statement alone.
    // The subquery is evaluated once, not for each row.
    insertTransactional: insertIf(true, sql`(select set_config('synchronous_commit', 'off', true)) = 'off'`),

    read: database
      .select({
        state: table.state,
        digest: table.digest,
        owner: table.owner,
        isTransactional: table.isTransactional,
        hasLapsed: sql<boolean | null>`${hasLapsed}`,
        hasExpired: sql<boolean>`${hasExpired}`,
      })
      .from(table)
      .where(eq(table.scope, scope))
      .prepare(UNNAMED),

    deleteIfExpired: database
      .delete(table)
      .where(unlessLocked(and(eq(table.scope, scope), hasExpired) as SQL))
      .prepare(UNNAMED),

    renew: database
      .update(table)
      .set({ leasedUntil: after(leaseMillis), ...times })
      .where(unlessLocked(isHeld))
      .returning(changed)
      .prepare(UNNAMED),

    submit: database
      .update(table)
      .set({ ...settled, state: 'SUBMITTED', owner: sql`${sql.placeholder('result')}` })
      .where(isHeld)
      .returning(changed)
      .prepare(UNNAMED),
    doubt: database.update(table).set(doubted).where(isHeld).returning(changed).prepare(UNNAMED),
    release: database.delete(table).where(isHeld).returning(changed).prepare(UNNAMED),

    takeOver: database
      .update(table)
      .set({ owner: sql`${sql.placeholder('successor')}`, leasedUntil: after(leaseMillis), ...times })
      .where(isLapsed)
      .returning(changed)
      .prepare(UNNAMED),
    doubtLapsed: database.update(table).set(doubted).where(isLapsed).returning(changed).prepare(UNNAMED),
    releaseLapsed: database.delete(table).where(isLapsed).returning(changed).prepare(UNNAMED),

    /**
     * Takes effect only inside the caller's transaction. A driver may send the statement by itself after the connection
     * of the transaction broke; such a statement has no transaction id yet. `also` is part of the same statement.
     */
    async submitWithin(
      transaction: Pick<DrizzleRecordDatabase, 'execute'>,
      completion: { readonly scope: string; readonly owner: string; readonly result: string | null },
      also: SQL | null,
    ): Promise<Completion | null> {
      const { scope, owner, result } = completion;
      const submitIf = async (isWithin: SQL) => {
        const values = { scope, owner, result: result ?? NO_RESULT, isWithin };
        const statement = also === null ? submitAlone(values) : submitWith(Object.assign(values, { also }));
        return rowsOf<Completion>(await transaction.execute(statement))[0] ?? null;
      };
      const submitted = await submitIf(HAS_WRITTEN);
      if (submitted !== null) return submitted;
      // Either another run holds the record, or the transaction has written nothing yet and so has no id. A setting
      // that is local to the transaction still exists in the next statement. It does not if the statement was sent
      // outside of a transaction.
      await transaction.execute(sql`select set_config('idempotency.owner', ${owner}, true)`);
      return submitIf(sql`current_setting('idempotency.owner', true) = ${owner}`);
    },

    /**
     * One statement is enough if the completion has committed. Otherwise the second one decides, because the first may
     * have come too early, or read a replica. Both parts of the second one see the record as it was before. If the
     * record is absent, or belongs to another run, the completion was rolled back as well, because a committed one is
     * kept for the retention.
     */
    async confirm(completion: {
      readonly scope: string;
      readonly owner: string;
      readonly version: string;
    }): Promise<CompletionEnd> {
      const [read] = await confirmed.execute({ scope: completion.scope, version: completion.version });
      if (read?.isCommitted) return 'committed';
      const [found] = rowsOf<ConfirmedRow>(await database.execute(doubtUnlessCommitted(completion)));
      if (found?.isCommitted) return 'committed';
      return found?.isHeld && !found.isDoubted ? 'open' : 'rolled-back';
    },

    // `array(…)` is evaluated once. `in (…)` may be evaluated repeatedly, and delete more than the limit.
    deleteExpired: database
      .delete(table)
      .where(
        sql`${table.scope} = any(array(
          select ${table.scope} from ${table} where ${hasExpired} order by ${table.expiresAt}
          limit ${sql.placeholder('limit')}::bigint for update skip locked
        )) and ${hasExpired}`,
      )
      .returning(changed)
      .prepare(UNNAMED),
  };
}

interface ConfirmedRow {
  readonly isCommitted: boolean;
  readonly isHeld: boolean | null;
  readonly isDoubted: boolean;
}

/** The rows of a result, for every driver. */
function rowsOf<Row>(result: unknown): readonly Row[] {
  return Array.isArray(result) ? result : (result as { readonly rows: readonly Row[] }).rows;
}
