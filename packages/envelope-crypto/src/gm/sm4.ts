import { rotl } from '@noble/hashes/utils.js';

/** The affine map of the S-box: the circulant matrix of A7, and D3. */
function affine(x: number): number {
  return [0, 1, 2, 5, 7].reduce((sum, bits) => sum ^ (x >> bits) ^ (x << (8 - bits)), 0xd3) & 0xff;
}

/**
 * GB/T 32907-2016, 6.2: the S-box. It is inversion in GF(2^8) modulo x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1, between two
 * affine maps. In a browser bundle, the table of the standard would take twice as many bytes as this.
 */
function createSubstitutionBox(): Uint8Array {
  const inverse = new Uint8Array(256);
  // The element x generates the group: x^i and x^(255 − i) are inverse to each other.
  const powers = [1];
  for (let i = 0; i < 254; i++) powers.push((powers[i]! << 1) ^ (powers[i]! > 0x7f ? 0x1f5 : 0));
  powers.forEach((power, i) => {
    inverse[power] = powers[(255 - i) % 255]!;
  });
  return inverse.map((_, x) => affine(inverse[affine(x)]!));
}

const S_BOX = /* @__PURE__ */ createSubstitutionBox();

/** 7.3: the system parameters FK. */
const FK = [0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc] as const;

/** 7.3: the fixed parameters CK, byte j of CK_i being (4i + j) · 7 mod 256. */
const CK = Int32Array.from({ length: 32 }, (_, i) =>
  [0, 1, 2, 3].reduce((word, j) => (word << 8) | (((4 * i + j) * 7) & 0xff), 0),
);

/** The nonlinear τ (6.2.1), byte by byte. */
const substitute = (x: number) =>
  (S_BOX[x >>> 24]! << 24) | (S_BOX[(x >>> 16) & 0xff]! << 16) | (S_BOX[(x >>> 8) & 0xff]! << 8) | S_BOX[x & 0xff]!;

/**
 * The round function T = L ∘ τ (6.2) for one byte in each of the four positions, so that a round is four look-ups.
 * Look-ups by secret bytes are not constant time (cache); the kernel has none.
 */
const T0 = Int32Array.from({ length: 256 }, (_, byte) => {
  const b = S_BOX[byte]! << 24;
  return b ^ rotl(b, 2) ^ rotl(b, 10) ^ rotl(b, 18) ^ rotl(b, 24);
});
const T1 = T0.map((x) => rotl(x, 24));
const T2 = T0.map((x) => rotl(x, 16));
const T3 = T0.map((x) => rotl(x, 8));

/** Bytes of an SM4 block and of a key. */
export const SM4_BLOCK_BYTES = 16;

/** The 32 round keys of a 16-byte key (GB/T 32907-2016, 7.3). The caller wipes them. */
export function expandSm4Key(key: Uint8Array): Int32Array {
  if (key.length !== SM4_BLOCK_BYTES) throw new RangeError(`SM4 key: expected 16 bytes, got ${key.length}`);
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const roundKeys = new Int32Array(32);
  let a = view.getInt32(0) ^ FK[0];
  let b = view.getInt32(4) ^ FK[1];
  let c = view.getInt32(8) ^ FK[2];
  let d = view.getInt32(12) ^ FK[3];
  for (let i = 0; i < 32; i++) {
    const t = substitute(b ^ c ^ d ^ CK[i]!);
    const next = a ^ t ^ rotl(t, 13) ^ rotl(t, 23);
    roundKeys[i] = next;
    a = b;
    b = c;
    c = d;
    d = next;
  }
  return roundKeys;
}

/**
 * Runs one block (four big-endian words) through the 32 rounds (GB/T 32907-2016, 6.1) and writes four words to
 * `output`. With the round keys in reverse order it decrypts.
 */
export function sm4Rounds(roundKeys: Int32Array, a: number, b: number, c: number, d: number, output: Int32Array): void {
  for (let i = 0; i < 32; i += 4) {
    let t = b ^ c ^ d ^ roundKeys[i]!;
    a ^= T0[t >>> 24]! ^ T1[(t >>> 16) & 0xff]! ^ T2[(t >>> 8) & 0xff]! ^ T3[t & 0xff]!;
    t = c ^ d ^ a ^ roundKeys[i + 1]!;
    b ^= T0[t >>> 24]! ^ T1[(t >>> 16) & 0xff]! ^ T2[(t >>> 8) & 0xff]! ^ T3[t & 0xff]!;
    t = d ^ a ^ b ^ roundKeys[i + 2]!;
    c ^= T0[t >>> 24]! ^ T1[(t >>> 16) & 0xff]! ^ T2[(t >>> 8) & 0xff]! ^ T3[t & 0xff]!;
    t = a ^ b ^ c ^ roundKeys[i + 3]!;
    d ^= T0[t >>> 24]! ^ T1[(t >>> 16) & 0xff]! ^ T2[(t >>> 8) & 0xff]! ^ T3[t & 0xff]!;
  }
  // The final R: the words leave in reverse order.
  output[0] = d;
  output[1] = c;
  output[2] = b;
  output[3] = a;
}

function sm4Block(roundKeys: Int32Array, block: Uint8Array): Uint8Array {
  if (block.length !== SM4_BLOCK_BYTES) throw new RangeError(`SM4 block: expected 16 bytes, got ${block.length}`);
  const input = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const words = new Int32Array(4);
  sm4Rounds(roundKeys, input.getInt32(0), input.getInt32(4), input.getInt32(8), input.getInt32(12), words);
  const output = new Uint8Array(SM4_BLOCK_BYTES);
  const view = new DataView(output.buffer);
  words.forEach((word, i) => {
    view.setInt32(4 * i, word);
  });
  return output;
}

/**
 * The SM4 block cipher (GB/T 32907-2016) under one 16-byte key: single blocks of 16 bytes. It is a building block.
 * Use {@link sm4gcm} to encrypt messages.
 */
export function sm4(key: Uint8Array): {
  encryptBlock(block: Uint8Array): Uint8Array;
  decryptBlock(block: Uint8Array): Uint8Array;
} {
  const roundKeys = expandSm4Key(key);
  const reversed = roundKeys.slice().reverse();
  return {
    encryptBlock: (block) => sm4Block(roundKeys, block),
    decryptBlock: (block) => sm4Block(reversed, block),
  };
}
