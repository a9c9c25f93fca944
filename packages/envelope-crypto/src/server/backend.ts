import type { FastifyBaseLogger } from 'fastify';
import { EnvelopeSetupError } from '../errors.js';
import { createProvenKernel, isRightFor } from '../kernel/index.js';
import type { Unwraps } from '../rotation/index.js';
import {
  type ActiveBackend,
  type BackendName,
  type EnvelopeSuite,
  type KeyPair,
  runSelfTest,
  SelfTestFailedError,
  sm2Sm4GcmV1,
} from '../suites/index.js';
import { createKernelUnwraps, createUnwrapPool, requireUnwraps } from '../unwrapping/index.js';

/** The choice of an implementation. `auto`: the kernel if it works, otherwise the portable implementation. */
export type BackendChoice = 'auto' | BackendName;

/** The cryptography of a running service. */
export interface Backend {
  readonly active: ActiveBackend;
  readonly suite: EnvelopeSuite;
  /**
   * Starts the unwrapping with private keys of this process, and tests it with each of them. The kernel unwraps at
   * once, or in a thread while the service is busy; the portable suite in worker threads.
   */
  startUnwraps(keyPairs: readonly KeyPair[]): Promise<Unwraps>;
}

/** Options of {@link startBackend}. */
export interface BackendOptions {
  readonly choice: BackendChoice;
  readonly keyPairs: readonly KeyPair[];
  readonly maxWaitingUnwraps: number;
  /** Whether the kernel may have a thread in addition to the event loop. */
  readonly kernelThread: boolean;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}

/** Chooses the implementation, tests it with the service's first keys, and logs which one it is. */
export function startBackend(options: BackendOptions): Backend {
  const { choice, keyPairs: firstKeyPairs, maxWaitingUnwraps, kernelThread, log } = options;
  const chosen = chooseSuite(choice, firstKeyPairs);
  if (chosen.kind === 'unavailable') {
    throw new EnvelopeSetupError('envelope-crypto', [
      `backend 'kernel' can't serve here: ${chosen.reason}; 'auto' would take 'portable' instead`,
    ]);
  }
  const { backend: active, suite } = chosen;
  const facts = { backend: active.name, reason: active.reason };
  if (chosen.isFallback) log.warn(facts, 'envelopes are opened by the portable implementation, which is slower');
  else log.info(facts, `envelopes are opened by the ${active.name} implementation`);

  function startKernelUnwraps(keyPairs: readonly KeyPair[]): Unwraps {
    const isRight = (keyPair: KeyPair) => firstKeyPairs.includes(keyPair) || isRightFor(suite, keyPair);
    if (!keyPairs.every(isRight)) throw new SelfTestFailedError(['unwrapping with a key of the service']);
    return createKernelUnwraps({ suite, keyPairs, mayUseThread: kernelThread, log });
  }

  async function startPortableUnwraps(keyPairs: readonly KeyPair[]): Promise<Unwraps> {
    const pool = await createUnwrapPool({
      privateKeys: keyPairs.map(({ privateKey }) => privateKey),
      maxWaitingUnwraps,
      onThreadLost: (err) => log.error({ err }, 'a thread that unwraps base keys was lost'),
    });
    try {
      await requireUnwraps(pool.unwrap, keyPairs, suite);
    } catch (error) {
      await pool.close();
      throw error;
    }
    return pool;
  }

  return {
    active,
    suite,
    async startUnwraps(keyPairs) {
      // A process without keys unwraps nothing; a provider does.
      if (keyPairs.length === 0) return { unwrap: suite.unwrapBaseKey, close: async () => {} };
      return active.name === 'kernel' ? startKernelUnwraps(keyPairs) : startPortableUnwraps(keyPairs);
    },
  };
}

/** An implementation that passed its tests, or the reason why the chosen one can't serve. */
export type SuiteChoice =
  | {
      readonly kind: 'chosen';
      readonly backend: ActiveBackend;
      readonly suite: EnvelopeSuite;
      /** Whether the kernel was tried and is unavailable. */
      readonly isFallback: boolean;
    }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * Chooses the implementation by tests: known answers, and the service's own keys. Never by a version. Throws a
 * `SelfTestFailedError` if the portable implementation fails too.
 */
export function chooseSuite(
  choice: BackendChoice,
  keyPairs: readonly KeyPair[],
  createKernel?: Parameters<typeof createProvenKernel>[1],
): SuiteChoice {
  if (choice === 'portable') return choosePortable('it was asked for', false);
  const kernel = createProvenKernel(keyPairs, createKernel);
  if (kernel.kind === 'ready') {
    const backend = { name: 'kernel', reason: 'it gave every known answer' } as const;
    return { kind: 'chosen', backend, suite: kernel.suite, isFallback: false };
  }
  return choice === 'kernel' ? kernel : choosePortable(`no kernel: ${kernel.reason}`, true);
}

function choosePortable(reason: string, isFallback: boolean): SuiteChoice {
  runSelfTest(sm2Sm4GcmV1);
  return { kind: 'chosen', backend: { name: 'portable', reason }, suite: sm2Sm4GcmV1, isFallback };
}
