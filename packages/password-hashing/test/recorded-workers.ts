import type { HashingTask } from '../src/hashing-task.js';
import type { HashingWorkers } from '../src/hashing-workers.js';
import type { PasswordHashingOptions } from '../src/index.js';
import { readPasswordHashingOptions } from '../src/options.js';
import { openPasswordHashing, type PasswordHashing } from '../src/password-hashing.js';

export interface RecordedHashing extends PasswordHashing {
  /** Every task that reached a worker. */
  readonly tasks: HashingTask[];
  /** Every line of the log, as text. */
  readonly lines: string[];
}

/** The engine on workers that record their tasks. They say that no password matches, unless `run` says otherwise. */
export function openRecorded(
  options: PasswordHashingOptions,
  run: (task: HashingTask) => Promise<string | boolean> = async () => false,
): RecordedHashing {
  const tasks: HashingTask[] = [];
  const lines: string[] = [];
  const workers: HashingWorkers = {
    run(task) {
      tasks.push(task);
      return run(task);
    },
    async close() {},
  };
  const log = {
    error: (details: object, message: string) => lines.push(`${message} ${JSON.stringify(details)}`),
  };
  const engine = openPasswordHashing(readPasswordHashingOptions({ log, ...options }), workers);
  return { ...engine, tasks, lines };
}
