import { startDeadline } from '@sallyport/deadline';
import { Piscina } from 'piscina';
import type { HashingTask } from './hashing-task.js';

/** Options of {@link startHashingWorkers}. */
export interface HashingWorkersOptions {
  readonly threads: number;
  /** How long a task may run, in milliseconds, without the start of its thread. */
  readonly maxTaskMillis: number;
  /** Called if a thread is lost that runs no task. */
  readonly onLost: (cause: unknown) => void;
}

/** Threads that hash. Give them no more tasks at a time than there are threads. */
export interface HashingWorkers {
  /**
   * The hash, or whether the password matches.
   *
   * @throws {TaskEndedError} if the task ran too long: its thread was ended and is replaced
   * @throws {Error} if no thread starts, the thread is lost, or the workers are closed
   */
  run(task: HashingTask): Promise<string | boolean>;
  /** Ends the threads. Their tasks reject. */
  close(): Promise<void>;
}

/** A task ran longer than its bound, and was ended. Internal: callers of the package don't see it. */
export class TaskEndedError extends Error {
  override readonly name = 'TaskEndedError';
}

/** The niceness of the worker threads, where the system supports it. The event loop has priority for a core (PRF-6). */
const NICE_INCREMENT = 10;

/** Lifetime of an idle thread, in milliseconds. One thread always stays. */
const IDLE_MILLIS = 60_000;

/** A thread takes a tenth of a second to start. On a machine on which it takes this long, nothing works. */
const MAX_START_MILLIS = 10_000;

export function startHashingWorkers({ threads, maxTaskMillis, onLost }: HashingWorkersOptions): HashingWorkers {
  const pool = new Piscina<object, string | boolean>({
    filename: new URL('bcrypt-worker.js', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_MILLIS,
    niceIncrement: NICE_INCREMENT,
    recordTiming: false,
  });
  /** What to do when a task begins, by its number. */
  const begins = new Map<number, () => void>();
  pool.on('message', ({ begun }: { readonly begun: number }) => begins.get(begun)?.());
  pool.on('error', onLost);
  let tasks = 0;

  return {
    async run(task) {
      const number = ++tasks;
      const ending = new AbortController();
      let reason = new Error(`no thread started within ${MAX_START_MILLIS} ms`);
      let cancelDeadline = startDeadline(MAX_START_MILLIS, () => ending.abort());
      begins.set(number, function limitTime() {
        cancelDeadline();
        reason = new TaskEndedError(`the task was ended after ${maxTaskMillis} ms`);
        cancelDeadline = startDeadline(maxTaskMillis, () => ending.abort());
      });
      try {
        return await pool.run({ number, task }, { signal: ending.signal });
      } catch (error) {
        throw ending.signal.aborted ? reason : error;
      } finally {
        begins.delete(number);
        cancelDeadline();
      }
    },
    close: () => pool.destroy(),
  };
}
