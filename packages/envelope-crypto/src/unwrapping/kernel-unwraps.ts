import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import type { KeyPair } from '../kernel/proven-kernel.js';
import type { UnwrapHere } from '../keys/server-keys.js';
import type { EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';
import { type KernelThread, startKernelThread } from './kernel-thread.js';
import { requireUnwraps } from './require-unwraps.js';

/** What {@link createKernelUnwraps} works with. */
export interface KernelUnwrapsOptions {
  readonly suite: EnvelopeSuite;
  readonly keyPairs: readonly KeyPair[];
  /** Whether a thread may be started. */
  readonly mayUseThread: boolean;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>;
  /** A clock that only goes forward, in milliseconds. Default: that of the process. */
  readonly now?: () => number;
  readonly startThread?: typeof startKernelThread;
}

/** How the kernel unwraps: at once, and beside the event loop while there is much to do. */
export interface KernelUnwraps {
  readonly unwrap: UnwrapHere;
  close(): Promise<void>;
}

/** So many unwraps within such a time take 6 % of the event loop's. */
const BUSY_UNWRAPS = 50;
const BUSY_MILLIS = 100;

/** One thread does as many unwraps as an event loop has envelopes for, and it has no use for one without a core. */
export const hasCoreForThread = () => availableParallelism() > 1;

/**
 * An unwrap by the kernel is the greatest part of an encrypted request, and to hand it over costs a tenth of it. A service that
 * is hardly used is quickest without; for a busy one a thread is started, and has to show what it can do before it gets work.
 * What it has no room for is unwrapped here, so that nothing ever waits for the thread alone.
 */
export function createKernelUnwraps({
  suite,
  keyPairs,
  mayUseThread,
  log,
  now = () => performance.now(),
  startThread = startKernelThread,
}: KernelUnwrapsOptions): KernelUnwraps {
  const isBusy = createBusyMeter(now);
  let thread: KernelThread | null = null;
  /** Settles when the one attempt to start a thread has ended. */
  let starting: Promise<void> | null = null;
  let isClosed = false;

  async function start(): Promise<void> {
    const started = await startThread({
      privateKeys: keyPairs.map(({ privateKey }) => privateKey),
      unwrapHere: suite.unwrapBaseKey,
      onLost: (err) => log.error({ err }, 'the thread of the kernel was lost: the event loop unwraps base keys again'),
    });
    try {
      const unwrapByThread: UnwrapHere = (privateKey, ek) => started.tryUnwrap(privateKey, ek) ?? null;
      await requireUnwraps(unwrapByThread, keyPairs, suite);
    } catch (error) {
      await started.close();
      throw error;
    }
    if (isClosed) return started.close();
    thread = started;
    log.info('much is encrypted: a thread of the kernel unwraps base keys beside the event loop');
  }

  return {
    unwrap(privateKey, ek) {
      if (!mayUseThread || !isBusy()) return suite.unwrapBaseKey(privateKey, ek);
      starting ??= start().catch((err: unknown) =>
        log.error({ err }, 'no thread of the kernel could be started: the event loop unwraps all base keys'),
      );
      return thread?.tryUnwrap(privateKey, ek) ?? suite.unwrapBaseKey(privateKey, ek);
    },

    async close() {
      isClosed = true;
      await starting;
      await thread?.close();
    },
  };
}

/** Counts a call, and tells whether they come thick and fast: in this stretch of time, or in the one before. */
function createBusyMeter(now: () => number): () => boolean {
  let beganAt = Number.NEGATIVE_INFINITY;
  let calls = 0;
  let wasBusy = false;
  return function isBusy() {
    const at = now();
    if (at - beganAt >= BUSY_MILLIS) {
      wasBusy = at - beganAt < 2 * BUSY_MILLIS && calls >= BUSY_UNWRAPS;
      beganAt = at;
      calls = 0;
    }
    calls++;
    return wasBusy || calls >= BUSY_UNWRAPS;
  };
}
