import { availableParallelism } from 'node:os';
import { startDeadline } from '@sallyport/plugin-kit/deadlines';
import { workerFile } from '@sallyport/plugin-kit/workers';
import { EnvelopeKeyUnavailableError, EnvelopeQueueFullError, EnvelopeSetupError } from '../errors.js';
import { ISOLATED_THREAD, sharePrivateKeys } from './worker-threads.js';

/** Options of {@link createUnwrapPool}. */
export interface UnwrapPoolOptions {
  /** The 32-byte private keys of the threads. They are copied once, and `close` wipes the copy. */
  readonly privateKeys: readonly Uint8Array[];
  /** Maximum number of unwraps that wait for a thread. */
  readonly maxWaitingUnwraps: number;
  /** Maximum number of threads. Default: one fewer than cores, 1 to 4. */
  readonly maxThreads?: number;
  /** The time limit of an unwrap, including its wait, in milliseconds. Default 30 s. */
  readonly maxUnwrapMillis?: number;
  /** Called if a thread ends by itself. Its task is refused, and the thread is replaced. */
  readonly onThreadLost: (cause: unknown) => void;
}

/** Threads that unwrap with the portable implementation, which would block the event loop for milliseconds. */
export interface UnwrapPool {
  /**
   * Unwraps with one of the pool's keys: the base key, or null when the ciphertext is refused. Rejects with an
   * `EnvelopeKeyUnavailableError` if too many unwraps wait, if the thread is lost, and once the pool is closed.
   */
  unwrap(privateKey: Uint8Array, ek: Uint8Array): Promise<Uint8Array | null>;
  /** Ends the threads, refuses running and waiting unwraps, and wipes the keys. */
  close(): Promise<void>;
}

/** The event loop keeps a core. More than four threads would starve the rest of a service. */
const MAX_THREADS = 4;

/** Lifetime of an idle thread, in milliseconds. One thread always stays. */
const IDLE_MILLIS = 60_000;

/** The default time limit. No client waits longer. A thread that takes longer is ended and replaced. */
const MAX_UNWRAP_MILLIS = 30_000;

const OWNER = { subject: 'envelope-crypto', SetupError: EnvelopeSetupError, packageName: '@sallyport/envelope-crypto' };

/** Starts the threads. Piscina is imported dynamically, because a service with the kernel never needs it. */
export async function createUnwrapPool(options: UnwrapPoolOptions): Promise<UnwrapPool> {
  const file = workerFile('unwrap-worker.js', import.meta.url, OWNER);
  const { Piscina } = await import('piscina');
  const { privateKeys, maxWaitingUnwraps, onThreadLost } = options;
  const { maxUnwrapMillis = MAX_UNWRAP_MILLIS } = options;
  const { maxThreads = Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1)) } = options;
  const shared = sharePrivateKeys(privateKeys);

  const threads = new Piscina<object, Uint8Array | null>({
    filename: file.href,
    minThreads: 1,
    maxThreads,
    idleTimeout: IDLE_MILLIS,
    recordTiming: false,
    workerData: { privateKeys: shared.buffer },
    ...ISOLATED_THREAD,
  });
  threads.on('error', onThreadLost);
  let freeThreads = maxThreads;
  /** Waits for a thread, first come, first served. Piscina's own queue does not keep the order of abortable tasks. */
  const waiting = new Set<() => void>();
  let isClosed = false;

  async function runInThread(privateKey: Uint8Array, ek: Uint8Array): Promise<Uint8Array | null> {
    const timeout = new AbortController();
    const cancelDeadline = startDeadline(maxUnwrapMillis, () => timeout.abort());
    try {
      await takeThread(timeout.signal);
      try {
        if (isClosed) throw unavailable('the service is closing');
        return await threads.run({ key: privateKeys.indexOf(privateKey), ek }, { signal: timeout.signal });
      } finally {
        releaseThread();
      }
    } finally {
      cancelDeadline();
    }
  }

  function takeThread(signal: AbortSignal): Promise<void> | undefined {
    if (freeThreads === 0) {
      return new Promise((resolve, reject) => {
        waiting.add(resolve);
        signal.addEventListener('abort', () => waiting.delete(resolve) && reject(signal.reason), { once: true });
      });
    }
    freeThreads--;
    return undefined;
  }

  function releaseThread(): void {
    const [next] = waiting;
    if (next === undefined) {
      freeThreads++;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async unwrap(privateKey, ek) {
      if (isClosed) throw unavailable('the service is closing');
      if (waiting.size >= maxWaitingUnwraps) {
        throw new EnvelopeKeyUnavailableError({
          cause: new EnvelopeQueueFullError('too many unwraps are waiting for a thread'),
        });
      }
      return runInThread(privateKey, ek).catch((cause: unknown) => {
        throw unavailable('the thread was lost, or gave no answer in time', cause);
      });
    },

    async close() {
      isClosed = true;
      await threads.destroy();
      shared.fill(0);
    },
  };
}

function unavailable(reason: string, cause?: unknown): EnvelopeKeyUnavailableError {
  return new EnvelopeKeyUnavailableError({ cause: new Error(reason, { cause }) });
}
