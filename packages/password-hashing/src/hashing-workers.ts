import { startDeadline } from '@sallyport/plugin-kit/deadlines';
import { workerFile } from '@sallyport/plugin-kit/workers';
import { Piscina } from 'piscina';
import { PasswordHashingSetupError } from './errors.js';
import { type HashingTask, isAboveCost, type NumberedTask, type TaskReport } from './hashing-task.js';

/** Options of {@link startHashingWorkers}. */
export interface HashingWorkersOptions {
  readonly threads: number;
  /**
   * The processor time of a task, in milliseconds. A task whose hash is above the cost is also ended when this much
   * time has passed since it began.
   */
  readonly maxTaskMillis: number;
  /** The time limit of every task, including the start of its thread, in milliseconds. */
  readonly maxElapsedMillis: number;
  /** Called if a thread without a task is lost. */
  readonly onLost: (cause: unknown) => void;
}

/** Threads that hash. Don't give them more tasks at a time than there are threads. */
export interface HashingWorkers {
  /**
   * The hash, or whether the password matches.
   *
   * @throws {TaskEndedError} if the task used up its time. Its thread was ended and is replaced
   * @throws {Error} if no thread starts, the thread is lost, the machine is too busy, or the workers are closed
   */
  run(task: HashingTask): Promise<string | boolean>;
  /** Ends the threads. Their tasks reject. */
  close(): Promise<void>;
}

/** A task used up its time and was ended. Callers of the package don't see this error. */
export class TaskEndedError extends Error {
  override readonly name = 'TaskEndedError';
}

/** The part of a pool of threads that is needed; Piscina has it. */
export interface HashingPool {
  run(task: NumberedTask, options: { readonly signal: AbortSignal }): Promise<string | boolean>;
  on(event: 'message', listener: (report: TaskReport) => void): unknown;
  destroy(): Promise<void>;
}

/** Lifetime of an idle thread, in milliseconds. One thread always stays. */
const IDLE_MILLIS = 60_000;

const OWNER = {
  subject: 'createPasswordHashing',
  SetupError: PasswordHashingSetupError,
  packageName: '@sallyport/password-hashing',
};

/**
 * The threads have the priority of the process. On a machine with other busy processes, threads of a lower priority
 * would get so little of a core that nobody could sign in. The event loop needs no higher priority: it sleeps between
 * its events, and the system runs a process that wakes up before one that computes.
 */
export function startHashingWorkers(options: HashingWorkersOptions): HashingWorkers {
  const { threads, onLost } = options;
  const pool = new Piscina<NumberedTask, string | boolean>({
    filename: workerFile('bcrypt-worker.js', import.meta.url, OWNER).href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_MILLIS,
    recordTiming: false,
  });
  pool.on('error', onLost);
  return openHashingWorkers(options, pool);
}

/** Applies the bounds to a given pool. */
export function openHashingWorkers(
  { maxTaskMillis, maxElapsedMillis }: Pick<HashingWorkersOptions, 'maxTaskMillis' | 'maxElapsedMillis'>,
  pool: HashingPool,
): HashingWorkers {
  /** The handlers of the tasks' reports, by the number of the task. */
  const listeners = new Map<number, (event: TaskReport['event']) => void>();
  pool.on('message', ({ number, event }: TaskReport) => listeners.get(number)?.(event));
  let tasks = 0;

  return {
    async run(task) {
      const number = ++tasks;
      const ending = new AbortController();
      const end = (reason: Error) => ending.abort(reason);
      let cancelDeadline = startDeadline(maxElapsedMillis, () => {
        end(new Error(`the task was not done within ${maxElapsedMillis} ms`));
      });
      listeners.set(number, function limitTime(event) {
        if (event === 'overdue') {
          end(new TaskEndedError(`the task was ended after ${maxTaskMillis} ms of processor time`));
        } else if (isAboveCost(task)) {
          cancelDeadline();
          cancelDeadline = startDeadline(maxTaskMillis, () => {
            end(new TaskEndedError(`the task was ended after ${maxTaskMillis} ms`));
          });
        }
      });
      try {
        return await pool.run({ number, maxProcessorMillis: maxTaskMillis, task }, { signal: ending.signal });
      } catch (error) {
        throw ending.signal.aborted ? ending.signal.reason : error;
      } finally {
        listeners.delete(number);
        cancelDeadline();
      }
    },
    close: () => pool.destroy(),
  };
}
