import { equalBytes } from '@noble/curves/utils.js';
import { randomBytes } from '@noble/hashes/utils.js';
import { type EnvelopeSuite, type KeyPair, sm2Sm4GcmV1 } from '../suites/index.js';
import { BASE_KEY_BYTES } from '../wire/index.js';
import { createKernelSuite } from './kernel-suite.js';

/** The tested WebAssembly kernel, or the reason why there is none. */
export type ProvenKernel =
  | { readonly kind: 'ready'; readonly suite: EnvelopeSuite }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * Creates the kernel, which runs its known-answer tests, and also tests it with the given keys. A defect of the
 * multiplication may affect a single scalar, so the kernel must agree with the portable implementation on each key.
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

/** Whether the kernel agrees with the portable implementation on this key. */
export function isRightFor(kernel: EnvelopeSuite, { privateKey, publicKey }: KeyPair): boolean {
  const baseKey = randomBytes(BASE_KEY_BYTES);
  const unwrapped = kernel.unwrapBaseKey(privateKey, sm2Sm4GcmV1.wrapBaseKey(publicKey, baseKey));
  return unwrapped !== null && equalBytes(unwrapped, baseKey) && equalBytes(kernel.publicKeyOf(privateKey), publicKey);
}
