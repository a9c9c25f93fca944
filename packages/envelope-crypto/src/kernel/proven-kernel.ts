import { equalBytes } from '@noble/curves/utils.js';
import { randomBytes } from '@noble/hashes/utils.js';
import { BASE_KEY_BYTES, type EnvelopeSuite, sm2Sm4GcmV1 } from '../suites/sm2-sm4-gcm-v1.js';
import { createKernelSuite } from './kernel-suite.js';

/** A private key with the public key that the portable implementation computes for it. */
export interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** The WebAssembly kernel, or why there is none that could be trusted. */
export type ProvenKernel =
  | { readonly kind: 'ready'; readonly suite: EnvelopeSuite }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * The kernel, which was asked for the known answers when it was made, asked for those of the given keys too: what goes
 * wrong in a multiplication by a scalar may do so for one scalar alone, so it has to agree with the portable
 * implementation on each.
 */
export function createProvenKernel(
  keyPairs: readonly KeyPair[] = [],
  createKernel: typeof createKernelSuite = createKernelSuite,
): ProvenKernel {
  try {
    const kernel = createKernel();
    if (kernel.kind === 'unavailable') return { kind: 'unavailable', reason: kernel.reason };
    const wrong = keyPairs.findIndex((keyPair) => !isRightFor(kernel.suite, keyPair));
    if (wrong === -1) return kernel;
    return { kind: 'unavailable', reason: `wrong answers for private key ${wrong + 1} of ${keyPairs.length}` };
  } catch (error) {
    return { kind: 'unavailable', reason: error instanceof Error ? error.message : String(error) };
  }
}

function isRightFor(kernel: EnvelopeSuite, { privateKey, publicKey }: KeyPair): boolean {
  const baseKey = randomBytes(BASE_KEY_BYTES);
  const unwrapped = kernel.unwrapBaseKey(privateKey, sm2Sm4GcmV1.wrapBaseKey(publicKey, baseKey));
  return unwrapped !== null && equalBytes(unwrapped, baseKey) && equalBytes(kernel.publicKeyOf(privateKey), publicKey);
}
