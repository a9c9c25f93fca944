import { workerData } from 'node:worker_threads';
import { SM2_SCALAR_BYTES, sm2Open } from '@sallyport/envelope-crypto/gm';

/** All private keys, one after the other, in memory that the threads share. Closing the service wipes it for all. */
const privateKeys = new Uint8Array(workerData.privateKeys);

/**
 * Runs in a worker thread, so that an unwrap does not block the event loop. It is plain JavaScript that imports the
 * built package, because a worker loads this file itself, from `src` in tests and from `dist` in service.
 *
 * @param {{ readonly key: number, readonly ek: Uint8Array }} task the index of the private key, and the wrapped base
 * key
 * @returns {Uint8Array | null}
 */
export default function unwrap({ key, ek }) {
  const privateKey = privateKeys.slice(key * SM2_SCALAR_BYTES, (key + 1) * SM2_SCALAR_BYTES);
  try {
    return sm2Open(privateKey, ek);
  } finally {
    privateKey.fill(0);
  }
}
