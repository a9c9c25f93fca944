// SM4 (GB/T 32907-2016) in counter mode, eight blocks at a time and without a table in memory: the S-box is a few
// vector permutes (generated/sm4-tables.ts), so no address depends on a secret.
//
// Vectors hold the same word of four blocks. The permutes' tables and the masks are loaded from memory where they are
// used: some engines rebuild vector constants in every iteration of a loop.

import {
  ENTER_HIGH,
  ENTER_LOW,
  INVERSE,
  LEAVE_FIRST,
  LEAVE_SECOND,
  S_BOX_CONSTANT,
  S_BOX_CONSTANT_AFTER_L,
  SCALED_INVERSE,
} from './generated/sm4-tables';
import { SM4_WORK } from './memory';

/** Bytes of key stream that one call of {@link encryptCounters} makes. */
export const BATCH_BYTES: usize = 128;

/** 7.3: the system parameters FK. */
const FK: usize = memory.data<u32>([0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc], 16);

const NIBBLES: usize = memory.data<u32>([0x0f0f0f0f, 0x0f0f0f0f, 0x0f0f0f0f, 0x0f0f0f0f], 16);
const AFTER_L: usize = memory.data<u32>(
  [S_BOX_CONSTANT_AFTER_L, S_BOX_CONSTANT_AFTER_L, S_BOX_CONSTANT_AFTER_L, S_BOX_CONSTANT_AFTER_L],
  16,
);

/** Each word rotated left by 8 and by 24 bits, and its bytes in reverse order. */
const TURN_8: usize = memory.data<u8>([3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14], 16);
const TURN_24: usize = memory.data<u8>([1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12], 16);
const REVERSE: usize = memory.data<u8>([3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12], 16);

const ROUND_KEYS: usize = SM4_WORK;
/** Where {@link encryptCounters} leaves the key stream. */
export const KEY_STREAM: usize = ROUND_KEYS + 128;

/** 6.2.1: the S-box in every byte, without the constant that is XORed to it. See generate/sm4-tables.mjs. */
function substitute(x: v128): v128 {
  const nibbles = v128.load(NIBBLES);
  const entered = v128.xor(
    i8x16.swizzle(v128.load(ENTER_LOW), v128.and(x, nibbles)),
    i8x16.swizzle(v128.load(ENTER_HIGH), v128.and(i32x4.shr_u(x, 4), nibbles)),
  );
  const k = v128.and(entered, nibbles);
  const i = v128.and(i32x4.shr_u(entered, 4), nibbles);
  const j = v128.xor(i, k);
  const inverse = v128.load(INVERSE);
  const scaled = i8x16.swizzle(v128.load(SCALED_INVERSE), k);
  const io = v128.xor(i8x16.swizzle(inverse, v128.xor(i8x16.swizzle(inverse, i), scaled)), j);
  const jo = v128.xor(i8x16.swizzle(inverse, v128.xor(i8x16.swizzle(inverse, j), scaled)), i);
  return v128.xor(i8x16.swizzle(v128.load(LEAVE_FIRST), io), i8x16.swizzle(v128.load(LEAVE_SECOND), jo));
}

