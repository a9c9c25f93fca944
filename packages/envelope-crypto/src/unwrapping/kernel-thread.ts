import { Worker } from 'node:worker_threads';
import type { UnwrapHere } from '../keys/index.js';
import { BASE_KEY_BYTES, WRAPPED_KEY_BYTES } from '../wire/index.js';
import { ISOLATED_THREAD, sharePrivateKeys } from './worker-threads.js';

/** Options of {@link startKernelThread}. */
export interface KernelThreadOptions {
  /** The 32-byte private keys of the thread. They are copied once, and `close` wipes the copy. */
  readonly privateKeys: readonly Uint8Array[];
  /** Unwraps the tasks on the event loop that a lost thread had not answered. */
  readonly unwrapHere: UnwrapHere;
  /** Called once if the thread ends by itself. It is not replaced, and accepts no work from then on. */
  readonly onLost: (cause: unknown) => void;
}

/** A thread that unwraps base keys with the kernel, in addition to the event loop. */
export interface KernelThread {
  /**
   * Unwraps with one of the thread's keys: the base key, or null when the ciphertext is refused. Undefined when the
   * queue is full, because the event loop is then faster. Nothing is started in that case.
   */
  tryUnwrap(privateKey: Uint8Array, ek: Uint8Array): Promise<Uint8Array | null> | undefined;
  /** Ends the thread, unwraps its pending tasks here, and wipes the keys. */
  close(): Promise<void>;
}

/** The memory that both threads share: a ring of slots, one for each pending unwrap. */
export interface KernelThreadMemory {
  /** Number of requested unwraps, modulo 2^32. The thread sleeps on it. */
  readonly requested: Int32Array;
  /** Number of finished unwraps, modulo 2^32. */
  readonly done: Int32Array;
  /** 1 from the thread's message until the event loop takes the answers, so that one message announces all of them. */
  readonly isAnnounced: Int32Array;
  readonly privateKeys: Uint8Array;
  /** By slot: the index of the key, the wrapped key, 1 if it opened, and in that case the base key. */
  readonly keyIndexes: Uint16Array;
  readonly wrappedKeys: Uint8Array;
  readonly opens: Uint8Array;
  readonly baseKeys: Uint8Array;
  readonly slots: number;
  readonly wrappedKeyBytes: number;
  readonly baseKeyBytes: number;
}

/**
 * A power of two. The queue holds four milliseconds of work, which keeps the thread busy and the wait of the last task
 * short.
 */
const SLOTS = 32;

interface UnderWay {
  readonly privateKey: Uint8Array;
  readonly ek: Uint8Array;
  readonly resolve: (baseKey: Uint8Array | null | Promise<Uint8Array | null>) => void;
}

/**
 * Starts the thread. Rejects if it does not start.
 *
 * Posting a task as a message would cost the event loop about as much time as it saves. Therefore tasks and answers are
 * in shared memory, in order, and a message only announces answers.
 */
export async function startKernelThread({
  privateKeys,
  unwrapHere,
  onLost,
}: KernelThreadOptions): Promise<KernelThread> {
  const memory = createMemory(privateKeys);
  const worker = new Worker(new URL('kernel-thread-worker.js', import.meta.url), {
    workerData: memory,
    ...ISOLATED_THREAD,
  });
  let requested = 0;
  let answered = 0;
  let isClosing = false;
  let isGone = false;
  let causeOfEnd: unknown = null;
  /** The pending unwraps, by slot: those between `answered` and `requested`. */
  const underWay: UnderWay[] = [];

  const slotOf = (count: number) => count & (SLOTS - 1);

  function takeAnswers(): void {
    // This is reset before the count is read, so that a later answer sends another message.
    Atomics.store(memory.isAnnounced, 0, 0);
    const done = Atomics.load(memory.done, 0);
    while (answered !== done) takeAnswer();
  }

  function takeAnswer(): void {
    const slot = slotOf(answered);
    answered = (answered + 1) | 0;
    const inSlot = memory.baseKeys.subarray(slot * BASE_KEY_BYTES, (slot + 1) * BASE_KEY_BYTES);
    const copied = inSlot.slice();
    const baseKey = memory.opens[slot] === 1 ? copied : null;
    inSlot.fill(0);
    if (requested === answered) worker.unref();
    underWay[slot]!.resolve(baseKey);
  }

  /** A rejection, not an exception, because an input that crashed the thread must not crash the caller. */
  async function unwrapAgain(privateKey: Uint8Array, ek: Uint8Array): Promise<Uint8Array | null> {
    return unwrapHere(privateKey, ek);
  }

  function end(): void {
    isGone = true;
    for (; answered !== requested; answered = (answered + 1) | 0) {
      const { privateKey, ek, resolve } = underWay[slotOf(answered)]!;
      resolve(unwrapAgain(privateKey, ek));
    }
    memory.privateKeys.fill(0);
    memory.baseKeys.fill(0);
  }

  // Without a listener an error would end the process. The event 'exit' follows.
  worker.on('error', (error) => {
    causeOfEnd = error;
  });
  await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('exit', (code) => {
      causeOfEnd ??= new Error(`the thread ended with ${code}`);
      reject(causeOfEnd);
      end();
    });
  });
  worker.on('message', takeAnswers);
  worker.once('exit', () => {
    if (!isClosing) onLost(causeOfEnd);
  });
  // An idle thread must not keep the process alive.
  worker.unref();

  return {
    tryUnwrap(privateKey, ek) {
      const isFull = ((requested - answered) | 0) >= SLOTS;
      if (isGone || isFull || ek.length !== WRAPPED_KEY_BYTES) return undefined;
      if (requested === answered) worker.ref();
      const slot = slotOf(requested);
      memory.keyIndexes[slot] = privateKeys.indexOf(privateKey);
      memory.wrappedKeys.set(ek, slot * WRAPPED_KEY_BYTES);
      requested = (requested + 1) | 0;
      const answer = new Promise<Uint8Array | null>((resolve) => {
        underWay[slot] = { privateKey, ek, resolve };
      });
      Atomics.store(memory.requested, 0, requested);
      Atomics.notify(memory.requested, 0);
      return answer;
    },

    async close() {
      isClosing = true;
      await worker.terminate();
    },
  };
}

function createMemory(privateKeys: readonly Uint8Array[]): KernelThreadMemory {
  const bytes = (length: number) => new Uint8Array(new SharedArrayBuffer(length));
  const count = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  return {
    requested: count(),
    done: count(),
    isAnnounced: count(),
    privateKeys: sharePrivateKeys(privateKeys),
    keyIndexes: new Uint16Array(new SharedArrayBuffer(SLOTS * Uint16Array.BYTES_PER_ELEMENT)),
    wrappedKeys: bytes(SLOTS * WRAPPED_KEY_BYTES),
    opens: bytes(SLOTS),
    baseKeys: bytes(SLOTS * BASE_KEY_BYTES),
    slots: SLOTS,
    wrappedKeyBytes: WRAPPED_KEY_BYTES,
    baseKeyBytes: BASE_KEY_BYTES,
  };
}
