import { parentPort } from 'node:worker_threads';
import { workOn } from './bcrypt-work.js';

/**
 * Runs in a worker thread, so that hashing never blocks the event loop. It tells when it begins: the bound on the time
 * of a task leaves out how long a thread takes to start.
 *
 * @param {{ readonly number: number, readonly task: import('./hashing-task.js').HashingTask }} numbered
 */
export default function runTask({ number, task }) {
  parentPort?.postMessage({ begun: number });
  return workOn(task);
}
