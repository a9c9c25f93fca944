import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import { runSelfTest, SelfTestFailedError } from '../self-test.js';
import { createKernelSuite } from './kernel-suite.js';
import { BASE_KEY_BYTES, type EnvelopeSuite, sm2Sm4GcmV1 } from './sm2-sm4-gcm-v1.js';

/** The implementations of the suite: the constant-time WebAssembly kernel, and plain JavaScript. */
export type BackendName = 'kernel' | 'portable';

/** What may be asked for. `auto`: the kernel where it works, else the portable implementation. */
export type BackendChoice = 'auto' | BackendName;

/** The implementation that serves. */
export interface ActiveBackend {
  readonly name: BackendName;
  /** Why it is this one, for people to read. */
  readonly reason: string;
}

/** A private key with the public key that the portable implementation computes for it. */
export interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** What the choice yields: an implementation that gave the known answers, or why the one asked for can't serve. */
export type SuiteChoice =
  | {
      readonly kind: 'chosen';
      readonly backend: ActiveBackend;
      readonly suite: EnvelopeSuite;
      readonly isFallback: boolean;
    }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * Chooses the implementation by what it can do here and now: the known answers, and the answers for the service's own
 * keys. Never by the version of anything. Throws a {@link SelfTestFailedError} if the portable one fails too.
 */
export function chooseSuite(
  choice: BackendChoice,
  keyPairs: readonly KeyPair[],
  createKernel: typeof createKernelSuite = createKernelSuite,
): SuiteChoice {
  if (choice === 'portable') return portable('it was asked for', false);
  const kernel = tryKernel(keyPairs, createKernel);
  if (typeof kernel !== 'string') {
    const reason = 'it gave every known answer';
    return { kind: 'chosen', backend: { name: 'kernel', reason }, suite: kernel, isFallback: false };
  }
  return choice === 'kernel' ? { kind: 'unavailable', reason: kernel } : portable(`no kernel: ${kernel}`, true);
}

function portable(reason: string, isFallback: boolean): SuiteChoice {
  runSelfTest(sm2Sm4GcmV1);
  return { kind: 'chosen', backend: { name: 'portable', reason }, suite: sm2Sm4GcmV1, isFallback };
}

/** The kernel, or why there is none that could be trusted. */
function tryKernel(keyPairs: readonly KeyPair[], createKernel: typeof createKernelSuite): EnvelopeSuite | string {
  let reason = 'it could not be made';
  try {
    const kernel = createKernel((why) => {
      reason = why;
    });
    if (kernel === null) return reason;
    runSelfTest(kernel, null);
    requireSameAnswers(kernel, keyPairs);
    return kernel;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
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
