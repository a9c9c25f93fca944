// GHASH (NIST SP 800-38D, 6.4) without a table: no address depends on the hash subkey or on what is hashed.
//
// Polynomials over GF(2) are multiplied by integer multiplications. A word is cut into four phases that have every
// fourth bit of it, moved to bits 0, 4, 8 and so on. In the product of two phases, column 4 j is a sum of at most j + 1
// terms: up to fifteen it stays within its four bits, of which the lowest is the parity that is wanted, and the sixteen
// of the last column carry out of the word. The low half of a product comes from the words as they are, the high half
// from the words in reverse order of bits. (After T. Pornin, BearSSL, ghash_ctmul64.)
//
// The phases are the coefficients of a polynomial of degree 3, so Karatsuba's trick serves twice on them: nine products
// instead of sixteen. All that follows is linear, and is done once for a group of blocks: (Y ^ X₁) · H⁴ ^ X₂ · H³ ^ X₃
// · H² ^ X₄ · H.

import { GHASH_WORK } from './memory';

const BLOCK_BYTES: usize = 16;

/** Each phase of two words side by side, and what Karatsuba's trick adds up. */
const PHASES_BYTES: usize = 9 * 16;
/** A prepared block: its two words, the same with reversed bits, and their sums for Karatsuba's trick. */
const LAID_OUT_BYTES: usize = 3 * PHASES_BYTES;
const GROUP_BLOCKS: usize = 4;

const Y: usize = GHASH_WORK;
const LAST_BLOCK: usize = Y + BLOCK_BYTES;
const BLOCKS: usize = LAST_BLOCK + BLOCK_BYTES;
/** H⁴, H³, H² and H. */
const POWERS: usize = BLOCKS + GROUP_BLOCKS * LAID_OUT_BYTES;
const FIRST_POWER: usize = POWERS + (GROUP_BLOCKS - 1) * LAID_OUT_BYTES;
/** For each word of a block, the sum of its products with the same word of the powers. */
const PRODUCTS: usize = POWERS + GROUP_BLOCKS * LAID_OUT_BYTES;

const TO_POWERS: usize = GROUP_BLOCKS * LAID_OUT_BYTES;
const TO_FIRST_POWER: usize = TO_POWERS + (GROUP_BLOCKS - 1) * LAID_OUT_BYTES;
const TO_PRODUCTS: usize = TO_POWERS + GROUP_BLOCKS * LAID_OUT_BYTES;

/** Every fourth bit. */
const PHASE: u64 = 0x1111111111111111;

