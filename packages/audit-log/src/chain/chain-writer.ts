import { eq, inArray, sql } from 'drizzle-orm/sql';
import { type AuditChain, CHAIN_START, type ChainHead, type RecordColumns } from './chain.js';
import { chainName, createHead, jsonParameter, readLastRow, rowsOf } from './chain-rows.js';
import { kindOfFailure } from './database-failure.js';
import { deletePending } from './pending-rows.js';
import type { AuditDatabase, AuditTables } from './postgres-table.js';

/** How the attempt to write is meant. */
export interface WriteAttempt {
  /** An earlier attempt may have been committed: look which ids are there. */
  readonly mayExist: boolean;
  /** Nobody waits for it any more: what hasn't been sent must not be. */
  readonly signal: AbortSignal;
}

/** A record to be chained. */
export interface UnchainedRow extends RecordColumns {
  /** It may wait among the pending ones, and has to go there in the same commit. */
  readonly isPending: boolean;
}

export interface ChainWriter {
  /** The last row that this process knows to be committed. */
  readonly head: ChainHead | null;
  /** Commits the rows behind the head of the chain; those whose id is there already stay as they are. */
  write(rows: readonly UnchainedRow[], attempt: WriteAttempt): Promise<void>;
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
export function createChainWriter({
  database,
  chain,
  table,
  heads,
  pending,
  onMismatch,
}: ChainWriterOptions): ChainWriter {
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
    head: ChainHead,
    stored: ChainHead,
    rows: readonly UnchainedRow[],
  ): Promise<{ readonly end: ChainHead } | { readonly actual: ChainHead | null }> {
    let end = head;
    const linked = rows.map(({ isPending: _not, ...row }) => {
      const link = chain.link(end, row);
      end = { sequence: link.sequence, mac: link.mac };
      return { ...row, ...link };
    });
    const waited = rows.filter(({ isPending }) => isPending).map(({ id }) => id);
    const settled = sql`, settled as (
        delete from ${pending} where exists (select from expected)
          and "id" = any(array(select "value"::uuid from json_array_elements_text(${jsonParameter(waited)})))
      )`;
    const result = await database.execute(sql`
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
      )${waited.length > 0 ? settled : sql``}
      select "sequence"::text, "mac", exists (select from expected) as "done" from held
    `);
    const [row] = rowsOf<{ readonly sequence: string; readonly mac: string; readonly done: boolean }>(result);
    if (row?.done === true) return { end };
    return { actual: row === undefined ? null : { sequence: Number(row.sequence), mac: row.mac } };
  }

  /** Waits for whoever moves the head, and creates it for the first row of a new chain. */
  async function lockHead(): Promise<LockedHead> {
    const [row] = await database
      .select({ sequence: heads.sequence, mac: heads.mac, cut: heads.cut })
      .from(heads)
      .where(eq(heads.chain, name))
      .for('update');
    if (row !== undefined) return { sequence: row.sequence, mac: row.mac, cutSequence: row.cut?.sequence ?? 0 };
    await createHead(database, heads, name);
    return lockHead();
  }

  /**
   * The row that the next one follows: the head, unless the table or this process knows a later one. A head that was set
   * back is so mended, and rows that were taken off the end leave a gap, which is seen for ever.
   */
  async function latest(stored: LockedHead): Promise<ChainHead> {
    const row = await readLastRow(database, table);
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

  /** The rows whose id isn't there yet. Of the others none may wait any more. */
  async function withoutExisting(rows: readonly UnchainedRow[]): Promise<readonly UnchainedRow[]> {
    const ids = rows.map(({ id }) => id);
    const existing = await database.select({ id: table.id }).from(table).where(inArray(table.id, ids));
    const found = new Set(existing.map(({ id }) => id));
    const waited = rows.filter(({ id, isPending }) => isPending && found.has(id));
    if (waited.length > 0)
      await deletePending(
        database,
        pending,
        waited.map(({ id }) => id),
      );
    return rows.filter(({ id }) => !found.has(id));
  }

  async function writeOnce(rows: readonly UnchainedRow[], { mayExist, signal }: WriteAttempt): Promise<void> {
    let stored = mayExist ? null : known;
    for (;;) {
      signal.throwIfAborted();
      let head = stored;
      let missing = rows;
      if (stored === null || head === null) {
        const locked = await lockHead();
        signal.throwIfAborted();
        stored = locked;
        head = isPlausible(locked) && !mayExist ? locked : await latest(locked);
        if (mayExist) missing = await withoutExisting(rows);
        if (missing.length === 0) return;
        signal.throwIfAborted();
      }
      const result = await insertBehind(head, stored, missing);
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
  };
}

/** Two ends of equal length that aren't the same. */
function isOther(one: ChainHead, other: ChainHead): boolean {
  return one.sequence === other.sequence && one.mac !== other.mac;
}

function isSame(one: ChainHead, other: ChainHead): boolean {
  return one.sequence === other.sequence && one.mac === other.mac;
}
