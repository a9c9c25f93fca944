import type { AuditChain, ChainHead } from '../chain/chain.js';
import type { Checkpoint } from '../chain/checkpoint.js';

/** Where a checkpoint goes: a second place that those who write to the database can't write to. */
export type CheckpointWriter = (checkpoint: Checkpoint) => void | Promise<void>;

/** The end of the chain as it is committed. */
export interface ChainEnd extends ChainHead {
  /** The last row that retention deleted; 0 where it deleted none. */
  readonly cutSequence: number;
}

export interface CheckpointScheduleOptions {
  readonly chain: AuditChain;
  readonly write: CheckpointWriter;
  readonly everyRecords: number;
  readonly everySeconds: number;
  readonly now: () => number;
  /** Resolves to null while there is no chain. */
  readonly readEnd: () => Promise<ChainEnd | null>;
  readonly onFailure: (error: unknown) => void;
}

export interface CheckpointSchedule {
  /** Rows were committed, or will be: a checkpoint is due in time, or at once when there are enough of them. */
  noteRows(count: number): void;
  /** Makes the last checkpoint. */
  close(): Promise<void>;
}

/**
 * Makes a checkpoint every so many records, and so many seconds after the first record that has none. A log in which
 * nothing happens makes none. Where it can't be written it is tried again after the same time.
 */
export function createCheckpointSchedule(options: CheckpointScheduleOptions): CheckpointSchedule {
  const { chain, write, everyRecords, everySeconds, now, readEnd, onFailure } = options;
  let rows = 0;
  let timer: NodeJS.Timeout | null = null;
  let lastSequence = -1;
  let making: Promise<void> = Promise.resolve();

  function make(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    rows = 0;
    making = making.then(makeNow).catch((error: unknown) => {
      onFailure(error);
      startTimer();
    });
    return making;
  }

  async function makeNow(): Promise<void> {
    const end = await readEnd();
    if (end === null || end.sequence === lastSequence) return;
    await write(
      chain.sign({
        kind: 'progress',
        sequence: end.sequence,
        mac: end.mac,
        count: Math.max(0, end.sequence - end.cutSequence),
        at: new Date(now()).toISOString(),
      }),
    );
    lastSequence = end.sequence;
  }

  function startTimer(): void {
    // A process that has nothing else to do may end: `close` makes the last checkpoint.
    timer ??= setTimeout(make, everySeconds * 1000).unref();
  }

  return {
    noteRows(count) {
      rows += count;
      if (rows >= everyRecords) void make();
      else startTimer();
    },
    async close() {
      await make();
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
