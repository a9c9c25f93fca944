import { parentPort, workerData } from 'node:worker_threads';
import { kernel } from '@sallyport/envelope-crypto/client/kernel';
import { SM2_SCALAR_BYTES } from '@sallyport/envelope-crypto/gm';

/**
 * Runs in a worker thread. It unwraps base keys with the kernel, in order, in batches of those that wait. It is plain
 * JavaScript that imports the built package, because a worker loads this file itself, from `src` in tests and from
 * `dist` in service.
 *
 * @type {import('./kernel-thread.js').KernelThreadMemory}
 */
const memory = workerData;
const { requested, done, isAnnounced, privateKeys, keyIndexes, wrappedKeys, opens, baseKeys } = memory;
const { slots, wrappedKeyBytes, baseKeyBytes } = memory;

/**
 * A batch shares one inversion, and its answers share one turn of the event loop. The first answer of a batch also
 * waits for the last.
 */
const MAX_BATCH = 8;

const made = kernel();
if (made.kind === 'unavailable') throw new Error(made.reason);
const { unwrapBaseKeys } = made.suite;
if (unwrapBaseKeys === undefined) throw new Error('the kernel does not unwrap several keys at a time');

/** @param {number} count */
const slotOf = (count) => count & (slots - 1);

/**
 * The wrapped keys of the next tasks that wait for the same private key, in order.
 *
 * @param {number} next
 */
function takeTasks(next) {
  const waiting = (Atomics.load(requested, 0) - next) | 0;
  const eks = [];
  for (let i = 0; i < Math.min(waiting, MAX_BATCH); i++) {
    const slot = slotOf(next + i);
    if (keyIndexes[slot] !== keyIndexes[slotOf(next)]) break;
    eks.push(wrappedKeys.slice(slot * wrappedKeyBytes, (slot + 1) * wrappedKeyBytes));
  }
  return eks;
}

parentPort?.postMessage('ready');
for (let next = 0; ; ) {
  // Sleeps until there is a task. A request that arrives in between fails the comparison, so the wait returns at once.
  while (Atomics.load(requested, 0) === next) Atomics.wait(requested, 0, next);
  const key = /** @type {number} */ (keyIndexes[slotOf(next)]) * SM2_SCALAR_BYTES;
  const privateKey = privateKeys.slice(key, key + SM2_SCALAR_BYTES);
  for (const baseKey of unwrapBaseKeys(privateKey, takeTasks(next))) {
    const slot = slotOf(next);
    opens[slot] = baseKey === null ? 0 : 1;
    // A key that does not open takes the same work (ENV-13).
    const copied = baseKey ?? new Uint8Array(baseKeyBytes);
    baseKeys.set(copied, slot * baseKeyBytes);
    copied.fill(0);
    next = (next + 1) | 0;
  }
  privateKey.fill(0);
  Atomics.store(done, 0, next);
  if (Atomics.exchange(isAnnounced, 0, 1) === 0) parentPort?.postMessage('done');
}
