import { eq, inArray, sql } from 'drizzle-orm/sql';
import { type AuditChain, CHAIN_START, type ChainHead, type RecordColumns } from './chain.js';
import { chainName, createHead, jsonParameter, readLastRow, rowsOf } from './chain-rows.js';
import { kindOfFailure } from './database-failure.js';
import type { AuditDatabase, AuditQueries, AuditTables } from './postgres-table.js';

/** Ends a transaction of the application that holds the head and says nothing any more, as of a process that was stopped. */
const IDLE_LIMIT_MILLIS = 5000;

/** How the attempt to write is meant. */
export interface WriteAttempt {
  /** An earlier attempt may have been committed: look which ids are there. */
  readonly mayExist: boolean;
  /** Nobody waits for it any more: what hasn't been sent must not be. */
  readonly signal: AbortSignal;
}

export interface ChainWriter {
  /** The last row that this process knows to be committed. */
  readonly head: ChainHead | null;
  /** Commits the rows behind the head of the chain; those whose id is there already stay as they are. */
  write(rows: readonly RecordColumns[], attempt: WriteAttempt): Promise<void>;
  /** Puts the rows behind the head within a transaction of the caller's, which decides on them. */
  writeWithin(transaction: AuditQueries, rows: readonly RecordColumns[]): Promise<void>;
}

export interface ChainWriterOptions extends Required<AuditTables> {
  readonly database: AuditDatabase;
  readonly chain: AuditChain;
  /** The table and its head disagree with each other, or with what this process knows was committed. */
  readonly onMismatch: (expected: ChainHead, found: ChainHead) => void;
}

/** The head as it is stored, and where retention cut. */
interface LockedHead extends ChainHead {
  readonly cutSequence: number;
}

/**
 * Writes one chain from any number of processes. The chain's head is one row; whoever appends moves it in the same
 * commit, so there is one order of all rows, and a row is there if and only if the head has passed it.
 *
 * 1. A process remembers the head. One statement locks the head, and if it is the remembered one, moves it and inserts
 *    the batch; it is a commit of its own: one round trip, and no lock outlives the statement.
 * 2. If another process has moved the head, the statement waited for that one's commit, does nothing, and yields the new
 *    head. The batch is chained anew behind it (some microseconds a row) and sent again. So processes that write at the
 *    same time take turns, each turn with all that came meanwhile: there are fewer commits than batches tried, but each
 *    takes more rows.
 * 3. After an interrupted attempt nothing is taken for granted: once the head could be locked, whatever was under way is
 *    decided; a new statement looks which of the ids are there. Should an attempt that was thought dead be committed
 *    after that, it moves the head, and the statement of 1 does nothing.
 *
 * No transaction is held over several round trips: a process that stops, or a connection that breaks, leaves no lock.
 */
