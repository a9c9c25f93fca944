import { equalBytes } from '@noble/curves/utils.js';
import { randomBytes } from '@noble/hashes/utils.js';
import type { KeyPair } from '../kernel/proven-kernel.js';
import type { UnwrapHere } from '../keys/server-keys.js';
import { SelfTestFailedError } from '../suites/self-test.js';
import { BASE_KEY_BYTES, type EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';

/** ENV-6 Threads that unwrap are there, and they have the keys; else throws a `SelfTestFailedError`. */
export async function requireUnwraps(
  unwrap: UnwrapHere,
  keyPairs: readonly KeyPair[],
  suite: EnvelopeSuite,
): Promise<void> {
  for (const { privateKey, publicKey } of keyPairs) {
    const baseKey = randomBytes(BASE_KEY_BYTES);
    const unwrapped = await unwrap(privateKey, suite.wrapBaseKey(publicKey, baseKey));
    if (unwrapped === null || !equalBytes(unwrapped, baseKey)) {
      throw new SelfTestFailedError(['unwrapping in a worker thread']);
    }
  }
}
