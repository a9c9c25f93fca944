import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import { runSelfTest, SelfTestFailedError } from '../self-test.js';
import { createKernelSuite } from './kernel-suite.js';
import { BASE_KEY_BYTES, type EnvelopeSuite, sm2Sm4GcmV1 } from './sm2-sm4-gcm-v1.js';

/** A private key with the public key that the portable implementation computes for it. */
export interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** The WebAssembly kernel, or why there is none that could be trusted. */
export type ProvenKernel =
  | { readonly kind: 'proven'; readonly suite: EnvelopeSuite }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Makes the kernel, and asks it for the known answers and for those of the given keys. */
export function createProvenKernel(
  keyPairs: readonly KeyPair[] = [],
  createKernel: typeof createKernelSuite = createKernelSuite,
): ProvenKernel {
  let reason = 'it could not be made';
  try {
    const suite = createKernel((why) => {
      reason = why;
    });
    if (suite === null) return { kind: 'unavailable', reason };
    runSelfTest(suite, null);
    requireSameAnswers(suite, keyPairs);
    return { kind: 'proven', suite };
  } catch (error) {
    return { kind: 'unavailable', reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * What may go wrong in a multiplication by a scalar may do so for one key alone: the kernel has to agree with the portable
 * implementation on each of the service's.
 */
function requireSameAnswers(kernel: EnvelopeSuite, keyPairs: readonly KeyPair[]): void {
  const failures = keyPairs.flatMap(({ privateKey, publicKey }, i) => {
    const baseKey = randomBytes(BASE_KEY_BYTES);
    const unwrapped = kernel.unwrapBaseKey(privateKey, sm2Sm4GcmV1.wrapBaseKey(publicKey, baseKey));
    const isSame = isEqual(kernel.publicKeyOf(privateKey), publicKey) && isEqual(unwrapped, baseKey);
    return isSame ? [] : [`private key ${i + 1} of ${keyPairs.length}`];
  });
  if (failures.length > 0) throw new SelfTestFailedError(failures);
}

function isEqual(one: Uint8Array | null, other: Uint8Array): boolean {
  return one !== null && bytesToHex(one) === bytesToHex(other);
}
