import type { YieldToEventLoop } from '../gm/index.js';

/**
 * The cryptography of the envelope, as bytes in and bytes out. Service and client use only this interface, so that the
 * implementations are interchangeable.
 *
 * Input from the network never throws: a message that does not open yields null, without a cause. A `RangeError` is a
 * mistake of the caller.
 */
export interface EnvelopeSuite {
  readonly name: 'sm2-sm4-gcm-v1';

  /** The public key of a 32-byte private key: 65 bytes, 04, x, y. */
  publicKeyOf(privateKey: Uint8Array): Uint8Array;

  /**
   * Builds the tables that speed up wrapping, for all keys, and with an argument for that key. It blocks the thread for
   * up to 50 ms, so call it when nothing waits. Otherwise, the first call of `wrapBaseKey` does it. Absent if there is
   * nothing to build.
   */
  prepareWrapping?(publicKey?: Uint8Array): void;

  /** Wraps a 16-byte base key: 113 bytes. `ephemeral` (32 bytes) is for known-answer tests only. */
  wrapBaseKey(publicKey: Uint8Array, baseKey: Uint8Array, ephemeral?: Uint8Array): Uint8Array;

  /** Unwraps a base key. Null for every cause of failure, including a length other than 113 bytes. */
  unwrapBaseKey(privateKey: Uint8Array, ek: Uint8Array): Uint8Array | null;

  /** {@link unwrapBaseKey} of several base keys with one private key. Absent if it would save no time. */
  unwrapBaseKeys?(privateKey: Uint8Array, eks: readonly Uint8Array[]): readonly (Uint8Array | null)[];

  /** Derives the request key and the response key, 16 bytes each, bound to the 16-byte nonce and the key id. */
  deriveKeys(
    baseKey: Uint8Array,
    nonce: Uint8Array,
    keyId: string,
  ): { requestKey: Uint8Array; responseKey: Uint8Array };

  /** Seals a message: ciphertext, then tag. Never use a key with the same 12-byte IV twice. */
  sealMessage(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Uint8Array;

  /** Opens a ciphertext that is followed by its tag. Null for every cause of failure. */
  openMessage(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, ct: Uint8Array): Uint8Array | null;

  /**
   * {@link sealMessage} and {@link openMessage} in several turns of the event loop. Absent if one turn is short enough.
   */
  readonly inTurns?: {
    seal(
      key: Uint8Array,
      iv: Uint8Array,
      aad: Uint8Array,
      plaintext: Uint8Array,
      yieldToEventLoop: YieldToEventLoop,
    ): Promise<Uint8Array>;
    open(
      key: Uint8Array,
      iv: Uint8Array,
      aad: Uint8Array,
      ct: Uint8Array,
      yieldToEventLoop: YieldToEventLoop,
    ): Promise<Uint8Array | null>;
  };

  /** SM3 of the bearer token's UTF-8 bytes, for the additional authenticated data. */
  hashToken(token: string): Uint8Array;
}

/** The part of the suite that a client uses: it has no private key. */
export type ClientSuite = Omit<EnvelopeSuite, 'publicKeyOf' | 'unwrapBaseKey' | 'unwrapBaseKeys' | 'inTurns'>;

/** A private key with its public key, computed by the portable implementation. */
export interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** The implementations of the suite: the constant-time WebAssembly kernel, and plain JavaScript. */
export type BackendName = 'kernel' | 'portable';

/** The implementation in use. */
export interface ActiveBackend {
  readonly name: BackendName;
  /** The reason for the choice, for people. */
  readonly reason: string;
}
