import type { WorkerOptions } from 'node:worker_threads';
import { equalBytes } from '@noble/curves/utils.js';
import { randomBytes } from '@noble/hashes/utils.js';
import { SM2_SCALAR_BYTES } from '../gm/index.js';
import type { UnwrapHere } from '../keys/index.js';
import { type EnvelopeSuite, type KeyPair, SelfTestFailedError } from '../suites/index.js';
import { BASE_KEY_BYTES } from '../wire/index.js';

/** A thread gets neither the environment, which may hold the private keys, nor the loaders of this process. */
export const ISOLATED_THREAD = { env: {}, execArgv: [] as string[] } satisfies WorkerOptions;

/**
 * Copies the private keys, one after the other, into memory that all threads share. Wiping it once wipes it for all.
 */
export function sharePrivateKeys(privateKeys: readonly Uint8Array[]): Uint8Array<SharedArrayBuffer> {
  const shared = new Uint8Array(new SharedArrayBuffer(privateKeys.length * SM2_SCALAR_BYTES));
  for (const [index, privateKey] of privateKeys.entries()) shared.set(privateKey, index * SM2_SCALAR_BYTES);
  return shared;
}

/** Proves that the threads run and have the keys. Throws a `SelfTestFailedError` otherwise. */
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
