import { availableParallelism } from 'node:os';
import { EnvelopeKeyUnavailableError } from '../errors.js';
import { sharePrivateKeys } from './shared-private-keys.js';

/** What an {@link UnwrapPool} works with. */
export interface UnwrapPoolOptions {
  /** The 32-byte private keys that it unwraps with. They are copied once, and `close` wipes the copy. */
  readonly privateKeys: readonly Uint8Array[];
  /** The most unwraps that may wait for a thread. */
  readonly maxWaitingUnwraps: number;
  /** The most threads. Default: one less than the machine has cores, 1 to 4. */
  readonly maxThreads?: number;
  /** Hears of a thread that ended by itself. What it was at is refused, and another one takes its place. */
  readonly onThreadLost: (cause: unknown) => void;
}

/** Threads that unwrap base keys with the portable implementation, which would hold the event loop for milliseconds. */
export interface UnwrapPool {
  /**
   * Unwraps with one of the pool's keys: the base key, or null when the ciphertext is refused. Rejects with an
   * `EnvelopeKeyUnavailableError` if too many are waiting, if the thread is lost, and once the pool is closed.
   */
  unwrap(privateKey: Uint8Array, ek: Uint8Array): Promise<Uint8Array | null>;
  /** Ends the threads, refuses what they are at and what waits, and wipes the keys. */
  close(): Promise<void>;
}

/** The event loop keeps a core, and beyond so many the other parts of a service want theirs. */
const MAX_THREADS = 4;

/** How long a thread without work is kept, in milliseconds. One always stays. */
const IDLE_MILLIS = 60_000;

/** Whoever waits for longer has no client any more. A thread that takes so long is ended, and replaced. */
const UNWRAP_LIMIT_MILLIS = 30_000;

/** Starts the threads. Piscina is loaded here and nowhere else: a service with the kernel never needs it. */
export async function createUnwrapPool(options: UnwrapPoolOptions): Promise<UnwrapPool> {
  const { Piscina } = await import('piscina');
  const { privateKeys, maxWaitingUnwraps, onThreadLost } = options;
  const { maxThreads = Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1)) } = options;
  const shared = sharePrivateKeys(privateKeys);

  const threads = new Piscina<object, Uint8Array | null>({
    filename: new URL('unwrap-worker.js', import.meta.url).href,
    minThreads: 1,
    maxThreads,
    idleTimeout: IDLE_MILLIS,
    recordTiming: false,
    workerData: { privateKeys: shared.buffer },
    // A thread needs nothing of the environment, where the private keys may stand, nor of the loaders of this process.
    env: {},
    execArgv: [],
  });
  threads.on('error', onThreadLost);
  let freeThreads = maxThreads;
  /** Who waits for a thread, first come, first served: among tasks that can be aborted, Piscina's own queue lets later ones overtake. */
  const waiting: (() => void)[] = [];
  let isClosed = false;

  async function runInThread(privateKey: Uint8Array, ek: Uint8Array): Promise<Uint8Array | null> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), UNWRAP_LIMIT_MILLIS);
    await takeThread();
    try {
      if (isClosed) throw unavailable('the service is closing');
      return await threads.run({ key: privateKeys.indexOf(privateKey), ek }, { signal: deadline.signal });
    } finally {
      leaveThread();
      clearTimeout(timer);
    }
  }

  function takeThread(): Promise<void> | undefined {
    if (freeThreads === 0) return new Promise((resolve) => waiting.push(resolve));
    freeThreads--;
    return undefined;
  }

  function leaveThread(): void {
    const next = waiting.shift();
    if (next === undefined) freeThreads++;
    else next();
  }

  return {
    async unwrap(privateKey, ek) {
      if (isClosed) throw unavailable('the service is closing');
      if (waiting.length >= maxWaitingUnwraps) throw unavailable('too many unwraps are waiting for a thread');
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
