/**
 * GHASH (NIST SP 800-38D, 6.4): the universal hash of GCM, as four 32-bit words in the big-endian order of the standard
 * (bit 0 is the most significant bit of word 0).
 *
 * It looks up multiples of H by the bytes of its state (Shoup's method, 8 bits per step). Every envelope has a fresh
 * key, so the table is built for each message. This takes a few microseconds, which 4 bits per step would lose on half
 * a kilobyte. Look-ups by key-dependent bytes are not constant time (cache). The kernel (kernel/README.md) is constant
 * time; this implementation checks it, and serves where WebAssembly is missing.
 *
 * GHASH of `@noble/ciphers/_polyval.js` would replace this file. With it, sealing and opening a message takes 2.0 times
 * as long for 1 KiB and 1.6 times for 64 KiB, and the browser client grows by 701 bytes gzipped, beyond its limit.
 * `node packages/envelope-crypto/bench/ghash/main.mjs` prints the comparison.
 */

/** R of the standard (6.3): x^128 reduced, which is 1 + x + x^2 + x^7 with the first coefficient as the first bit. */
const R = 0xe1000000 | 0;

/** The byte that a shift carries out of the last word, reduced. It is XORed into the first word. */
const REDUCTION = Int32Array.from({ length: 256 }, (_, byte) => {
  let word = 0;
  for (let bit = 0; bit < 8; bit++) word = (word >>> 1) ^ (R & -((byte >>> bit) & 1));
  return word;
});

/** The products of H with every value of the first byte: 256 entries of four words. */
function multiplesOf(h: DataView): Int32Array {
  const table = new Int32Array(1024);
  let a = h.getInt32(0);
  let b = h.getInt32(4);
  let c = h.getInt32(8);
  let d = h.getInt32(12);
  // The first coefficient is the most significant bit (0x80): H itself; each next bit is one multiplication by x.
  for (let entry = 4 * 0x80; entry >= 4; entry >>>= 1) {
    table[entry] = a;
    table[entry + 1] = b;
    table[entry + 2] = c;
    table[entry + 3] = d;
    const carry = R & -(d & 1);
    d = (d >>> 1) | (c << 31);
    c = (c >>> 1) | (b << 31);
    b = (b >>> 1) | (a << 31);
    a = (a >>> 1) ^ carry;
  }
  // Every other byte is the sum of its highest bit and of a smaller byte.
  for (let bit = 8; bit < 1024; bit *= 2) {
    for (let i = 4; i < bit; i += 4) {
      table[bit + i] = table[bit]! ^ table[i]!;
      table[bit + i + 1] = table[bit + 1]! ^ table[i + 1]!;
      table[bit + i + 2] = table[bit + 2]! ^ table[i + 2]!;
      table[bit + i + 3] = table[bit + 3]! ^ table[i + 3]!;
    }
  }
  return table;
}

/** Hashes one message: `update` for each part, then `digest`. */
export class Ghash {
  readonly #table: Int32Array;
  #y0 = 0;
  #y1 = 0;
  #y2 = 0;
  #y3 = 0;

  /** @param h the 16-byte hash subkey, E(0) */
  constructor(h: Uint8Array) {
    this.#table = multiplesOf(new DataView(h.buffer, h.byteOffset, h.byteLength));
  }

  /** Adds one part (associated data or ciphertext), padded with zeros to whole blocks. */
  update(data: Uint8Array): this {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const whole = data.length - (data.length % 16);
    for (let i = 0; i < whole; i += 16) {
      this.#block(view.getInt32(i), view.getInt32(i + 4), view.getInt32(i + 8), view.getInt32(i + 12));
    }
    if (whole < data.length) {
      const last = new Uint8Array(16);
      last.set(data.subarray(whole));
      this.update(last);
    }
    return this;
  }

  /** Adds the block of both lengths in bits (SP 800-38D, 7.1, step 5) and returns the hash as four words. */
  digest(associatedBytes: number, ciphertextBytes: number): [number, number, number, number] {
    const high = (bytes: number) => Math.floor(bytes / 0x20000000);
    const low = (bytes: number) => bytes << 3;
    this.#block(high(associatedBytes), low(associatedBytes), high(ciphertextBytes), low(ciphertextBytes));
    return [this.#y0, this.#y1, this.#y2, this.#y3];
  }

  /** Overwrites the multiples of H and the state. */
  destroy(): void {
    this.#table.fill(0);
    this.#y0 = this.#y1 = this.#y2 = this.#y3 = 0;
  }

  /**
   * Y ← (Y ⊕ X) · H, from the last byte to the first: shift the sum by a byte, reduce, add the byte's multiple of H.
   */
  #block(x0: number, x1: number, x2: number, x3: number): void {
    const table = this.#table;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 3; i >= 0; i--) {
      let word = i === 3 ? this.#y3 ^ x3 : i === 2 ? this.#y2 ^ x2 : i === 1 ? this.#y1 ^ x1 : this.#y0 ^ x0;
      for (let byte = 0; byte < 4; byte++) {
        const carry = REDUCTION[d & 0xff]!;
        const multiple = (word & 0xff) << 2;
        d = ((d >>> 8) | (c << 24)) ^ table[multiple + 3]!;
        c = ((c >>> 8) | (b << 24)) ^ table[multiple + 2]!;
        b = ((b >>> 8) | (a << 24)) ^ table[multiple + 1]!;
        a = (a >>> 8) ^ carry ^ table[multiple]!;
        word >>>= 8;
      }
    }
    this.#y0 = a;
    this.#y1 = b;
    this.#y2 = c;
    this.#y3 = d;
  }
}
