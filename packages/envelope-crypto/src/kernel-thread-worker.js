import { parentPort, workerData } from 'node:worker_threads';
import { kernel } from '@sallyport/envelope-crypto/client/kernel';
import { SM2_SCALAR_BYTES } from '@sallyport/envelope-crypto/gm';

/**
 * Runs in a worker thread beside a busy event loop, and unwraps base keys with the kernel, one after the other, in the order
 * in which they were asked for. Plain JavaScript that imports the built package: a worker loads this very file, from the
 * sources under test and from `dist` in service alike.
 *
 * @type {import('./kernel-thread.js').KernelThreadMemory}
 */
const { asked, privateKeys, keyPlaces, wrappedKeys, baseKeys, rooms, wrappedKeyBytes, baseKeyBytes } = workerData;

const made = kernel();
if (made.kind === 'unavailable') throw new Error(made.reason);
const { unwrapBaseKey } = made.suite;

parentPort?.postMessage('ready');
for (let next = 0; ; next = (next + 1) | 0) {
  // Sleeps until more was asked for than was done. What was asked for in between is seen by the comparison.
  while (Atomics.load(asked, 0) === next) Atomics.wait(asked, 0, next);
  const room = next & (rooms - 1);
  const key = /** @type {number} */ (keyPlaces[room]) * SM2_SCALAR_BYTES;
  const privateKey = privateKeys.slice(key, key + SM2_SCALAR_BYTES);
  const baseKey = unwrapBaseKey(privateKey, wrappedKeys.slice(room * wrappedKeyBytes, (room + 1) * wrappedKeyBytes));
  privateKey.fill(0);
  if (baseKey !== null) {
    baseKeys.set(baseKey, room * baseKeyBytes);
    baseKey.fill(0);
  }
  parentPort?.postMessage(baseKey !== null);
}