const PHASES: usize = memory.data<u64>([PHASE, PHASE], 16);
const NIBBLES: usize = memory.data<u64>([0x0f0f0f0f0f0f0f0f, 0x0f0f0f0f0f0f0f0f], 16);
/** The four bits of a number in reverse order, in the low and in the high half of a byte. */
const REVERSED_LOW: usize = memory.data<u8>([0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15], 16);
const REVERSED_HIGH: usize = memory.data<u8>(
  [0, 128, 64, 192, 32, 160, 96, 224, 16, 144, 80, 208, 48, 176, 112, 240],
  16,
);
/** The bytes of all, and of each half, in reverse order. */
const REVERSE_ALL: usize = memory.data<u8>([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 16);
const REVERSE_HALVES: usize = memory.data<u8>([7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8], 16);

/** Begins a hash under a subkey of 16 bytes. */
export function beginGhash(subkey: usize): void {
  const h = v128.load(subkey);
  placeBlock(FIRST_POWER, h);
  v128.store(Y, h);
  for (let power = FIRST_POWER - LAID_OUT_BYTES; power >= POWERS; power -= LAID_OUT_BYTES) {
    placeBlock(BLOCKS, v128.load(Y));
    multiplyBlock();
    placeBlock(power, v128.load(Y));
  }
  v128.store(Y, i64x2.splat(0));
}

/** Adds one part, padded with zeros to whole blocks. */
export function updateGhash(data: usize, length: usize): void {
  const whole = length & ~(BLOCK_BYTES - 1);
  absorbBlocks(data, whole);
  if (length > whole) {
    v128.store(LAST_BLOCK, i64x2.splat(0));
    memory.copy(LAST_BLOCK, data + whole, length - whole);
    absorbBlocks(LAST_BLOCK, BLOCK_BYTES);
  }
}

/** Adds the block of both lengths in bits (7.1, step 5), and writes the hash. */
export function finishGhash(hash: usize, aadBytes: u64, ciphertextBytes: u64): void {
  store<u64>(LAST_BLOCK, bswap<u64>(8 * aadBytes), 0);
  store<u64>(LAST_BLOCK, bswap<u64>(8 * ciphertextBytes), 8);
  absorbBlocks(LAST_BLOCK, BLOCK_BYTES);
  v128.store(hash, v128.load(Y));
}

function absorbBlocks(data: usize, length: usize): void {
  const end = data + length;
  for (; data + GROUP_BLOCKS * BLOCK_BYTES <= end; data += GROUP_BLOCKS * BLOCK_BYTES) {
    placeBlock(BLOCKS, v128.xor(v128.load(Y), v128.load(data, 0)));
    placeBlock(BLOCKS + LAID_OUT_BYTES, v128.load(data, 16));
    placeBlock(BLOCKS + 2 * LAID_OUT_BYTES, v128.load(data, 32));
    placeBlock(BLOCKS + 3 * LAID_OUT_BYTES, v128.load(data, 48));
    multiplyGroup();
  }
  for (; data < end; data += BLOCK_BYTES) {
    placeBlock(BLOCKS, v128.xor(v128.load(Y), v128.load(data)));
    multiplyBlock();
  }
}

/** The bits of every byte in reverse order. */
function reverseBits(x: v128): v128 {
  const nibbles = v128.load(NIBBLES);
  const low = i8x16.swizzle(v128.load(REVERSED_HIGH), v128.and(x, nibbles));
  const high = i8x16.swizzle(v128.load(REVERSED_LOW), v128.and(i32x4.shr_u(x, 4), nibbles));
  return v128.or(low, high);
}

/** Prepares a block for multiplication. */
function placeBlock(to: usize, block: v128): void {
  // The first bit of the standard is the lowest of the polynomial, so words read as they are have their bytes in order.
  const words = i8x16.swizzle(block, v128.load(REVERSE_ALL));
  const reversed = reverseBits(block);
  placePhases(to, words);
  placePhases(to + PHASES_BYTES, reversed);
  placePhases(
    to + 2 * PHASES_BYTES,
    v128.xor(v128.shuffle<i64>(words, reversed, 0, 2), v128.shuffle<i64>(words, reversed, 1, 3)),
  );
}

function placePhases(to: usize, words: v128): void {
  const phases = v128.load(PHASES);
  const x0 = v128.and(words, phases);
  const x1 = v128.and(i64x2.shr_u(words, 1), phases);
  const x2 = v128.and(i64x2.shr_u(words, 2), phases);
  const x3 = v128.and(i64x2.shr_u(words, 3), phases);
  const x01 = v128.xor(x0, x1);
  const x23 = v128.xor(x2, x3);
  v128.store(to, x0, 0);
  v128.store(to, x1, 16);
  v128.store(to, x2, 32);
  v128.store(to, x3, 48);
  v128.store(to, x01, 64);
  v128.store(to, x23, 80);
  v128.store(to, v128.xor(x0, x2), 96);
  v128.store(to, v128.xor(x1, x3), 112);
  v128.store(to, v128.xor(x01, x23), 128);
}

/** Y <- X · H, for the prepared block X. */
function multiplyBlock(): void {
  for (let x = BLOCKS; x < BLOCKS + LAID_OUT_BYTES; x += 16) {
    store<u64>(x, load<u64>(x, 0) * load<u64>(x, TO_FIRST_POWER), TO_PRODUCTS);
    store<u64>(x, load<u64>(x, 8) * load<u64>(x, TO_FIRST_POWER + 8), TO_PRODUCTS + 8);
  }
  reduce();
}

/** Y <- the sum of the four prepared blocks, each multiplied by its power of H. */
function multiplyGroup(): void {
  for (let x = BLOCKS; x < BLOCKS + LAID_OUT_BYTES; x += 16) {
    store<u64>(
      x,
      (load<u64>(x, 0) * load<u64>(x, TO_POWERS)) ^
        (load<u64>(x, LAID_OUT_BYTES) * load<u64>(x, TO_POWERS + LAID_OUT_BYTES)) ^
        (load<u64>(x, 2 * LAID_OUT_BYTES) * load<u64>(x, TO_POWERS + 2 * LAID_OUT_BYTES)) ^
        (load<u64>(x, 3 * LAID_OUT_BYTES) * load<u64>(x, TO_POWERS + 3 * LAID_OUT_BYTES)),
      TO_PRODUCTS,
    );
    store<u64>(
      x,
      (load<u64>(x, 8) * load<u64>(x, TO_POWERS + 8)) ^
        (load<u64>(x, LAID_OUT_BYTES + 8) * load<u64>(x, TO_POWERS + LAID_OUT_BYTES + 8)) ^
        (load<u64>(x, 2 * LAID_OUT_BYTES + 8) * load<u64>(x, TO_POWERS + 2 * LAID_OUT_BYTES + 8)) ^
        (load<u64>(x, 3 * LAID_OUT_BYTES + 8) * load<u64>(x, TO_POWERS + 3 * LAID_OUT_BYTES + 8)),
      TO_PRODUCTS + 8,
    );
  }
  reduce();
}

/** The low 64 bits of a pair's products, from the products of their phases. */
function combine(at: usize): v128 {
  const phases = v128.load(PHASES);
  const z0 = v128.load(at, 0);
  const z1 = v128.load(at, 16);
  const z2 = v128.load(at, 32);
  const z3 = v128.load(at, 48);
  const z02 = v128.load(at, 96);
  const z13 = v128.load(at, 112);
  const z12 = v128.xor(z1, z2);
  const c1 = v128.xor(v128.load(at, 64), v128.xor(z0, z1));
  const c2 = v128.xor(z02, v128.xor(z0, z12));
  const c4 = v128.xor(z13, v128.xor(z3, z12));
  const c5 = v128.xor(v128.load(at, 80), v128.xor(z2, z3));
  const c3 = v128.xor(v128.xor(v128.load(at, 128), v128.xor(c1, c5)), v128.xor(z02, z13));
  // The other three bits of a column are carries.
  let low = v128.and(z0, phases);
  low = v128.xor(low, i64x2.shl(v128.and(c1, phases), 1));
  low = v128.xor(low, i64x2.shl(v128.and(c2, phases), 2));
  low = v128.xor(low, i64x2.shl(v128.and(c3, phases), 3));
  low = v128.xor(low, i64x2.shl(v128.and(c4, phases), 4));
  low = v128.xor(low, i64x2.shl(v128.and(c5, phases), 5));
  return v128.xor(low, i64x2.shl(v128.and(z3, phases), 6));
}

/** Y <- the products modulo the polynomial. */
function reduce(): void {
  // [low, high] are the low halves of the words' products; their reversed words give the high halves, high word first.
  const low = combine(PRODUCTS);
  const high = combine(PRODUCTS + PHASES_BYTES);
  const both = combine(PRODUCTS + 2 * PHASES_BYTES);
  const halves = v128.load(REVERSE_HALVES);
  const low0 = <u64>i64x2.extract_lane(low, 0);
  const low1 = <u64>i64x2.extract_lane(low, 1);
  const middle = v128.xor(both, v128.xor(v128.shuffle<i64>(low, high, 0, 2), v128.shuffle<i64>(low, high, 1, 3)));
  const low2 = <u64>i64x2.extract_lane(middle, 0);
  const outer = reverseBits(i8x16.swizzle(high, halves));
  const inner = reverseBits(i8x16.swizzle(middle, halves));
  let v0 = low0;
  let v1 = (<u64>i64x2.extract_lane(outer, 1) >> 1) ^ low2;
  let v2 = low1 ^ (<u64>i64x2.extract_lane(inner, 1) >> 1);
  let v3 = <u64>i64x2.extract_lane(outer, 0) >> 1;

  // The standard orders bits the other way, so the product of 255 bits is one place too low.
  v3 = (v3 << 1) | (v2 >> 63);
  v2 = (v2 << 1) | (v1 >> 63);
  v1 = (v1 << 1) | (v0 >> 63);
  v0 <<= 1;

  // 6.3: modulo 1 + x + x² + x⁷ + x^128, a word at a time.
  v2 ^= v0 ^ (v0 >> 1) ^ (v0 >> 2) ^ (v0 >> 7);
  v1 ^= (v0 << 63) ^ (v0 << 62) ^ (v0 << 57);
  v3 ^= v1 ^ (v1 >> 1) ^ (v1 >> 2) ^ (v1 >> 7);
  v2 ^= (v1 << 63) ^ (v1 << 62) ^ (v1 << 57);
  v128.store(Y, i8x16.swizzle(i64x2(v2, v3), v128.load(REVERSE_ALL)));
}