/** 6.2.2: L(b) = b ^ (b <<< 2) ^ (b <<< 10) ^ (b <<< 18) ^ (b <<< 24), with the constant that the S-box left out. */
function mix(b: v128): v128 {
  const turned16 = i8x16.shuffle(b, b, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  const sum = v128.xor(v128.xor(b, i8x16.swizzle(b, v128.load(TURN_8))), turned16);
  const turned2 = v128.or(i32x4.shl(sum, 2), i32x4.shr_u(sum, 30));
  const rest = v128.xor(b, i8x16.swizzle(b, v128.load(TURN_24)));
  return v128.xor(v128.xor(rest, turned2), v128.load(AFTER_L));
}

/** 7.3: the 32 round keys of a 16-byte key. */
export function expandKey(key: usize): void {
  let a = bswap<u32>(load<u32>(key, 0)) ^ load<u32>(FK, 0);
  let b = bswap<u32>(load<u32>(key, 4)) ^ load<u32>(FK, 4);
  let c = bswap<u32>(load<u32>(key, 8)) ^ load<u32>(FK, 8);
  let d = bswap<u32>(load<u32>(key, 12)) ^ load<u32>(FK, 12);
  for (let i: u32 = 0; i < 32; i++) {
    // CK: byte j of word i is (4 i + j) · 7 modulo 256.
    const first = 28 * i;
    const ck = ((first & 255) << 24) | (((first + 7) & 255) << 16) | (((first + 14) & 255) << 8) | ((first + 21) & 255);
    const t = <u32>i32x4.extract_lane(substitute(i32x4.splat(b ^ c ^ d ^ ck)), 0) ^ S_BOX_CONSTANT;
    const next = a ^ t ^ rotl<u32>(t, 13) ^ rotl<u32>(t, 23);
    store<u32>(ROUND_KEYS + 4 * i, next);
    a = b;
    b = c;
    c = d;
    d = next;
  }
}

/**
 * Writes the encryption of eight blocks to KEY_STREAM: the IV followed by a counter (SP 800-38D, GCTR), from `counter`
 * on. If `zeroFirst` is all ones, the first block is zero instead, for GCM's hash subkey.
 */
export function encryptCounters(iv: usize, counter: i32, zeroFirst: i32): void {
  const kept = v128.not(i32x4.replace_lane(i32x4.splat(0), 0, zeroFirst));
  const iv0 = i32x4.splat(bswap<u32>(load<u32>(iv, 0)));
  const iv1 = i32x4.splat(bswap<u32>(load<u32>(iv, 4)));
  const iv2 = i32x4.splat(bswap<u32>(load<u32>(iv, 8)));
  const lanes = i32x4(0, 1, 2, 3);
  let a = v128.and(iv0, kept);
  let b = v128.and(iv1, kept);
  let c = v128.and(iv2, kept);
  let d = v128.and(i32x4.add(i32x4.splat(counter), lanes), kept);
  let e = iv0;
  let f = iv1;
  let g = iv2;
  let h = i32x4.add(i32x4.splat(counter + 4), lanes);
  // 6.1: 32 rounds, alternating between both groups of four blocks.
  for (let key = ROUND_KEYS; key < ROUND_KEYS + 128; key += 16) {
    let k = v128.load32_splat(key, 0);
    a = v128.xor(a, mix(substitute(v128.xor(v128.xor(b, c), v128.xor(d, k)))));
    e = v128.xor(e, mix(substitute(v128.xor(v128.xor(f, g), v128.xor(h, k)))));
    k = v128.load32_splat(key, 4);
    b = v128.xor(b, mix(substitute(v128.xor(v128.xor(c, d), v128.xor(a, k)))));
    f = v128.xor(f, mix(substitute(v128.xor(v128.xor(g, h), v128.xor(e, k)))));
    k = v128.load32_splat(key, 8);
    c = v128.xor(c, mix(substitute(v128.xor(v128.xor(d, a), v128.xor(b, k)))));
    g = v128.xor(g, mix(substitute(v128.xor(v128.xor(h, e), v128.xor(f, k)))));
    k = v128.load32_splat(key, 12);
    d = v128.xor(d, mix(substitute(v128.xor(v128.xor(a, b), v128.xor(c, k)))));
    h = v128.xor(h, mix(substitute(v128.xor(v128.xor(e, f), v128.xor(g, k)))));
  }
  // The final R: the words leave in reverse order.
  writeBlocks(KEY_STREAM, d, c, b, a);
  writeBlocks(KEY_STREAM + 64, h, g, f, e);
}

/** Four blocks from their words: the first words of all, the second words, and so on. */
function writeBlocks(to: usize, first: v128, second: v128, third: v128, fourth: v128): void {
  const low12 = v128.shuffle<i32>(first, second, 0, 4, 1, 5);
  const low34 = v128.shuffle<i32>(third, fourth, 0, 4, 1, 5);
  const high12 = v128.shuffle<i32>(first, second, 2, 6, 3, 7);
  const high34 = v128.shuffle<i32>(third, fourth, 2, 6, 3, 7);
  const reverse = v128.load(REVERSE);
  v128.store(to, i8x16.swizzle(v128.shuffle<i64>(low12, low34, 0, 2), reverse), 0);
  v128.store(to, i8x16.swizzle(v128.shuffle<i64>(low12, low34, 1, 3), reverse), 16);
  v128.store(to, i8x16.swizzle(v128.shuffle<i64>(high12, high34, 0, 2), reverse), 32);
  v128.store(to, i8x16.swizzle(v128.shuffle<i64>(high12, high34, 1, 3), reverse), 48);
}
