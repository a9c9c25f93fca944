import type { FastifyBaseLogger } from 'fastify';
import type { KeyPair } from '../kernel/proven-kernel.js';
import type { UnwrapHere } from '../keys/server-keys.js';
import type { EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';
import { createKernelUnwraps } from '../unwrapping/kernel-unwraps.js';
import { requireUnwraps } from '../unwrapping/require-unwraps.js';
import { createUnwrapPool } from '../unwrapping/unwrap-pool.js';
import { type ActiveBackend, type BackendChoice, chooseSuite } from './choose-suite.js';
import { setupInvalid } from './options.js';

/** The cryptography at work in a service. */
export interface Backend {
  readonly active: ActiveBackend;
  readonly suite: EnvelopeSuite;
  /**
   * Unwraps with a private key of this process: with the kernel at once, or in a thread of its own while much is encrypted; in
   * worker threads with the portable suite.
   */
  readonly unwrapHere: UnwrapHere;
  close(): Promise<void>;
}

/** What a backend is started with. */
export interface BackendOptions {
  readonly choice: BackendChoice;
  readonly keyPairs: readonly KeyPair[];
  readonly maxWaitingUnwraps: number;
  /** Whether the kernel may have a thread beside the event loop. */
  readonly kernelThread: boolean;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}

/** Chooses the implementation, proves it with the service's own keys, and says in the log which one it is. */
export async function startBackend(options: BackendOptions): Promise<Backend> {
  const { choice, keyPairs, maxWaitingUnwraps, kernelThread, log } = options;
  const chosen = chooseSuite(choice, keyPairs);
  if (chosen.kind === 'unavailable') {
    throw setupInvalid([`backend 'kernel' can't serve here: ${chosen.reason}; 'auto' would take 'portable' instead`]);
  }
  const { backend: active, suite } = chosen;
  const facts = { backend: active.name, reason: active.reason };
  if (chosen.isFallback) log.warn(facts, 'envelopes are opened by the portable implementation, which is slower');
  else log.info(facts, `envelopes are opened by the ${active.name} implementation`);

  // Without keys of its own, a process unwraps nothing: a provider does.
  if (keyPairs.length === 0) return { active, suite, unwrapHere: suite.unwrapBaseKey, close: async () => {} };
  if (active.name === 'kernel') {
    const unwraps = createKernelUnwraps({ suite, keyPairs, mayUseThread: kernelThread, log });
    return { active, suite, unwrapHere: unwraps.unwrap, close: unwraps.close };
  }
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
  return { active, suite, unwrapHere: pool.unwrap, close: pool.close };
}
