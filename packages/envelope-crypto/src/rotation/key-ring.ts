import type { FastifyBaseLogger } from 'fastify';
import { EnvelopeKeyUnavailableError } from '../errors.js';
import type { ServerKeys, UnwrapHere } from '../keys/index.js';
import type { KeyPair } from '../suites/index.js';

/** Unwraps with the private keys of this process: on the event loop, or in threads that have copies of the keys. */
export interface Unwraps {
  readonly unwrap: UnwrapHere;
  /** Ends the threads, and wipes their copies. */
  close(): Promise<void>;
}

/** Options of {@link createKeyRing}. */
export interface KeyRingOptions {
  readonly keys: ServerKeys;
  /** Starts the unwrapping with these keys. Rejects if it gives a wrong answer. */
  readonly startUnwraps: (keyPairs: readonly KeyPair[]) => Promise<Unwraps>;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

/** The keys of a running service, which are replaced as a whole. */
export interface KeyRing extends Pick<ServerKeys, 'current' | 'has'> {
  unwrap(keyId: string, ek: Uint8Array): ReturnType<ServerKeys['unwrap']>;
  /** The keys in use. */
  readonly keys: ServerKeys;
  /**
   * Uses other keys from now on. If they can't be used, it rejects, wipes them and changes nothing. A running unwrap
   * ends with the keys with which it began. Those keys are then wiped.
   */
  replace(keys: ServerKeys): Promise<void>;
  /** Ends the threads and wipes all keys. Afterwards an unwrap rejects with an `EnvelopeKeyUnavailableError`. */
  close(): Promise<void>;
}

/** A set of keys, and its unwrapping. */
interface HeldKeys {
  readonly keys: ServerKeys;
  readonly unwraps: Unwraps;
  underWay: number;
}

/** Starts the unwrapping with the first keys. */
export async function createKeyRing({ keys, startUnwraps, log }: KeyRingOptions): Promise<KeyRing> {
  let held = await hold(keys);
  /** Replaced keys whose unwraps have not all ended. */
  const retired = new Set<HeldKeys>();
  let isClosed = false;

  async function hold(keys: ServerKeys): Promise<HeldKeys> {
    try {
      return { keys, unwraps: await startUnwraps(keys.keyPairs), underWay: 0 };
    } catch (error) {
      keys.wipe();
      throw error;
    }
  }

  function releaseUnused(old: HeldKeys): void {
    if (old.underWay > 0 || !retired.delete(old)) return;
    release(old).catch((err: unknown) => log.error({ err }, 'replaced keys could not be released'));
  }

  async function release({ keys, unwraps }: HeldKeys): Promise<void> {
    try {
      await unwraps.close();
    } finally {
      keys.wipe();
    }
  }

  async function counted(by: HeldKeys, unwrapping: Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    by.underWay++;
    try {
      return await unwrapping;
    } finally {
      by.underWay--;
      releaseUnused(by);
    }
  }

  return {
    get keys() {
      return held.keys;
    },
    get current() {
      return held.keys.current;
    },
    has: (keyId) => held.keys.has(keyId),
    unwrap(keyId, ek) {
      if (isClosed) throw new EnvelopeKeyUnavailableError({ cause: new Error('the service is closing') });
      const by = held;
      const unwrapped = by.keys.unwrap(keyId, ek, by.unwraps.unwrap);
      return unwrapped instanceof Promise ? counted(by, unwrapped) : unwrapped;
    },
    async replace(keys) {
      const next = await hold(keys);
      if (isClosed) return release(next);
      const old = held;
      held = next;
      retired.add(old);
      releaseUnused(old);
    },
    async close() {
      isClosed = true;
      await Promise.all([held, ...retired].map(release));
    },
  };
}
