import { Worker } from 'node:worker_threads';
import type { UnwrapHere } from '../keys/server-keys.js';
import { BASE_KEY_BYTES, WRAPPED_KEY_BYTES } from '../suites/sm2-sm4-gcm-v1.js';
import { sharePrivateKeys } from './shared-private-keys.js';

/** What a {@link KernelThread} works with. */
export interface KernelThreadOptions {
  /** The 32-byte private keys that it unwraps with. They are copied once, and `close` wipes the copy. */
  readonly privateKeys: readonly Uint8Array[];
  /** Unwraps in this thread what the other one took with it when it was lost. */
  readonly unwrapHere: UnwrapHere;
  /** Hears once of a thread that ended by itself. It isn't replaced: from then on it has room for nothing. */
  readonly onLost: (cause: unknown) => void;
}

/** A thread that unwraps base keys with the kernel, beside the event loop. */
export interface KernelThread {
  /**
   * Unwraps with one of the thread's keys: the base key, or null when the ciphertext is refused. Undefined, and nothing
   * begun, where there is no room: the caller is quicker by itself then.
   */
  tryUnwrap(privateKey: Uint8Array, ek: Uint8Array): Promise<Uint8Array | null> | undefined;
  /** Ends the thread, unwraps here what it was at, and wipes the keys. */
  close(): Promise<void>;
}

/** What both threads see. A room is for one unwrap; room 0 comes after the last. */
export interface KernelThreadMemory {
  /** How many unwraps were asked for, modulo 2^32. The thread sleeps on it. */
  readonly asked: Int32Array;
  /** How many of them are done, modulo 2^32. */
  readonly done: Int32Array;
  /** 1 from the thread's message that something is done until the event loop looks: one message is enough for all till then. */
  readonly isTold: Int32Array;
  readonly privateKeys: Uint8Array;
  /** For each room: which key, what is to be unwrapped, 1 if it opens, and the base key then. */
  readonly keyPlaces: Uint16Array;
  readonly wrappedKeys: Uint8Array;
  readonly opens: Uint8Array;
  readonly baseKeys: Uint8Array;
  readonly rooms: number;
  readonly wrappedKeyBytes: number;
  readonly baseKeyBytes: number;
}

/** A power of two. Four milliseconds of work: enough that the thread always finds some, and few wait for long. */
const ROOMS = 32;

interface UnderWay {
  readonly privateKey: Uint8Array;
  readonly ek: Uint8Array;
  readonly resolve: (baseKey: Uint8Array | null | Promise<Uint8Array | null>) => void;
}

/**
 * Starts the thread. Rejects if it doesn't start.
 *
 * A task that is posted as a message costs the event loop about as much as it saves. So tasks and answers lie in memory that both
 * threads see, in the order in which they were asked for, and what is posted says only that there are answers.
 */
export async function startKernelThread({
  privateKeys,
  unwrapHere,
  onLost,
}: KernelThreadOptions): Promise<KernelThread> {
  const memory = createMemory(privateKeys);
  const worker = new Worker(new URL('kernel-thread-worker.js', import.meta.url), {
    workerData: memory,
    // A thread needs nothing of the environment, where the private keys may stand, nor of the loaders of this process.
    env: {},
    execArgv: [],
  });
  let asked = 0;
  let answered = 0;
  let isClosing = false;
  let isGone = false;
  let causeOfEnd: unknown = null;
  /** By room. As many as there are between `answered` and `asked`. */
  const underWay: UnderWay[] = [];

  const roomOf = (count: number) => count & (ROOMS - 1);

  function takeAnswers(): void {
    // First this, then the count: what is done after it comes with a message of its own.
    Atomics.store(memory.isTold, 0, 0);
    const done = Atomics.load(memory.done, 0);
    while (answered !== done) takeAnswer();
  }

  function takeAnswer(): void {
    const room = roomOf(answered);
    answered = (answered + 1) | 0;
    const inRoom = memory.baseKeys.subarray(room * BASE_KEY_BYTES, (room + 1) * BASE_KEY_BYTES);
    const baseKey = memory.opens[room] === 1 ? inRoom.slice() : null;
    inRoom.fill(0);
    if (asked === answered) worker.unref();
    underWay[room]!.resolve(baseKey);
  }

  /** What was the end of the thread must not be the end of anything else. */
  async function unwrapAgain(privateKey: Uint8Array, ek: Uint8Array): Promise<Uint8Array | null> {
    return unwrapHere(privateKey, ek);
  }

  function end(): void {
    isGone = true;
    for (; answered !== asked; answered = (answered + 1) | 0) {
      const { privateKey, ek, resolve } = underWay[roomOf(answered)]!;
      resolve(unwrapAgain(privateKey, ek));
    }
    memory.privateKeys.fill(0);
    memory.baseKeys.fill(0);
  }

  // Without a listener an error would end the process. The end of the thread follows it.
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
  // The process may end while the thread has nothing to do.
  worker.unref();

  return {
    tryUnwrap(privateKey, ek) {
      const isFull = ((asked - answered) | 0) >= ROOMS;
      if (isGone || isFull || ek.length !== WRAPPED_KEY_BYTES) return undefined;
      if (asked === answered) worker.ref();
      const room = roomOf(asked);
      memory.keyPlaces[room] = privateKeys.indexOf(privateKey);
      memory.wrappedKeys.set(ek, room * WRAPPED_KEY_BYTES);
      asked = (asked + 1) | 0;
      const answer = new Promise<Uint8Array | null>((resolve) => {
        underWay[room] = { privateKey, ek, resolve };
      });
      Atomics.store(memory.asked, 0, asked);
      Atomics.notify(memory.asked, 0);
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
    asked: count(),
    done: count(),
    isTold: count(),
    privateKeys: sharePrivateKeys(privateKeys),
    keyPlaces: new Uint16Array(new SharedArrayBuffer(ROOMS * Uint16Array.BYTES_PER_ELEMENT)),
    wrappedKeys: bytes(ROOMS * WRAPPED_KEY_BYTES),
    opens: bytes(ROOMS),
    baseKeys: bytes(ROOMS * BASE_KEY_BYTES),
    rooms: ROOMS,
    wrappedKeyBytes: WRAPPED_KEY_BYTES,
    baseKeyBytes: BASE_KEY_BYTES,
  };
}
