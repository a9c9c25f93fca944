import type { FoundEnd, OwnerEnd, SessionEnd, SessionEnds, SubjectKey } from '@sallyport/auth-tokens';
import { renderStatement } from '@sallyport/plugin-kit/postgres';
import { type SQL, sql } from 'drizzle-orm';
import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { type Database, withinLimit } from './database.js';
import { rowsOf } from './schema-target.js';
import { withinLimitOfEnd } from './standstills.js';

/**
 * The sessions that were ended before their time (TOK-13). A row is committed before the end is answered: before the
 * session store is changed or, if a change of the account is the cause, with that change. It names the session itself,
 * so a sign-in after the end of all sessions is not affected. Sessions that the session store did not show are ended by
 * a row of the owner, which has a name that no session has. Its `ended_at` is the time of the session store (TOK-15).
 */
export const sessionEnds = pgTable(
  'session_ends',
  {
    sessionId: text('session_id').primaryKey(),
    audience: text('audience').notNull(),
    subject: text('subject').notNull(),
    /** The code with which the token is refused. */
    reason: text('reason').notNull(),
    endedAt: timestamp('ended_at', { withTimezone: true }).notNull().defaultNow(),
    /** The expiry of the token. After it the row is not needed. */
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [index().on(table.expiresAt)],
);

/** Each end deletes more expired rows than it inserts, so the table needs no timer. */
const SWEEP_LIMIT = 100;

/**
 * The keys of the advisory locks of ends, lost permissions and changes. A change takes a shared lock last, only for its
 * commit. An end therefore waits for running commits, and every later change sees the end. The first part is the
 * table's own number, so that servers in two schemas don't wait for each other (OPS-11). Two accounts with the same
 * hash wait for each other, which is harmless.
 */
export const accessLocks = {
  /** The lock of an account's sessions. */
  sessionsOf: ({ audience, subject }: SubjectKey): SQL => sessionsLock({ owner: `${audience}:${subject}` }),
  /** The lock of all permissions. It is taken before that of an account, so that no deadlock occurs. */
  permissions: (): SQL => PERMISSIONS_LOCK,
};

const sessionsLock = renderStatement<'owner'>(lockKey(sql`hashtext(${sql.placeholder('owner')})`));
const PERMISSIONS_LOCK = renderStatement(lockKey(sql`0`))({});

function lockKey(own: SQL): SQL {
  return sql`'session_ends'::regclass::oid::int4, ${own}`;
}

/** The name of an owner's own row. No session id begins with `*`. */
const rowOf = ({ audience, subject }: SubjectKey) => `*${audience}:${subject}`;

const insertGiven = renderStatement<'behind' | 'audience' | 'subject' | 'rows' | 'rowOfOwner'>(sql`
  insert into ${sessionEnds} as known (session_id, audience, subject, reason, ended_at, expires_at)
  select "sessionId", ${sql.placeholder('audience')}, ${sql.placeholder('subject')}, reason,
    coalesce(to_timestamp(at::float8 / 1000), now()), to_timestamp("expiresAt"::float8 / 1000)
  from ${sql.placeholder('behind')}, json_to_recordset(${sql.placeholder('rows')}::json)
    as given ("sessionId" text, reason text, at bigint, "expiresAt" bigint)
  on conflict (session_id) do update
    set reason = excluded.reason, ended_at = excluded.ended_at,
      expires_at = greatest(excluded.expires_at, known.expires_at)
    where known.session_id = ${sql.placeholder('rowOfOwner')} and excluded.ended_at > known.ended_at`);

const ONE_ROW = renderStatement(sql`(values (0)) one`)({});

/**
 * The insert of ends, for a transaction that holds the lock of the owner.
 *
 * @param all the latest one of each owner stays
 * @param behind another item of the `from` clause, which is evaluated
 */
export function insertEnds(owner: SubjectKey, ends: readonly SessionEnd[], all?: OwnerEnd, behind: SQL = ONE_ROW) {
  const rows = [...ends, ...(all === undefined ? [] : [{ ...all, sessionId: rowOf(owner) }])];
  const { audience, subject } = owner;
  return insertGiven({ behind, audience, subject, rows: JSON.stringify(rows), rowOfOwner: rowOf(owner) });
}

const millis = (time: SQL) => sql`round(extract(epoch from ${time}) * 1000)::bigint`;
const selectOwnerEnd = renderStatement<'rowOfOwner'>(sql`
  select json_build_object('reason', reason, 'at', ${millis(sql`ended_at`)}, 'expiresAt', ${millis(sql`expires_at`)})
  from ${sessionEnds} where session_id = ${sql.placeholder('rowOfOwner')}`);

/** A query with the end of all of an owner's sessions, as one JSON object or null. */
export function ownerEnd(owner: SubjectKey): SQL {
  return selectOwnerEnd({ rowOfOwner: rowOf(owner) });
}

const selectEnds = renderStatement<'ids'>(sql`
  select session_id as "sessionId", reason from ${sessionEnds}
  where session_id in (select json_array_elements_text(${sql.placeholder('ids')}::json))`);

const selectAll = renderStatement<'end'>(sql`select (${sql.placeholder('end')}) as all`);

const writeEnds = renderStatement<'lock' | 'insert'>(sql`
  with locked as materialized (
    select set_config('lock_timeout', '0', true), pg_advisory_xact_lock(${sql.placeholder('lock')})
  ), swept as (
    delete from ${sessionEnds} where session_id in (
      select session_id from ${sessionEnds} where expires_at < now() - interval '1 hour'
      order by expires_at limit ${sql.raw(String(SWEEP_LIMIT))} for update skip locked
    )
  )
  ${sql.placeholder('insert')}`);
const LOCKED = renderStatement(sql`locked`)({});

export interface SessionEndsOptions {
  /** Whether the sessions are in another store than the ends, and may be lost without them (TOK-15). */
  readonly isApart: boolean;
}

/** The ends in the database. */
export function createSessionEnds(
  database: Pick<Database, 'orm' | 'ending' | 'embedded'>,
  { isApart }: SessionEndsOptions,
): SessionEnds {
  const { orm, ending } = database;

  async function find(sessionIds: readonly string[]): Promise<readonly FoundEnd[]> {
    return withinLimit(rowsOf<FoundEnd>(orm, selectEnds({ ids: JSON.stringify(sessionIds) })));
  }
  async function findAll(owner: SubjectKey): Promise<OwnerEnd | null> {
    const [row] = await withinLimit(rowsOf<{ all: OwnerEnd | null }>(orm, selectAll({ end: ownerEnd(owner) })));
    return row!.all;
  }
  return {
    ...(isApart && { find, findAll }),
    // One statement, and so one transaction and one round trip. It waits for a running commit, but never for longer
    // than a change may idle, so it must not give up before.
    async write(owner, ends, all) {
      await withinLimitOfEnd(
        database,
        ending.execute(
          writeEnds({ lock: accessLocks.sessionsOf(owner), insert: insertEnds(owner, ends, all, LOCKED) }),
        ),
      );
    },
  };
}
