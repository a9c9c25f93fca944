import type { PendingRow } from '../../chain/pending-rows.js';

/** Rows that are looked at together. */
const PAGE_ROWS = 200;

/** Ids of rows that can't be chained, of which one warning each is enough. */
const MOST_WARNED = 1000;

export interface PendingSweepOptions {
  /** How long a row waits for its own process, and how often it is looked for. */
  readonly sweepSeconds: number;
  /** The next rows behind an id that have waited that long. */
  readonly read: (page: { behind: string | null; olderThanSeconds: number; limit: number }) => Promise<PendingRow[]>;
  /** Whether a node of this log wrote it. */
  readonly proves: (row: PendingRow) => boolean;
  /** Gives it its place in the chain, and deletes it here, in one commit. */
  readonly chain: (row: PendingRow) => Promise<void>;
  readonly warn: (details: object, message: string) => void;
}

export interface PendingSweep {
  /** Chains what has waited long enough, and resolves to how many there were. One at a time: a second call gets the same. */
  sweep(): Promise<number>;
  /** Stops looking, and resolves when the sweep under way has ended. */
  close(): Promise<void>;
}

/**
 * Chains what was committed with a change and not chained by its own process, which crashed, was stopped, or is slow. Any
 * number of nodes may do so at once, and the slow process, too: an id has one place in the chain.
 *
 * A row that proves nothing stays, for somebody to look at, and holds up none behind it.
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
    for (let behind: string | null = null; !isClosed; ) {
      const rows = await read({ behind, olderThanSeconds: sweepSeconds, limit: PAGE_ROWS });
      const genuine = rows.filter(isGenuine);
      const outcomes = await Promise.allSettled(genuine.map(chain));
      chained += outcomes.filter(({ status }) => status === 'fulfilled').length;
      // Where none could be chained, neither can those behind them: the next sweep tries again.
      const failure = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failure === undefined) isFailing = false;
      else warnOfFailure(failure.reason);
      if (failure !== undefined && outcomes.every(({ status }) => status === 'rejected')) return chained;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) return chained;
      behind = last.id;
    }
    return chained;
  }

  function isGenuine(row: PendingRow): boolean {
    if (proves(row)) return true;
    if (!warned.has(row.id) && warned.size < MOST_WARNED) {
      warned.add(row.id);
      const { id, keyId } = row;
      warn({ id, keyId }, 'A pending audit record is not genuine, or its key is not given: it is not chained');
    }
    return false;
  }

  /** Once, until it goes well again. */
  function warnOfFailure(err: unknown): void {
    if (isFailing) return;
    isFailing = true;
    warn({ err }, 'Pending audit records could not be chained, and are tried again');
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
