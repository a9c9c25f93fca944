import { equalBytes } from '@noble/curves/utils.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { sm4GcmOpen, sm4GcmSeal } from '../gm/gcm.js';
import { sm4GcmOpenInTurns, sm4GcmSealInTurns } from '../gm/gcm-in-turns.js';
import {
  randomSm2Scalar,
  SM2_OVERHEAD_BYTES,
  type Sm2Encryptor,
  sm2Encryptor,
  sm2Open,
  sm2PublicKey,
} from '../gm/sm2.js';
import { sm3 } from '../gm/sm3.js';

/** The name on the wire, in the keys' derivation and in the additional authenticated data. */
export const SUITE_NAME = 'sm2-sm4-gcm-v1';

/** Bytes of the base key that a request wraps, and of both keys derived from it. */
export const BASE_KEY_BYTES = 16;

/** Bytes of a wrapped base key: SM2's C1, C3 and C2. */
export const WRAPPED_KEY_BYTES = SM2_OVERHEAD_BYTES + BASE_KEY_BYTES;

/**
 * The cryptography of the envelope, as bytes in and bytes out. The service and the client speak to this interface only,
 * so that another implementation (a constant-time kernel) can take the place of the portable one.
 *
 * Input from the network never throws: what doesn't open yields null, without a cause. A `RangeError` is a caller's mistake.
 */
export interface EnvelopeSuite {
  readonly name: 'sm2-sm4-gcm-v1';

  /** The public key of a 32-byte private key: 65 bytes, 04, x, y. */
  publicKeyOf(privateKey: Uint8Array): Uint8Array;

  /**
   * Builds ahead of time what makes wrapping quick: for every key alike, or also for one. It holds the thread for up to
   * 50 ms, so call it when nothing waits; wrapping does the same where nobody has. Absent where there is nothing to build.
   */
  prepareWrapping?(publicKey?: Uint8Array): void;

  /** Wraps a 16-byte base key: 113 bytes. `ephemeral` (32 bytes) is for known-answer tests only. */
  wrapBaseKey(publicKey: Uint8Array, baseKey: Uint8Array, ephemeral?: Uint8Array): Uint8Array;

  /** Unwraps a base key; null for every cause of failure, a length other than 113 bytes among them. */
  unwrapBaseKey(privateKey: Uint8Array, ek: Uint8Array): Uint8Array | null;

  /** Unwraps several base keys with one private key, each as {@link unwrapBaseKey} would. Absent where it takes as long as one by one. */
  unwrapBaseKeys?(privateKey: Uint8Array, eks: readonly Uint8Array[]): readonly (Uint8Array | null)[];

  /** The request key and the response key of a base key, 16 bytes each; bound to the 16-byte nonce and the key id. */
  deriveKeys(
    baseKey: Uint8Array,
    nonce: Uint8Array,
    keyId: string,
  ): { requestKey: Uint8Array; responseKey: Uint8Array };

  /** Seals a message: ciphertext, then tag. A key must never meet the same 12-byte IV twice. */
  sealMessage(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Uint8Array;

  /** Opens a ciphertext with its tag behind it; null for every cause of failure. */
  openMessage(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, ct: Uint8Array): Uint8Array | null;

  /** {@link sealMessage} and {@link openMessage} for a large message, with turns for others in between. Absent where they take too little time. */
  readonly inTurns?: {
    seal(
      key: Uint8Array,
      iv: Uint8Array,
      aad: Uint8Array,
      plaintext: Uint8Array,
      nextTurn: NextTurn,
    ): Promise<Uint8Array>;
    open(
      key: Uint8Array,
      iv: Uint8Array,
      aad: Uint8Array,
      ct: Uint8Array,
      nextTurn: NextTurn,
    ): Promise<Uint8Array | null>;
  };

  /** SM3 of the bearer token's UTF-8 bytes, for the additional authenticated data. */
  hashToken(token: string): Uint8Array;
}

type NextTurn = () => Promise<void>;

/** What a client needs of the suite: it has no private key, and nobody else to let have a turn. */
export type ClientSuite = Omit<EnvelopeSuite, 'publicKeyOf' | 'unwrapBaseKey' | 'unwrapBaseKeys' | 'inTurns'>;

/** The portable implementation as far as a client needs it: plain JavaScript, the same in Node and in browsers. */
export const portableClientSuite: ClientSuite = {
  name: SUITE_NAME,

  prepareWrapping(publicKey) {
    if (publicKey === undefined) sm2PublicKey(randomSm2Scalar());
    else encryptorFor(publicKey, true)(new Uint8Array(BASE_KEY_BYTES));
  },

  wrapBaseKey(publicKey, baseKey, ephemeral) {
    if (baseKey.length !== BASE_KEY_BYTES) throw new RangeError(`base key: expected 16 bytes, got ${baseKey.length}`);
    return encryptorFor(publicKey)(baseKey, ephemeral);
  },

  deriveKeys(baseKey, nonce, keyId) {
    const prk = extract(sm3, baseKey, nonce);
    const derive = (purpose: 'request' | 'response') =>
      expand(sm3, prk, utf8ToBytes(`${SUITE_NAME}|${purpose}|${keyId}`), BASE_KEY_BYTES);
    const keys = { requestKey: derive('request'), responseKey: derive('response') };
    prk.fill(0);
    return keys;
  },

  sealMessage: sm4GcmSeal,
  openMessage: sm4GcmOpen,
  hashToken: (token) => sm3(utf8ToBytes(token)),
};

/** The portable implementation for a service. Marked as pure, so that a client's bundle goes without what only a service needs. */
export const sm2Sm4GcmV1: EnvelopeSuite = /* @__PURE__ */ forService(portableClientSuite);

function forService(suite: ClientSuite): EnvelopeSuite {
  return {
    ...suite,
    publicKeyOf: sm2PublicKey,
    inTurns: { seal: sm4GcmSealInTurns, open: sm4GcmOpenInTurns },
    unwrapBaseKey: (privateKey, ek) => (ek.length === WRAPPED_KEY_BYTES ? sm2Open(privateKey, ek) : null),
  };
}

/**
 * The encryptor of the last public key. A client wraps every base key for one key, the service's: from the second time on
 * a table is built for it. One entry bounds the memory; two keys in turn are only slower.
 */
let cached: { publicKey: Uint8Array; encrypt: Sm2Encryptor; precomputed: boolean } | null = null;

function encryptorFor(publicKey: Uint8Array, precompute = false): Sm2Encryptor {
  if (cached === null || !equalBytes(cached.publicKey, publicKey)) {
    const encrypt = sm2Encryptor(publicKey, precompute);
    cached = { publicKey: publicKey.slice(), encrypt, precomputed: precompute };
  } else if (!cached.precomputed) {
    cached = { ...cached, encrypt: sm2Encryptor(publicKey, true), precomputed: true };
  }
  return cached.encrypt;
}
