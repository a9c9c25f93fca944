import { openPending, type PendingRow } from '../../chain/index.js';

/** The number of rows that are read together. */
const PAGE_ROWS = 200;

/** Each row that can't be chained causes one warning, up to this number. */
const MAX_WARNED = 1000;

export interface PendingSweepOptions {
  /** The time that a row waits for its own process, and the interval of the sweeps. */
  readonly sweepSeconds: number;
  /** The next rows after an id that have waited that long. */
  readonly read: (page: { after: string | null; olderThanSeconds: number; limit: number }) => Promise<PendingRow[]>;
  /** Whether a node of this log wrote it. */
  readonly proves: (row: PendingRow) => boolean;
  /**
   * Resolves to the time before which retention deleted the records, in the form of their column. Null if it deleted
   * none.
   */
  readonly deletedBefore: () => Promise<string | null>;
  /** Appends the row to the chain and deletes it from the pending table, in one commit. */
  readonly chain: (row: PendingRow) => Promise<void>;
  readonly warn: (details: object, message: string) => void;
}

export interface PendingSweep {
  /** Chains every row that has waited long enough. Resolves to their number. Concurrent calls share one sweep. */
  sweep(): Promise<number>;
  /** Stops the timer, and resolves when the running sweep has ended. */
  close(): Promise<void>;
}

/**
 * Chains records that were committed with a change but not chained by their own process, because it crashed, stopped or
 * is slow. Any number of nodes may do so at once, together with the slow process, because an id enters the chain once.
 *
 * A row whose seal is not genuine stays in the table for an investigation, and doesn't block other rows. The same
 * applies to a genuine row from a time whose records retention has deleted: someone put it back, and its record would
 * be in the log again.
 */
export function createPendingSweep(options: PendingSweepOptions): PendingSweep {
  const { sweepSeconds, read, proves, deletedBefore, chain, warn } = options;
  const warned = new Set<string>();
  let isFailing = false;
  let isClosed = false;
  let running: Promise<number> | null = null;
  const timer = setInterval(() => void sweep().catch(warnOfFailure), sweepSeconds * 1000).unref();

  function sweep(): Promise<number> {
    running ??= sweepPages().finally(() => {
      running = null;
    });
    return running;
  }

  async function sweepPages(): Promise<number> {
    let chained = 0;
    for (let after: string | null = null; !isClosed; ) {
      const rows = await read({ after, olderThanSeconds: sweepSeconds, limit: PAGE_ROWS });
      const before = rows.length === 0 ? null : await deletedBefore();
      const genuine = rows.filter((row) => isGenuine(row) && !wasDeleted(row, before));
      const outcomes = await Promise.allSettled(genuine.map(chain));
      chained += outcomes.filter(({ status }) => status === 'fulfilled').length;
      // If no row could be chained, the following ones can't be chained either. The next sweep tries again.
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure === undefined) isFailing = false;
      else warnOfFailure(failure.reason);
      if (failure !== undefined && outcomes.every(({ status }) => status === 'rejected')) return chained;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) return chained;
      after = last.id;
    }
    return chained;
  }

  function isGenuine(row: PendingRow): boolean {
    if (proves(row)) return true;
    warnOf(row, 'A pending audit record is not genuine, or its key is unknown: it is not chained');
    return false;
  }

  function wasDeleted(row: PendingRow, before: string | null): boolean {
    // Both times have the same form, in UTC with six digits, so their texts have the order of time.
    if (before === null || openPending(row).occurredAt >= before) return false;
    warnOf(row, 'A pending audit record is from a time whose records retention has deleted: it is not chained');
    return true;
  }

  function warnOf({ id, keyId }: PendingRow, message: string): void {
    if (warned.has(id) || warned.size >= MAX_WARNED) return;
    warned.add(id);
    warn({ id, keyId }, message);
  }

  /** Only one warning is logged until a sweep succeeds again. */
  function warnOfFailure(err: unknown): void {
    if (isFailing) return;
    isFailing = true;
    warn({ err }, 'Pending audit records could not be chained: the next sweep tries again');
  }

  return {
    sweep,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running?.catch(() => {});
    },
  };
}
