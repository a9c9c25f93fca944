import { equalBytes } from '@noble/curves/utils.js';
import { randomBytes } from '@noble/hashes/utils.js';
import type { FastifyBaseLogger } from 'fastify';
import { setupInvalid } from './options.js';
import { SelfTestFailedError } from './self-test.js';
import type { UnwrapHere } from './server-keys.js';
import { type ActiveBackend, type BackendChoice, chooseSuite } from './suites/choose-suite.js';
import type { KeyPair } from './suites/proven-kernel.js';
import { BASE_KEY_BYTES, type EnvelopeSuite } from './suites/sm2-sm4-gcm-v1.js';
import { createUnwrapPool } from './unwrap-pool.js';

/** The cryptography at work in a service. */
export interface Backend {
  readonly active: ActiveBackend;
  readonly suite: EnvelopeSuite;
  /** Unwraps with a private key of this process: at once with the kernel, in a worker thread with the portable suite. */
  readonly unwrapHere: UnwrapHere;
  close(): Promise<void>;
}

/** What a backend is started with. */
export interface BackendOptions {
  readonly choice: BackendChoice;
  readonly keyPairs: readonly KeyPair[];
  readonly maxWaitingUnwraps: number;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}

/** Chooses the implementation, proves it with the service's own keys, and says in the log which one it is. */
export async function startBackend({ choice, keyPairs, maxWaitingUnwraps, log }: BackendOptions): Promise<Backend> {
  const chosen = chooseSuite(choice, keyPairs);
  if (chosen.kind === 'unavailable') {
    throw setupInvalid([`backend 'kernel' can't serve here: ${chosen.reason}; 'auto' would take 'portable' instead`]);
  }
  const { backend: active, suite } = chosen;
  const facts = { backend: active.name, reason: active.reason };
  if (chosen.isFallback) log.warn(facts, 'envelopes are opened by the portable implementation, which is slower');
  else log.info(facts, `envelopes are opened by the ${active.name} implementation`);

  // Without keys of its own, a process unwraps nothing: a provider does.
  if (active.name === 'kernel' || keyPairs.length === 0) {
    return { active, suite, unwrapHere: suite.unwrapBaseKey, close: async () => {} };
  }
  const pool = await createUnwrapPool({
    privateKeys: keyPairs.map(({ privateKey }) => privateKey),
    maxWaitingUnwraps,
    onThreadLost: (err) => log.error({ err }, 'a thread that unwraps base keys was lost'),
  });
  try {
    await requireThreads(pool.unwrap, keyPairs, suite);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return { active, suite, unwrapHere: pool.unwrap, close: pool.close };
}

/** ENV-6 The threads are there, and they have the keys. */
async function requireThreads(unwrap: UnwrapHere, keyPairs: readonly KeyPair[], suite: EnvelopeSuite): Promise<void> {
  for (const { privateKey, publicKey } of keyPairs) {
    const baseKey = randomBytes(BASE_KEY_BYTES);
    const unwrapped = await unwrap(privateKey, suite.wrapBaseKey(publicKey, baseKey));
    if (unwrapped === null || !equalBytes(unwrapped, baseKey)) {
      throw new SelfTestFailedError(['unwrapping in a worker thread']);
    }
  }
}
