import { equalBytes } from '@noble/curves/utils.js';
import {
  buildSm2BaseTable,
  SM2_SCALAR_BYTES,
  type Sm2Encryptor,
  sm2Encryptor,
  sm2Open,
  sm2PublicKey,
  sm3,
  sm4GcmOpen,
  sm4GcmOpenInTurns,
  sm4GcmSeal,
  sm4GcmSealInTurns,
} from '../gm/index.js';
import { asciiBytes, BASE_KEY_BYTES, SUITE_NAME, WRAPPED_KEY_BYTES } from '../wire/index.js';
import type { ClientSuite, EnvelopeSuite } from './suite.js';

/** The ephemeral scalar of an encryption that only builds a table, and whose result is dropped. */
const TABLE_SCALAR = new Uint8Array(SM2_SCALAR_BYTES).fill(1);

/** The client's part of the portable implementation: plain JavaScript, the same in Node.js and in browsers. */
export const portableClientSuite: ClientSuite = {
  name: SUITE_NAME,

  prepareWrapping(publicKey) {
    if (publicKey === undefined) buildSm2BaseTable();
    else encryptorFor(publicKey, true)(new Uint8Array(BASE_KEY_BYTES), TABLE_SCALAR);
  },

  wrapBaseKey(publicKey, baseKey, ephemeral) {
    if (baseKey.length !== BASE_KEY_BYTES) throw new RangeError(`base key: expected 16 bytes, got ${baseKey.length}`);
    return encryptorFor(publicKey)(baseKey, ephemeral);
  },

  deriveKeys(baseKey, nonce, keyId) {
    // HKDF (RFC 5869), 2.2 and 2.3: one block is enough for each key.
    const prk = hmac(nonce, baseKey);
    const derive = (purpose: 'request' | 'response') =>
      hmac(prk, asciiBytes(`${SUITE_NAME}|${purpose}|${keyId}\x01`)).slice(0, BASE_KEY_BYTES);
    const keys = { requestKey: derive('request'), responseKey: derive('response') };
    prk.fill(0);
    return keys;
  },

  sealMessage: sm4GcmSeal,
  openMessage: sm4GcmOpen,
  hashToken: (token) => sm3(asciiBytes(token)),
};

/**
 * HMAC-SM3 (RFC 2104) with a key of up to 64 bytes. Browsers load this code, which has a tenth of the size of noble's.
 */
function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(sm3.blockLen);
  padded.set(key);
  const keyed = (mask: number) => sm3.create().update(padded.map((byte) => byte ^ mask));
  const code = keyed(0x5c).update(keyed(0x36).update(message).digest()).digest();
  padded.fill(0);
  return code;
}

/** The portable implementation for a service. Marked as pure, so that a client's bundle omits the service's part. */
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
 * The encryptor of the last public key. A client wraps every base key for the same public key, so the second call
 * builds a table for it. A single entry bounds the memory. A client that alternates between two keys is only slower.
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
