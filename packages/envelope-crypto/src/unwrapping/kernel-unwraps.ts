import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import type { UnwrapHere } from '../keys/index.js';
import type { EnvelopeSuite, KeyPair } from '../suites/index.js';
import { type KernelThread, startKernelThread } from './kernel-thread.js';
import { requireUnwraps } from './worker-threads.js';

/** Options of {@link createKernelUnwraps}. */
export interface KernelUnwrapsOptions {
  readonly suite: EnvelopeSuite;
  readonly keyPairs: readonly KeyPair[];
  /** Whether to start a thread when busy. */
  readonly mayUseThread: boolean;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>;
  /** A monotonic clock, in milliseconds. Default: that of the process. */
  readonly now?: () => number;
  readonly startThread?: typeof startKernelThread;
}

/** Unwraps with the kernel on the event loop, and also in a thread while the service is busy. */
export interface KernelUnwraps {
  readonly unwrap: UnwrapHere;
  close(): Promise<void>;
}

/** The busy rate. This many unwraps in this time take 6 % of the event loop's time. */
const BUSY_UNWRAPS = 50;
const BUSY_MILLIS = 100;

/** A thread without its own core gains nothing. */
export const hasCoreForThread = () => availableParallelism() > 1;

/**
 * An unwrap is the most expensive part of an encrypted request, and passing it to a thread costs a tenth of it.
 * Therefore an idle service unwraps on the event loop. A busy service starts a thread, which is tested before it gets
 * work. The event loop unwraps what does not fit the thread's queue, so no request waits for the thread alone.
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
  /** Settles when the only attempt to start a thread has ended. */
  let starting: Promise<void> | null = null;
  let isClosed = false;

  async function start(): Promise<void> {
    const started = await startThread({
      privateKeys: keyPairs.map(({ privateKey }) => privateKey),
      unwrapHere: suite.unwrapBaseKey,
      onLost: (err) => log.error({ err }, 'the kernel thread was lost: the event loop unwraps base keys again'),
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
    log.info('the service is busy: a kernel thread unwraps base keys in addition to the event loop');
  }

  return {
    unwrap(privateKey, ek) {
      if (!mayUseThread || !isBusy()) return suite.unwrapBaseKey(privateKey, ek);
      starting ??= start().catch((err: unknown) =>
        log.error({ err }, 'the kernel thread did not start: the event loop unwraps all base keys'),
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

/** Counts a call. True if this interval, or the one before it, has reached the busy rate. */
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
