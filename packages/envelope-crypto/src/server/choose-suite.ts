import { createProvenKernel, type KeyPair } from '../kernel/proven-kernel.js';
import { runSelfTest } from '../suites/self-test.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 } from '../suites/sm2-sm4-gcm-v1.js';

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

/** What the choice yields: an implementation that gave the known answers, or why the one asked for can't serve. */
export type SuiteChoice =
  | {
      readonly kind: 'chosen';
      readonly backend: ActiveBackend;
      readonly suite: EnvelopeSuite;
      /** Whether a better one was looked for, and isn't to be had. */
      readonly isFallback: boolean;
    }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * Chooses the implementation by what it can do here and now: the known answers, and the answers for the service's own
 * keys. Never by the version of anything. Throws a `SelfTestFailedError` if the portable one fails too.
 */
export function chooseSuite(
  choice: BackendChoice,
  keyPairs: readonly KeyPair[],
  createKernel?: Parameters<typeof createProvenKernel>[1],
): SuiteChoice {
  if (choice === 'portable') return portable('it was asked for', false);
  const kernel = createProvenKernel(keyPairs, createKernel);
  if (kernel.kind === 'ready') {
    const backend = { name: 'kernel', reason: 'it gave every known answer' } as const;
    return { kind: 'chosen', backend, suite: kernel.suite, isFallback: false };
  }
  return choice === 'kernel' ? kernel : portable(`no kernel: ${kernel.reason}`, true);
}

function portable(reason: string, isFallback: boolean): SuiteChoice {
  runSelfTest(sm2Sm4GcmV1);
  return { kind: 'chosen', backend: { name: 'portable', reason }, suite: sm2Sm4GcmV1, isFallback };
}
