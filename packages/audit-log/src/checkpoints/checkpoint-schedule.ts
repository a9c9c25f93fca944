import type { AuditChain, ChainHead, Checkpoint } from '../chain/index.js';

/** Stores a checkpoint in a second place that database users can't write to. */
export type CheckpointWriter = (checkpoint: Checkpoint) => void | Promise<void>;

/** The committed end of the chain. */
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
  /** Rows were committed: a checkpoint is due after `everySeconds`, or now where `everyRecords` is reached. */
  noteRows(count: number): void;
  /** Makes the last checkpoint. */
  close(): Promise<void>;
}

/**
 * Makes a checkpoint after `everyRecords` records, and at most `everySeconds` after the first record without one. An
 * idle log makes none. A checkpoint that can't be written is tried again after `everySeconds`.
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
    // The timer doesn't keep the process alive: `close` makes the last checkpoint.
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
