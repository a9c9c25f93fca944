import { HashMD } from '@noble/hashes/_md.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { type CHash, clean, createHasher, rotl } from '@noble/hashes/utils.js';

/** GB/T 32905-2016, 4.1: the initial value. */
const INITIAL_VALUE = Uint32Array.from([
  0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
]);

/** GB/T 32905-2016, 4.2: T_j, here already rotated left by j mod 32, as each round uses it (5.3.3). */
const ROUND_CONSTANTS = Int32Array.from({ length: 64 }, (_, j) => rotl(j < 16 ? 0x79cc4519 : 0x7a879d8a, j % 32));

/** GB/T 32905-2016, 4.4: the permutations of the compression function and of the message expansion. */
const permute0 = (x: number) => x ^ rotl(x, 9) ^ rotl(x, 17);
const permute1 = (x: number) => x ^ rotl(x, 15) ^ rotl(x, 23);

/**
 * The expanded message of the current block. All instances can share it, because a block is processed without
 * interruption.
 */
const W = new Int32Array(68);

/** SM3 as one of noble's Merkle–Damgård hashes: 64-byte blocks, 32-byte digest, 64-bit length, big-endian. */
class Sm3 extends HashMD<Sm3> {
  private a = 0;
  private b = 0;
  private c = 0;
  private d = 0;
  private e = 0;
  private f = 0;
  private g = 0;
  private h = 0;

  constructor() {
    super(64, 32, 8, false);
    this.set(...INITIAL_VALUE);
  }

  protected get(): number[] {
    return [this.a, this.b, this.c, this.d, this.e, this.f, this.g, this.h];
  }

  protected set(...words: number[]): void {
    const [a, b, c, d, e, f, g, h] = words as [number, number, number, number, number, number, number, number];
    this.a = a | 0;
    this.b = b | 0;
    this.c = c | 0;
    this.d = d | 0;
    this.e = e | 0;
    this.f = f | 0;
    this.g = g | 0;
    this.h = h | 0;
  }

  protected process(view: DataView, offset: number): void {
    // GB/T 32905-2016, 5.3.2: message expansion. W' (the second sequence) is W[j] ^ W[j + 4], taken where it is used.
    for (let j = 0; j < 16; j++) W[j] = view.getInt32(offset + 4 * j, false);
    for (let j = 16; j < 68; j++) {
      W[j] = permute1(W[j - 16]! ^ W[j - 9]! ^ rotl(W[j - 3]!, 15)) ^ rotl(W[j - 13]!, 7) ^ W[j - 6]!;
    }

    // 5.3.3: compression. FF and GG (4.3) are XOR in the first 16 rounds, majority and choice in the other 48.
    let { a, b, c, d, e, f, g, h } = this;
    for (let j = 0; j < 64; j++) {
      const a12 = rotl(a, 12);
      const ss1 = rotl((a12 + e + ROUND_CONSTANTS[j]!) | 0, 7);
      const ff = j < 16 ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
      const gg = j < 16 ? e ^ f ^ g : (e & f) | (~e & g);
      const tt1 = (ff + d + (ss1 ^ a12) + (W[j]! ^ W[j + 4]!)) | 0;
      const tt2 = (gg + h + ss1 + W[j]!) | 0;
      d = c;
      c = rotl(b, 9);
      b = a;
      a = tt1;
      h = g;
      g = rotl(f, 19);
      f = e;
      e = permute0(tt2);
    }
    // Unlike SHA-2, SM3 XORs the result of a block into the state instead of adding it.
    this.set(a ^ this.a, b ^ this.b, c ^ this.c, d ^ this.d, e ^ this.e, f ^ this.f, g ^ this.g, h ^ this.h);
  }

  protected roundClean(): void {
    clean(W);
  }

  _cloneInto(to: Sm3 = new Sm3()): Sm3 {
    to.set(...this.get());
    return this._cloneIntoMeta(to);
  }

  destroy(): void {
    this.destroyed = true;
    this.set(0, 0, 0, 0, 0, 0, 0, 0);
    clean(this.buffer);
  }
}

/**
 * SM3 (GB/T 32905-2016): a 256-bit hash with the interface of noble's hashes. Call it with bytes, or use
 * `sm3.create()`, `update` and `digest`. `hmac` and `hkdf` of `@noble/hashes` accept it.
 *
 * @example
 * ```ts
 * import { sm3, sm4gcm } from '@sallyport/envelope-crypto/gm';
 *
 * const [key, iv, aad] = [randomBytes(16), randomBytes(12), Buffer.from('of whom')];
 * const digest = sm3(Buffer.from('abc')); // 66c7f0f4…8f4ba8e0
 * ```
 */
export const sm3: CHash<Sm3> = /* @__PURE__ */ createHasher(() => new Sm3());

/**
 * HMAC-SM3 (RFC 2104 with SM3; GM/T 0042-2015 D.3 has examples).
 *
 * @param key of any length; a key longer than 64 bytes is hashed first
 */
export function hmacSm3(key: Uint8Array, message: Uint8Array): Uint8Array {
  return hmac(sm3, key, message);
}

/**
 * HKDF over HMAC-SM3 (RFC 5869): extract, then expand.
 *
 * @param length of the output in bytes, 0 to 8160 (255 hashes)
 */
export function hkdfSm3(ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  return hkdf(sm3, ikm, salt, info, length);
}
