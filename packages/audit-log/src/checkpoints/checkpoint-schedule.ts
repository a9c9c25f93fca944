import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import type { Checkpoint } from '../notes/index.js';
import type { CheckpointDelivery } from './checkpoint-delivery.js';
import type { CheckpointMaker } from './checkpoint-maker.js';

/** The time limit of the last checkpoint when the process stops, in milliseconds. */
const CLOSE_LIMIT_MILLIS = 5000;

export interface CheckpointScheduleOptions {
  readonly make: CheckpointMaker['make'];
  readonly deliveries: readonly CheckpointDelivery[];
  readonly everyRecords: number;
  readonly everySeconds: number;
  readonly onFailure: (error: unknown) => void;
}

export interface CheckpointSchedule {
  /** Reports committed rows. A checkpoint is due after `everySeconds`, or now if `everyRecords` is reached. */
  noteRows(count: number): void;
  /** Makes a checkpoint now, for example to name a loss. */
  makeNow(): void;
  /** Makes the last checkpoint. */
  close(): Promise<void>;
}

/**
 * Makes a checkpoint after `everyRecords` records, and at most `everySeconds` after the first record without one. The
 * first one, `everySeconds` after the start, covers the rows of a process that crashed. An idle log makes no further
 * ones. A failed checkpoint is tried again after `everySeconds`.
 */
export function createCheckpointSchedule(options: CheckpointScheduleOptions): CheckpointSchedule {
  const { deliveries, everyRecords, everySeconds, onFailure } = options;
  let rows = 0;
  let timer: NodeJS.Timeout | null = null;
  let isClosing = false;
  let last: Checkpoint | null = null;
  let making: Promise<void> = Promise.resolve();

  function make(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    rows = 0;
    making = making.then(makeParts).catch((error: unknown) => {
      onFailure(error);
      startTimer();
    });
    return making;
  }

  async function makeParts(): Promise<void> {
    for (;;) {
      const made = await options.make();
      if (made === null) return;
      if (made.checkpoint !== last) for (const delivery of deliveries) delivery.offer(made.checkpoint);
      last = made.checkpoint;
      // The next start continues after the last part.
      if (!made.isPartial || isClosing) return;
    }
  }

  function startTimer(): void {
    // The timer doesn't keep the process alive, because `close` makes the last checkpoint.
    if (!isClosing) timer ??= setTimeout(make, everySeconds * 1000).unref();
  }

  startTimer();
  return {
    noteRows(count) {
      rows += count;
      if (rows >= everyRecords) void make();
      else startTimer();
    },
    makeNow: () => void make(),
    async close() {
      isClosing = true;
      const last = make().then(() => Promise.all(deliveries.map((delivery) => delivery.close())));
      const late = () => new Error(`No last checkpoint within ${CLOSE_LIMIT_MILLIS} ms`);
      await withinDeadline(last, CLOSE_LIMIT_MILLIS, late).catch(onFailure);
    },
  };
}
