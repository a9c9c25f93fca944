import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { sm3 } from '../gm/index.js';
import type { SuppliedKeys } from '../keys/index.js';

/**
 * A text that is the same for the same keys, and contains no key. A provider counts as the same while it is the same
 * object with the same members. The input is not checked yet, so it may have any shape.
 */
export function createSupplyDigest(): (supplied: unknown) => string {
  let lastProvider: unknown;
  let provider = 0;
  return function digest(supplied) {
    const { keyId, privateKey, previousKeys, keyProvider } = (supplied ?? {}) as SuppliedKeys;
    if (keyProvider !== lastProvider) {
      lastProvider = keyProvider;
      provider++;
    }
    const { publicKey, previousKeyIds, timeoutMillis, maxConcurrentCalls } = keyProvider ?? {};
    const ofProvider = [provider, keyProvider?.keyId, publicKey, previousKeyIds, timeoutMillis, maxConcurrentCalls];
    const names = Object.keys(supplied ?? {}).sort();
    const text = JSON.stringify([keyId, privateKey, previousKeys, ofProvider, names]);
    return bytesToHex(sm3(utf8ToBytes(text)));
  };
}
