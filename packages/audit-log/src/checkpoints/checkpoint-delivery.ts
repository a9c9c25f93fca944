import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { option } from '@sallyport/plugin-kit/options';
import type { Checkpoint } from '../notes/index.js';

/**
 * Stores a checkpoint in a place to which database users can't write. It resolves when the checkpoint is safe there.
 */
export interface CheckpointWriter {
  (checkpoint: Checkpoint): void | Promise<void>;
  /** The name of the place in messages. */
  readonly destination?: string;
}

/** The rule of an option that takes the places of checkpoints. */
export const writersRule = option<CheckpointWriter | readonly CheckpointWriter[]>({
  meaning: 'a function that takes a checkpoint, such as createFileCheckpoint(path), or a list of such functions',
  accepts: (value) => {
    const writers = [value].flat();
    return writers.length > 0 && writers.every((one) => typeof one === 'function');
  },
});

/** The time limit of an attempt, in milliseconds. After that, the place is tried again. */
const ATTEMPT_LIMIT_MILLIS = 15_000;

const FIRST_PAUSE_MILLIS = 1000;
const MAX_PAUSE_MILLIS = 30_000;

export interface CheckpointDelivery {
  /** Delivers the checkpoint. It replaces a waiting one, because a later one covers the same rows. */
  offer(checkpoint: Checkpoint): void;
  /** Tries once more, stops the timer, and resolves when everything has ended. */
  close(): Promise<void>;
}

/** Delivers to one place. A failure is reported each time, and the newest checkpoint is tried again. */
export function createCheckpointDelivery(
  write: CheckpointWriter,
  onFailure: (error: unknown) => void,
): CheckpointDelivery {
  let waiting: Checkpoint | null = null;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let pause = FIRST_PAUSE_MILLIS;
  let isClosed = false;

  function run(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    running ??= deliver().finally(() => {
      running = null;
    });
  }

  async function deliver(): Promise<void> {
    while (waiting !== null) {
      const checkpoint: Checkpoint = waiting;
      try {
        await withinDeadline(
          (async () => write(checkpoint))(),
          ATTEMPT_LIMIT_MILLIS,
          () => new Error(`No answer within ${ATTEMPT_LIMIT_MILLIS} ms`),
        );
        if (waiting === checkpoint) waiting = null;
        pause = FIRST_PAUSE_MILLIS;
      } catch (error) {
        onFailure(error);
        if (!isClosed) timer = setTimeout(run, pause).unref();
        pause = Math.min(2 * pause, MAX_PAUSE_MILLIS);
        return;
      }
    }
  }

  return {
    offer(checkpoint) {
      waiting = checkpoint;
      // While the place is unavailable, the timer decides when it is tried.
      if (timer === null) run();
    },
    async close() {
      isClosed = true;
      await running;
      run();
      await running;
    },
  };
}