export function createChainWriter({ database, chain, table, heads, onMismatch }: ChainWriterOptions): ChainWriter {
  const name = chainName(table);
  let known: ChainHead | null = null;

  function remember(head: ChainHead): void {
    // An attempt that nobody waited for may end after a later one.
    if (known === null || head.sequence > known.sequence) known = head;
  }

  /**
   * Chains the rows behind `head`, and in one statement moves the stored head from `stored` to their end and inserts
   * them. Resolves to their end; or, where the stored head is another one, to that, and nothing is done.
   */
  async function insertBehind(
    queries: AuditQueries,
    head: ChainHead,
    stored: ChainHead,
    rows: readonly RecordColumns[],
  ): Promise<{ readonly end: ChainHead } | { readonly actual: ChainHead | null }> {
    let end = head;
    const linked = rows.map((row) => {
      const link = chain.link(end, row);
      end = { sequence: link.sequence, mac: link.mac };
      return { ...row, ...link };
    });
    const result = await queries.execute(sql`
      with held as materialized (
        select "sequence", "mac" from ${heads} where "chain" = ${name} for update
      ), expected as materialized (
        select 1 from held where "sequence" = ${stored.sequence}::bigint and "mac" = ${stored.mac}
      ), moved as (
        update ${heads} set "sequence" = ${end.sequence}::bigint, "mac" = ${end.mac}
        where "chain" = ${name} and exists (select from expected)
      ), written as (
        insert into ${table} (
          "sequence", "id", "occurred_at", "actor", "action", "target", "outcome", "reason", "duration_millis",
          "parameters", "client_ip", "extra", "previous", "mac", "key_id"
        )
        select
          "sequence", "id", "occurredAt", "actor", "action", "target", "outcome", "reason", "durationMillis",
          "parameters"::jsonb, "clientIp", "extra"::jsonb, "previous", "mac", "keyId"
        from json_to_recordset(${jsonParameter(linked)}) as given (
          "sequence" bigint, "id" uuid, "occurredAt" timestamptz, "actor" text, "action" text, "target" text,
          "outcome" text, "reason" text, "durationMillis" double precision, "parameters" text, "clientIp" text,
          "extra" text, "previous" text, "mac" text, "keyId" text
        )
        where exists (select from expected)
      )
      select "sequence"::text, "mac", exists (select from expected) as "done" from held
    `);
    const [row] = rowsOf<{ readonly sequence: string; readonly mac: string; readonly done: boolean }>(result);
    if (row?.done === true) return { end };
    return { actual: row === undefined ? null : { sequence: Number(row.sequence), mac: row.mac } };
  }

  /** Waits for whoever moves the head, and creates it for the first row of a new chain. */
  async function lockHead(
    queries: AuditQueries,
    more: { idleLimit?: ReturnType<typeof sql> } = {},
  ): Promise<LockedHead> {
    const [row] = await queries
      .select({ sequence: heads.sequence, mac: heads.mac, cut: heads.cut, ...more })
      .from(heads)
      .where(eq(heads.chain, name))
      .for('update');
    if (row !== undefined) return { sequence: row.sequence, mac: row.mac, cutSequence: row.cut?.sequence ?? 0 };
    await createHead(queries, heads, name);
    return lockHead(queries, more);
  }

  /**
   * The row that the next one follows: the head, unless the table or this process knows a later one. A head that was set
   * back is so mended, and rows that were taken off the end leave a gap, which is seen for ever.
   */
  async function latest(queries: AuditQueries, stored: LockedHead): Promise<ChainHead> {
    const row = await readLastRow(queries, table);
    const last = row ?? (stored.cutSequence === stored.sequence ? stored : CHAIN_START);
    let end: ChainHead = stored;
    if (last.sequence > end.sequence || (row !== null && isOther(row, end) && chain.proves(row))) end = last;
    if (known !== null && (known.sequence > end.sequence || isOther(known, end))) end = known;
    if (!isSame(end, stored)) onMismatch(end, stored);
    else if (last.sequence < end.sequence) onMismatch(end, last);
    return { sequence: end.sequence, mac: end.mac };
  }

  /** Whether the stored head can have come from the one that this process remembers. */
  function isPlausible(stored: ChainHead): boolean {
    return known !== null && (stored.sequence > known.sequence || isSame(stored, known));
  }

  async function withoutExisting(
    queries: AuditQueries,
    rows: readonly RecordColumns[],
  ): Promise<readonly RecordColumns[]> {
    const ids = rows.map(({ id }) => id);
    const existing = await queries.select({ id: table.id }).from(table).where(inArray(table.id, ids));
    const found = new Set(existing.map(({ id }) => id));
    return rows.filter(({ id }) => !found.has(id));
  }

  async function writeOnce(rows: readonly RecordColumns[], { mayExist, signal }: WriteAttempt): Promise<void> {
    let stored = mayExist ? null : known;
    for (;;) {
      signal.throwIfAborted();
      let head = stored;
      let missing = rows;
      if (stored === null || head === null) {
        const locked = await lockHead(database);
        signal.throwIfAborted();
        stored = locked;
        head = isPlausible(locked) && !mayExist ? locked : await latest(database, locked);
        if (mayExist) missing = await withoutExisting(database, rows);
        if (missing.length === 0) return;
        signal.throwIfAborted();
      }
      const result = await insertBehind(database, head, stored, missing);
      if ('end' in result) return remember(result.end);
      // What another process made of the head is where to go on; anything else is looked at under the lock.
      stored = result.actual !== null && isPlausible(result.actual) && !mayExist ? result.actual : null;
    }
  }

  return {
    get head() {
      return known;
    },
    async write(rows, attempt) {
      const unique = [...new Map(rows.map((row) => [row.id, row])).values()];
      try {
        await writeOnce(unique, attempt);
      } catch (error) {
        if (attempt.mayExist || kindOfFailure(error) !== 'duplicate') throw error;
        await writeOnce(unique, { ...attempt, mayExist: true });
      }
    },
    async writeWithin(transaction, rows) {
      const limit = sql`set_config('idle_in_transaction_session_timeout', ${String(IDLE_LIMIT_MILLIS)}, true)`;
      const stored = await lockHead(transaction, { idleLimit: limit });
      const head = isPlausible(stored) ? stored : await latest(transaction, stored);
      const result = await insertBehind(transaction, head, stored, rows);
      if (!('end' in result)) throw new Error('The head of the audit chain moved although it was locked');
    },
  };
}

/** Two ends of equal length that aren't the same. */
function isOther(one: ChainHead, other: ChainHead): boolean {
  return one.sequence === other.sequence && one.mac !== other.mac;
}

function isSame(one: ChainHead, other: ChainHead): boolean {
  return one.sequence === other.sequence && one.mac === other.mac;
}
