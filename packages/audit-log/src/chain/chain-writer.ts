import { eq, inArray } from 'drizzle-orm/sql';
import type { RecordColumns } from '../records/index.js';
import type { Acknowledgements } from './acknowledged-rows.js';
import type { DrizzleDatabase } from './audit-database.js';
import { type AuditChain, CHAIN_START, type ChainHead, chainedColumns } from './chain.js';
import { chainName, createHead, readLastRow, rowsOf } from './chain-rows.js';
import { prepareChainStatement } from './chain-statement.js';
import { kindOfFailure } from './database-failure.js';
import { deletePending } from './pending-rows.js';
import type { AuditTables } from './postgres-table.js';

export interface WriteAttempt {
  /** An earlier attempt may have been committed, so the existing ids have to be looked up. */
  readonly mayExist: boolean;
  /** Aborted when every caller has given up. Statements that were not sent yet must then not be sent. */
  readonly signal: AbortSignal;
}

/** A record to be chained. */
export interface UnchainedRow extends RecordColumns {
  /** Whether the record may be in the pending table. The same commit deletes it there. */
  readonly isPending: boolean;
  /** The id of a begun record that it completes. The same commit also deletes that record from the pending table. */
  readonly completes?: string | null;
}

export interface ChainWriter {
  /** The last row that this process knows to be committed. */
  readonly head: ChainHead | null;
  /** Commits the rows to the end of the chain. Rows with an existing id stay unchanged. */
  write(rows: readonly UnchainedRow[], attempt: WriteAttempt): Promise<void>;
  /** Continues after the end of the table, because an operator accepted that the database lost the head. */
  forgetHead(): void;
}

export interface ChainWriterOptions extends Required<Pick<AuditTables, 'table' | 'heads' | 'pending'>> {
  readonly database: DrizzleDatabase;
  readonly chain: AuditChain;
  /** Called when the table and its head contradict each other, or contradict the commits that this process knows. */
  readonly onMismatch: (expected: ChainHead, found: ChainHead) => void;
  /** Called with the rows of each commit. */
  readonly acknowledgements: Pick<Acknowledgements, 'add'>;
  /**
   * Called when the database may have lost committed rows, because it has another head, which need not follow the known
   * one. Also called before the first commit.
   */
  readonly onDoubt: () => void;
}

interface StatementResult {
  readonly sequence: string;
  readonly mac: string;
  readonly done: boolean;
  readonly kept: boolean;
}

/** The stored head, and the cut of the log by retention. */
interface LockedHead extends ChainHead {
  readonly cutSequence: number;
}

/**
 * Writes one chain from any number of processes. The head of the chain is one row. Every append moves it in the same
 * commit, so all rows have one order, and a row exists if and only if the head has passed it.
 *
 * 1. A process remembers the head. One statement locks the head and, if it is the remembered one, moves it and inserts
 *    the batch. The statement is its own transaction: one round trip, and no lock outlives it.
 * 2. If another process has moved the head, the statement waits for that commit, changes nothing, and returns the new
 *    head. The batch is chained again after it (some microseconds per row) and sent again. Processes that write at the
 *    same time take turns, and each turn contains everything that arrived since the last one.
 * 3. After an interrupted attempt its outcome is unknown. When the head can be locked, every earlier attempt is
 *    decided, and a new statement looks up the existing ids. An attempt that is committed even later moves the head, so
 *    that the statement of step 1 changes nothing.
 *
 * No transaction spans several round trips: a process that stops or a connection that breaks leaves no lock.
 */
