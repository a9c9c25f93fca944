import { equalBytes } from '@noble/curves/utils.js';
import { randomBytes } from '@noble/hashes/utils.js';
import { EnvelopeKeyUnavailableError } from '../errors.js';
import type { ServerKeys } from '../keys/index.js';
import { sm2Sm4GcmV1 } from '../suites/index.js';
import { BASE_KEY_BYTES } from '../wire/index.js';
import { describeFailure } from './describe-failure.js';

/**
 * Makes the provider unwrap a base key for each of its ids whose public key is known. A provider whose public key does
 * not belong to its private key, or that can't be reached, would refuse every request.
 *
 * @returns the faults
 */
export async function testProvider(
  keys: ServerKeys,
  publicKeyOf: (keyId: string) => Uint8Array | undefined,
): Promise<string[]> {
  const ownKeys = new Set(keys.keyPairs.map(({ publicKey }) => publicKey));
  const faults: string[] = [];
  for (const keyId of keys.keyIds) {
    const publicKey = publicKeyOf(keyId);
    if (publicKey === undefined || ownKeys.has(publicKey)) continue;
    const baseKey = randomBytes(BASE_KEY_BYTES);
    try {
      const unwrapped = await keys.unwrap(keyId, sm2Sm4GcmV1.wrapBaseKey(publicKey, baseKey));
      if (unwrapped === null || !equalBytes(unwrapped, baseKey)) {
        faults.push(`keyProvider.unwrap does not open with ${keyId} what its public key has wrapped`);
      }
    } catch (error) {
      const cause = error instanceof EnvelopeKeyUnavailableError ? error.cause : error;
      faults.push(`keyProvider.unwrap failed with ${keyId}: ${describeFailure(cause)}`);
    }
  }
  return faults;
}
