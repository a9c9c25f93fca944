import type { PendingRow } from '../../chain/index.js';

/** Rows that are read together. */
const PAGE_ROWS = 200;

/** Rows that can't be chained cause one warning each, and no more than this. */
const MAX_WARNED = 1000;

export interface PendingSweepOptions {
  /** How long a row waits for its own process, and the interval of the sweeps. */
  readonly sweepSeconds: number;
  /** The next rows after an id that have waited that long. */
  readonly read: (page: { after: string | null; olderThanSeconds: number; limit: number }) => Promise<PendingRow[]>;
  /** Whether a node of this log wrote it. */
  readonly proves: (row: PendingRow) => boolean;
  /** Appends it to the chain and deletes it from the pending table, in one commit. */
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
 * Chains records that were committed with a change and not chained by their own process, since it crashed, stopped or
 * is slow. Any number of nodes may do so at once, together with the slow process: an id enters the chain once.
 *
 * A row whose seal is not genuine stays in the table for an investigation, and doesn't block other rows.
 */
export function createPendingSweep({ sweepSeconds, read, proves, chain, warn }: PendingSweepOptions): PendingSweep {
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
      const genuine = rows.filter(isGenuine);
      const outcomes = await Promise.allSettled(genuine.map(chain));
      chained += outcomes.filter(({ status }) => status === 'fulfilled').length;
      // Where no row could be chained, the following ones can't be either: the next sweep tries again.
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
    if (!warned.has(row.id) && warned.size < MAX_WARNED) {
      warned.add(row.id);
      const { id, keyId } = row;
      warn({ id, keyId }, 'A pending audit record is not genuine, or its key is unknown: it is not chained');
    }
    return false;
  }

  /** One warning until a sweep succeeds again. */
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
