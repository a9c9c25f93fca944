import { parentPort } from 'node:worker_threads';
import { workOn } from './bcrypt-work.js';
import { threadMillis } from './thread-time.js';

/**
 * Runs in a worker thread, so that hashing never blocks the event loop. It reports when it begins, because the time
 * limit of a task excludes the start of a thread, and when it has used up its processor time.
 *
 * @param {import('./hashing-task.js').NumberedTask} numbered
 */
export default function runTask({ number, maxProcessorMillis, task }) {
  /** @param {import('./hashing-task.js').TaskReport['event']} event */
  const report = (event) => parentPort?.postMessage({ number, event });
  report('begun');
  const began = threadMillis();
  return workOn(task, () => {
    if (threadMillis() - began > maxProcessorMillis) report('overdue');
  });
}