export function createChainWriter({
  database,
  chain,
  table,
  heads,
  pending,
  onMismatch,
  acknowledgements,
  onDoubt,
}: ChainWriterOptions): ChainWriter {
  const name = chainName(table);
  const moveAndInsert = prepareChainStatement({ table, heads, pending }, name);
  let known: ChainHead | null = null;

  function remember(head: ChainHead, rows: number): void {
    if (rows > 0) acknowledgements.add({ from: head.sequence - rows + 1, ...head });
    // An attempt that timed out may end after a later one.
    if (known === null || head.sequence > known.sequence) known = head;
  }

  /**
   * Chains the rows after `head`. One statement moves the stored head from `stored` to their end and inserts them.
   * Resolves to their end. If the stored head is not `stored`, it changes nothing and resolves to the actual head.
   */
  async function insertAfter(
    head: ChainHead,
    stored: ChainHead,
    rows: readonly UnchainedRow[],
  ): Promise<{ readonly end: ChainHead } | { readonly actual: ChainHead | null }> {
    let end = head;
    const linked = rows.map((row) => {
      const link = chain.link(end, row);
      end = { sequence: link.sequence, mac: link.mac };
      return chainedColumns(row, link);
    });
    const waited = rows.flatMap(pendingIdsOf);
    const result = await database.execute(moveAndInsert({ stored, end, rows: linked, waited }));
    const [row] = rowsOf<StatementResult>(result);
    if (row?.done === true) return { end };
    if (row?.kept === false && stored.sequence > 0) onDoubt();
    return { actual: row === undefined ? null : { sequence: Number(row.sequence), mac: row.mac } };
  }

  /** Waits until the head is not being moved. Creates it for the first row of a new chain. */
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
   * The row after which the next one is written: the head, unless the table or this process knows a later row. This
   * repairs a head that was set back. Rows that were deleted at the end leave a permanent gap in the sequence.
   */
  async function latest(stored: LockedHead): Promise<ChainHead> {
    const row = await readLastRow(database, table);
    const last = row ?? (stored.cutSequence === stored.sequence ? stored : CHAIN_START);
    let end: ChainHead = stored;
    if (last.sequence > end.sequence || (row !== null && isOther(row, end) && chain.proves(row))) end = last;
    // If the database lost the known row and another node has written one in its place, the next one follows that row.
    const isReplaced = row !== null && isSame(row, end) && chain.proves(row);
    if (known !== null && (known.sequence > end.sequence || (isOther(known, end) && !isReplaced))) {
      end = known;
    } else if (known !== null && isOther(known, end)) {
      onMismatch(known, end);
    }
    if (!isSame(end, stored)) onMismatch(end, stored);
    else if (last.sequence < end.sequence) onMismatch(end, last);
    return { sequence: end.sequence, mac: end.mac };
  }

  /** Whether the stored head can be a successor of the remembered one. */
  function isPlausible(stored: ChainHead): boolean {
    return known !== null && (stored.sequence > known.sequence || isSame(stored, known));
  }

  /** The rows without an existing id. Deletes the others from the pending table. */
  async function withoutExisting(rows: readonly UnchainedRow[]): Promise<readonly UnchainedRow[]> {
    const ids = rows.map(({ id }) => id);
    const existing = await database.select({ id: table.id }).from(table).where(inArray(table.id, ids));
    const found = new Set(existing.map(({ id }) => id));
    const waited = rows.filter(({ id }) => found.has(id)).flatMap(pendingIdsOf);
    if (waited.length > 0) await deletePending(database, pending, waited);
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
        // After an interruption the database may be another one. The first query identifies it.
        if (known === null || !isSame(known, locked)) onDoubt();
        stored = locked;
        head = isPlausible(locked) && !mayExist ? locked : await latest(locked);
        if (mayExist) missing = await withoutExisting(rows);
        if (missing.length === 0) return;
        signal.throwIfAborted();
      }
      const result = await insertAfter(head, stored, missing);
      if ('end' in result) return remember(result.end, missing.length);
      // Continue after the head of another process; examine any other head under the lock.
      stored = result.actual !== null && isPlausible(result.actual) && !mayExist ? result.actual : null;
    }
  }

  return {
    get head() {
      return known;
    },
    forgetHead() {
      known = null;
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

/** The rows of the pending table that a chained row replaces. */
function pendingIdsOf({ id, isPending, completes = null }: UnchainedRow): string[] {
  return [...(isPending ? [id] : []), ...(completes === null ? [] : [completes])];
}

/** Two different ends of the same length. */
function isOther(one: ChainHead, other: ChainHead): boolean {
  return one.sequence === other.sequence && one.mac !== other.mac;
}

function isSame(one: ChainHead, other: ChainHead): boolean {
  return one.sequence === other.sequence && one.mac === other.mac;
}
