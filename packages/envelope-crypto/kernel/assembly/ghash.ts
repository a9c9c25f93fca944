// GHASH (NIST SP 800-38D, 6.4) without a table: no address depends on the hash subkey or on what is hashed.
//
// Polynomials over GF(2) are multiplied by integer multiplications: operands are cut into four parts that have every fourth
// bit only. In the product of two parts, column 4 j of the low 64 bits is a sum of at most j + 1 terms: up to fifteen it stays
// within its four bits, of which the lowest is the parity that is wanted, and the sixteen of the last column carry out of
// the word. The low half of a product comes from the operands as they are, the high half from the operands in reverse order of
// bits. (T. Pornin, BearSSL, ghash_ctmul64.)

import { GHASH_WORK } from './memory';

const BLOCK_BYTES: usize = 16;

const Y: usize = GHASH_WORK;
const H: usize = Y + 16;
const LAST_BLOCK: usize = H + 48;

/** Every fourth bit, from bit 0, 1, 2 and 3 on. */
const BITS_0: u64 = 0x1111111111111111;
const BITS_1: u64 = 0x2222222222222222;
const BITS_2: u64 = 0x4444444444444444;
const BITS_3: u64 = 0x8888888888888888;

/** The low 64 bits of the product of two polynomials. */
function multiplyLow(x: u64, y: u64): u64 {
  const x0 = x & BITS_0;
  const x1 = x & BITS_1;
  const x2 = x & BITS_2;
  const x3 = x & BITS_3;
  const y0 = y & BITS_0;
  const y1 = y & BITS_1;
  const y2 = y & BITS_2;
  const y3 = y & BITS_3;
  const z0 = (x0 * y0) ^ (x1 * y3) ^ (x2 * y2) ^ (x3 * y1);
  const z1 = (x0 * y1) ^ (x1 * y0) ^ (x2 * y3) ^ (x3 * y2);
  const z2 = (x0 * y2) ^ (x1 * y1) ^ (x2 * y0) ^ (x3 * y3);
  const z3 = (x0 * y3) ^ (x1 * y2) ^ (x2 * y1) ^ (x3 * y0);
  return (z0 & BITS_0) | (z1 & BITS_1) | (z2 & BITS_2) | (z3 & BITS_3);
}

/** The bits in reverse order. */
function reverse(x: u64): u64 {
  x = ((x & 0x5555555555555555) << 1) | ((x >> 1) & 0x5555555555555555);
  x = ((x & 0x3333333333333333) << 2) | ((x >> 2) & 0x3333333333333333);
  x = ((x & 0x0f0f0f0f0f0f0f0f) << 4) | ((x >> 4) & 0x0f0f0f0f0f0f0f0f);
  return bswap<u64>(x);
}

/** Begins a hash under a subkey of 16 bytes. */
export function beginGhash(subkey: usize): void {
  const high = bswap<u64>(load<u64>(subkey, 0));
  const low = bswap<u64>(load<u64>(subkey, 8));
  store<u64>(H, high, 0);
  store<u64>(H, low, 8);
  store<u64>(H, reverse(high), 16);
  store<u64>(H, reverse(low), 24);
  store<u64>(Y, 0, 0);
  store<u64>(Y, 0, 8);
}

/** Takes in one part, padded with zeros to whole blocks. */
export function updateGhash(data: usize, length: usize): void {
  const whole = length & ~(BLOCK_BYTES - 1);
  absorbBlocks(data, whole);
  if (length > whole) {
    v128.store(LAST_BLOCK, i32x4.splat(0));
    memory.copy(LAST_BLOCK, data + whole, length - whole);
    absorbBlocks(LAST_BLOCK, BLOCK_BYTES);
  }
}

/** Takes in the block of both lengths in bits (7.1, step 5), and writes the hash. */
export function finishGhash(hash: usize, aadBytes: u64, ciphertextBytes: u64): void {
  store<u64>(LAST_BLOCK, bswap<u64>(8 * aadBytes), 0);
  store<u64>(LAST_BLOCK, bswap<u64>(8 * ciphertextBytes), 8);
  absorbBlocks(LAST_BLOCK, BLOCK_BYTES);
  store<u64>(hash, bswap<u64>(load<u64>(Y, 0)), 0);
  store<u64>(hash, bswap<u64>(load<u64>(Y, 8)), 8);
}

/** Y <- (Y ^ X) · H for each block X. */
function absorbBlocks(data: usize, length: usize): void {
  const h1 = load<u64>(H, 0);
  const h0 = load<u64>(H, 8);
  const h1Reversed = load<u64>(H, 16);
  const h0Reversed = load<u64>(H, 24);
  const h2 = h0 ^ h1;
  const h2Reversed = h0Reversed ^ h1Reversed;
  let y1 = load<u64>(Y, 0);
  let y0 = load<u64>(Y, 8);
  for (; length > 0; length -= BLOCK_BYTES, data += BLOCK_BYTES) {
    y1 ^= bswap<u64>(load<u64>(data, 0));
    y0 ^= bswap<u64>(load<u64>(data, 8));
    const y1Reversed = reverse(y1);
    const y0Reversed = reverse(y0);

    // Karatsuba: three products of 64 bits, each in two halves.
    const low0 = multiplyLow(y0, h0);
    const low1 = multiplyLow(y1, h1);
    const low2 = multiplyLow(y0 ^ y1, h2) ^ low0 ^ low1;
    const high0 = multiplyLow(y0Reversed, h0Reversed);
    const high1 = multiplyLow(y1Reversed, h1Reversed);
    const high2 = multiplyLow(y0Reversed ^ y1Reversed, h2Reversed) ^ high0 ^ high1;
    let v0 = low0;
    let v1 = (reverse(high0) >> 1) ^ low2;
    let v2 = low1 ^ (reverse(high2) >> 1);
    let v3 = reverse(high1) >> 1;

    // The standard's bits run the other way: the product of 255 bits stands one place too low.
    v3 = (v3 << 1) | (v2 >> 63);
    v2 = (v2 << 1) | (v1 >> 63);
    v1 = (v1 << 1) | (v0 >> 63);
    v0 <<= 1;

    // 6.3: modulo 1 + x + x² + x⁷ + x^128, a word at a time.
    v2 ^= v0 ^ (v0 >> 1) ^ (v0 >> 2) ^ (v0 >> 7);
    v1 ^= (v0 << 63) ^ (v0 << 62) ^ (v0 << 57);
    v3 ^= v1 ^ (v1 >> 1) ^ (v1 >> 2) ^ (v1 >> 7);
    v2 ^= (v1 << 63) ^ (v1 << 62) ^ (v1 << 57);
    y0 = v2;
    y1 = v3;
  }
  store<u64>(Y, y1, 0);
  store<u64>(Y, y0, 8);
}
