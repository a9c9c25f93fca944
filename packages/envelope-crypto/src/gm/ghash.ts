/**
 * GHASH (NIST SP 800-38D, 6.4): the universal hash of GCM, as four 32-bit words in the big-endian order of the standard
 * (bit 0 is the most significant bit of word 0).
 *
 * It looks up multiples of H by the bytes of the data (Shoup's method, 8 bits a step). Every request has a fresh key, so
 * the table is built for each message: 255 XORs of four words, which a message of some hundred bytes wins back. Look-ups
 * by data that depend on the key are not constant time; a constant-time kernel is the other implementation of the suite.
 */

/** What a shift right by one byte carries out, reduced by x^128 + x^7 + x^2 + x + 1, as the word it is XORed into. */
const REDUCTION = Uint32Array.from({ length: 256 }, (_, byte) => {
  let word = 0;
  for (let bit = 0, rest = byte; bit < 8; bit++, rest >>>= 1) word = (word >>> 1) ^ (rest & 1 ? 0xe1000000 : 0);
  return word;
});

/** The products of H with every byte standing in the first place: 256 entries of four words. */
function multiplesOf(h: DataView): Uint32Array {
  const table = new Uint32Array(1024);
  let a = h.getUint32(0);
  let b = h.getUint32(4);
  let c = h.getUint32(8);
  let d = h.getUint32(12);
  // Bit 0 is the most significant one (0x80): H itself; each next lower bit is one multiplication by x.
  for (let bit = 0x80; bit > 0; bit >>>= 1) {
    table.set([a, b, c, d], 4 * bit);
    const carry = d & 1 ? 0xe1000000 : 0;
    d = (d >>> 1) | (c << 31);
    c = (c >>> 1) | (b << 31);
    b = (b >>> 1) | (a << 31);
    a = (a >>> 1) ^ carry;
  }
  for (let bit = 2; bit < 256; bit *= 2) {
    for (let i = 4; i < 4 * bit; i++) table[4 * bit + i] = table[4 * bit + (i & 3)]! ^ table[i]!;
  }
  return table;
}

/** The tag input of one message: `update` for each part, which is padded with zeros to whole blocks, then `digest`. */
export class Ghash {
  readonly #table: Uint32Array;
  #y0 = 0;
  #y1 = 0;
  #y2 = 0;
  #y3 = 0;

  /** @param h the 16-byte hash subkey, E(0) */
  constructor(h: Uint8Array) {
    this.#table = multiplesOf(new DataView(h.buffer, h.byteOffset, h.byteLength));
  }

  /** Takes in one part (associated data, or ciphertext), padded with zeros to whole blocks. */
  update(data: Uint8Array): this {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const whole = data.length - (data.length % 16);
    for (let i = 0; i < whole; i += 16) {
      this.#block(view.getUint32(i), view.getUint32(i + 4), view.getUint32(i + 8), view.getUint32(i + 12));
    }
    if (whole < data.length) {
      const last = new Uint8Array(16);
      last.set(data.subarray(whole));
      this.update(last);
    }
    return this;
  }

  /** Takes in the block of both lengths in bits (SP 800-38D, 7.1, step 5) and yields the hash as four words. */
  digest(associatedBytes: number, ciphertextBytes: number): [number, number, number, number] {
    const high = (bytes: number) => Math.floor(bytes / 0x20000000);
    const low = (bytes: number) => bytes << 3;
    this.#block(high(associatedBytes), low(associatedBytes), high(ciphertextBytes), low(ciphertextBytes));
    return [this.#y0, this.#y1, this.#y2, this.#y3];
  }

  /** Forgets the multiples of H and the state. */
  destroy(): void {
    this.#table.fill(0);
    this.#y0 = this.#y1 = this.#y2 = this.#y3 = 0;
  }

  /** Y ← (Y ⊕ X) · H, from the last byte to the first: shift the sum by a byte, reduce, add the byte's multiple of H. */
  #block(x0: number, x1: number, x2: number, x3: number): void {
    const table = this.#table;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let word = this.#y3 ^ x3;
    for (let step = 0; step < 16; step++) {
      if (step === 4) word = this.#y2 ^ x2;
      else if (step === 8) word = this.#y1 ^ x1;
      else if (step === 12) word = this.#y0 ^ x0;
      const carry = REDUCTION[d & 0xff]!;
      const multiple = (word & 0xff) << 2;
      d = ((d >>> 8) | (c << 24)) ^ table[multiple + 3]!;
      c = ((c >>> 8) | (b << 24)) ^ table[multiple + 2]!;
      b = ((b >>> 8) | (a << 24)) ^ table[multiple + 1]!;
      a = (a >>> 8) ^ carry ^ table[multiple]!;
      word >>>= 8;
    }
    this.#y0 = a;
    this.#y1 = b;
    this.#y2 = c;
    this.#y3 = d;
  }
}
