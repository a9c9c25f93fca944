import { parentPort, workerData } from 'node:worker_threads';
import { kernel } from '@sallyport/envelope-crypto/client/kernel';
import { SM2_SCALAR_BYTES } from '@sallyport/envelope-crypto/gm';

/**
 * Runs in a worker thread beside a busy event loop, and unwraps base keys with the kernel in the order in which they were asked
 * for, what waits together at a time. Plain JavaScript that imports the built package: a worker loads this very file, from the
 * sources under test and from `dist` in service alike.
 *
 * @type {import('./kernel-thread.js').KernelThreadMemory}
 */
const memory = workerData;
const { asked, done, isTold, privateKeys, keyPlaces, wrappedKeys, opens, baseKeys } = memory;
const { rooms, wrappedKeyBytes, baseKeyBytes } = memory;

/** What is unwrapped at a time shares an inversion, and its answers a turn of the event loop; it also waits for the last of them. */
const MOST_AT_A_TIME = 8;

const made = kernel();
if (made.kind === 'unavailable') throw new Error(made.reason);
const { unwrapBaseKeys } = made.suite;
if (unwrapBaseKeys === undefined) throw new Error('the kernel does not unwrap several keys at a time');

/** @param {number} count */
const roomOf = (count) => count & (rooms - 1);

/**
 * The wrapped keys of as many tasks as wait for the same private key, in their order.
 *
 * @param {number} next
 */
function takeTasks(next) {
  const waiting = (Atomics.load(asked, 0) - next) | 0;
  const eks = [];
  for (let i = 0; i < Math.min(waiting, MOST_AT_A_TIME); i++) {
    const room = roomOf(next + i);
    if (keyPlaces[room] !== keyPlaces[roomOf(next)]) break;
    eks.push(wrappedKeys.slice(room * wrappedKeyBytes, (room + 1) * wrappedKeyBytes));
  }
  return eks;
}

parentPort?.postMessage('ready');
for (let next = 0; ; ) {
  // Sleeps until more was asked for than was done. What was asked for in between is seen by the comparison.
  while (Atomics.load(asked, 0) === next) Atomics.wait(asked, 0, next);
  const key = /** @type {number} */ (keyPlaces[roomOf(next)]) * SM2_SCALAR_BYTES;
  const privateKey = privateKeys.slice(key, key + SM2_SCALAR_BYTES);
  for (const baseKey of unwrapBaseKeys(privateKey, takeTasks(next))) {
    const room = roomOf(next);
    opens[room] = baseKey === null ? 0 : 1;
    if (baseKey !== null) {
      baseKeys.set(baseKey, room * baseKeyBytes);
      baseKey.fill(0);
    }
    next = (next + 1) | 0;
  }
  privateKey.fill(0);
  Atomics.store(done, 0, next);
  if (Atomics.exchange(isTold, 0, 1) === 0) parentPort?.postMessage('done');
}
