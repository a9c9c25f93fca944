import { type Cipher, wrapCipher } from '@noble/ciphers/utils.js';
import { equalBytes } from '@noble/curves/utils.js';
import { clean } from '@noble/hashes/utils.js';
import { DecryptionFailedError } from './errors.js';
import { Ghash } from './ghash.js';
import { expandSm4Key, SM4_BLOCK_BYTES, sm4Rounds } from './sm4.js';

/** The only IV length: 96 bits, as in RFC 8998. Other lengths need a GHASH of the IV and collide sooner. */
export const GCM_IV_BYTES = 12;

/** The only tag length: 128 bits. A shorter tag can be guessed. */
export const GCM_TAG_BYTES = 16;

/** One message under one key and IV (NIST SP 800-38D, 7.1). Use it once, then destroy it. */
class GcmMessage {
  readonly #roundKeys: Int32Array;
  readonly #iv: DataView;
  readonly #keyStream = new Int32Array(4);

  constructor(key: Uint8Array, iv: Uint8Array) {
    if (iv.length !== GCM_IV_BYTES) throw new RangeError(`SM4-GCM IV: expected 12 bytes, got ${iv.length}`);
    this.#roundKeys = expandSm4Key(key);
    this.#iv = new DataView(iv.buffer, iv.byteOffset, iv.byteLength);
  }

  /** GCTR over the data, in both directions; the first counter after J0 = IV || 1 is 2. */
  crypt(input: Uint8Array): Uint8Array {
    const output = new Uint8Array(input.length);
    const from = new DataView(input.buffer, input.byteOffset, input.byteLength);
    const to = new DataView(output.buffer);
    const keyStream = this.#keyStream;
    const whole = input.length - (input.length % SM4_BLOCK_BYTES);
    let counter = 2;
    for (let i = 0; i < whole; i += SM4_BLOCK_BYTES) {
      this.#encryptCounter(counter++);
      to.setInt32(i, from.getInt32(i) ^ keyStream[0]!);
      to.setInt32(i + 4, from.getInt32(i + 4) ^ keyStream[1]!);
      to.setInt32(i + 8, from.getInt32(i + 8) ^ keyStream[2]!);
      to.setInt32(i + 12, from.getInt32(i + 12) ^ keyStream[3]!);
    }
    if (whole < input.length) this.#encryptCounter(counter);
    for (let i = whole; i < input.length; i++) {
      output[i] = input[i]! ^ (keyStream[(i >> 2) & 3]! >>> (24 - 8 * (i & 3)));
    }
    return output;
  }

  /** The tag: GHASH of associated data and ciphertext, XOR E(J0). */
  tag(aad: Uint8Array, ciphertext: Uint8Array): Uint8Array {
    const subkey = this.#hashSubkey();
    const ghash = new Ghash(subkey).update(aad).update(ciphertext);
    const hash = ghash.digest(aad.length, ciphertext.length);
    ghash.destroy();
    clean(subkey);
    this.#encryptCounter(1);
    const tag = new Uint8Array(GCM_TAG_BYTES);
    const view = new DataView(tag.buffer);
    hash.forEach((word, i) => {
      view.setInt32(4 * i, word ^ this.#keyStream[i]!);
    });
    return tag;
  }

  destroy(): void {
    clean(this.#roundKeys, this.#keyStream);
  }

  #hashSubkey(): Uint8Array {
    sm4Rounds(this.#roundKeys, 0, 0, 0, 0, this.#keyStream);
    const subkey = new Uint8Array(SM4_BLOCK_BYTES);
    const view = new DataView(subkey.buffer);
    this.#keyStream.forEach((word, i) => {
      view.setInt32(4 * i, word);
    });
    return subkey;
  }

  #encryptCounter(counter: number): void {
    const iv = this.#iv;
    sm4Rounds(this.#roundKeys, iv.getInt32(0), iv.getInt32(4), iv.getInt32(8), counter, this.#keyStream);
  }
}

/** Seals a message: `ciphertext || tag`. Key 16 bytes, IV 12. Never use the pair for a second message. */
export function sm4GcmSeal(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const message = new GcmMessage(key, iv);
  const ciphertext = message.crypt(plaintext);
  const sealed = new Uint8Array(ciphertext.length + GCM_TAG_BYTES);
  sealed.set(ciphertext);
  sealed.set(message.tag(aad, ciphertext), ciphertext.length);
  message.destroy();
  return sealed;
}

/**
 * Opens `ciphertext || tag`. Null for a wrong, missing or short tag, and for an IV that is not 12 bytes long. The tag
 * is compared in constant time, and nothing is decrypted before it matches.
 */
export function sm4GcmOpen(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array | null {
  if (iv.length !== GCM_IV_BYTES || sealed.length < GCM_TAG_BYTES) return null;
  const ciphertext = sealed.subarray(0, -GCM_TAG_BYTES);
  const message = new GcmMessage(key, iv);
  const expected = message.tag(aad, ciphertext);
  const plaintext = equalBytes(expected, sealed.subarray(-GCM_TAG_BYTES)) ? message.crypt(ciphertext) : null;
  // The right tag of a forged ciphertext would complete the forgery.
  clean(expected);
  message.destroy();
  return plaintext;
}

/** Ends a turn of the event loop, so that other work runs before the next step. */
export type YieldToEventLoop = () => Promise<void>;

/** {@link sm4GcmSeal} in two turns of the event loop, because 64 KiB take two milliseconds. */
export async function sm4GcmSealInTurns(
  key: Uint8Array,
  iv: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
  yieldToEventLoop: YieldToEventLoop,
): Promise<Uint8Array> {
  const message = new GcmMessage(key, iv);
  const sealed = new Uint8Array(plaintext.length + GCM_TAG_BYTES);
  const ciphertext = sealed.subarray(0, plaintext.length);
  ciphertext.set(message.crypt(plaintext));
  await yieldToEventLoop();
  sealed.set(message.tag(aad, ciphertext), plaintext.length);
  message.destroy();
  return sealed;
}

/** {@link sm4GcmOpen} in two turns of the event loop. `sealed` must not change in between. */
export async function sm4GcmOpenInTurns(
  key: Uint8Array,
  iv: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
  yieldToEventLoop: YieldToEventLoop,
): Promise<Uint8Array | null> {
  if (iv.length !== GCM_IV_BYTES || sealed.length < GCM_TAG_BYTES) return null;
  const ciphertext = sealed.subarray(0, -GCM_TAG_BYTES);
  const message = new GcmMessage(key, iv);
  const expected = message.tag(aad, ciphertext);
  const isRight = equalBytes(expected, sealed.subarray(-GCM_TAG_BYTES));
  // The right tag of a forged ciphertext would complete the forgery.
  clean(expected);
  if (isRight) await yieldToEventLoop();
  const plaintext = isRight ? message.crypt(ciphertext) : null;
  message.destroy();
  return plaintext;
}

/**
 * SM4-GCM (GB/T 32907, NIST SP 800-38D, RFC 8998) with the interface of noble's ciphers: 16-byte key, 12-byte IV, and a
 * 16-byte tag after the ciphertext. `encrypt` works once per instance. `decrypt` throws {@link DecryptionFailedError}
 * for everything that does not open.
 *
 * @example
 * ```ts
 * const [key, iv, aad] = [randomBytes(16), randomBytes(12), Buffer.from('of whom')];
 * const digest = sm3(Buffer.from('abc')); // 66c7f0f4…8f4ba8e0
 * const sealed = sm4gcm(key, iv, aad).encrypt(digest);
 * assert.deepEqual(sm4gcm(key, iv, aad).decrypt(sealed), digest);
 * ```
 */
export const sm4gcm: (key: Uint8Array, iv: Uint8Array, aad?: Uint8Array) => Cipher = /* @__PURE__ */ wrapCipher(
  { blockSize: SM4_BLOCK_BYTES, nonceLength: GCM_IV_BYTES, tagLength: GCM_TAG_BYTES, withAAD: true },
  (key: Uint8Array, iv: Uint8Array, aad: Uint8Array = new Uint8Array()): Cipher => {
    if (key.length !== SM4_BLOCK_BYTES) throw new RangeError(`SM4 key: expected 16 bytes, got ${key.length}`);
    return {
      encrypt: (plaintext: Uint8Array) => sm4GcmSeal(key, iv, aad, plaintext),
      decrypt(sealed: Uint8Array) {
        const plaintext = sm4GcmOpen(key, iv, aad, sealed);
        if (plaintext === null) throw new DecryptionFailedError();
        return plaintext;
      },
    } as Cipher;
  },
);
