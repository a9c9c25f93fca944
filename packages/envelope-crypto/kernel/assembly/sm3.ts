// SM3 (GB/T 32905-2016): a 256-bit hash over blocks of 64 bytes. It hashes one message at a time.

import { SM3_WORK } from './memory';

export const DIGEST_BYTES: usize = 32;
const BLOCK_BYTES: usize = 64;

/** 4.1: the initial value. */
const INITIAL_VALUE: usize = memory.data<u32>(
  [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e],
  16,
);

/** 4.2: T_j of the first 16 rounds and of the others. */
const T_FIRST: u32 = 0x79cc4519;
const T_OTHERS: u32 = 0x7a879d8a;

const STATE: usize = SM3_WORK;
const BLOCK: usize = STATE + DIGEST_BYTES;
const W: usize = BLOCK + BLOCK_BYTES;
/** Words of the expanded message (5.3.2). The second sequence, W', is computed where it is used. */
const WORDS: usize = 68;

let total: u64 = 0;

/** Begins a message. */
export function beginHash(): void {
  memory.copy(STATE, INITIAL_VALUE, DIGEST_BYTES);
  total = 0;
}

/** Continues from a saved state after a number of bytes, a multiple of 64. */
export function resumeHash(state: usize, bytes: u64): void {
  memory.copy(STATE, state, DIGEST_BYTES);
  total = bytes;
}

/** Saves the state. Call it only after a multiple of 64 bytes. */
export function keepHash(state: usize): void {
  memory.copy(state, STATE, DIGEST_BYTES);
}

/** Adds a part of the message. */
export function updateHash(data: usize, length: usize): void {
  let filled = <usize>(total & 63);
  total += length;
  if (filled > 0) {
    const missing = min(BLOCK_BYTES - filled, length);
    memory.copy(BLOCK + filled, data, missing);
    filled += missing;
    data += missing;
    length -= missing;
    if (filled < BLOCK_BYTES) return;
    compress(BLOCK);
  }
  for (; length >= BLOCK_BYTES; length -= BLOCK_BYTES, data += BLOCK_BYTES) compress(data);
  memory.copy(BLOCK, data, length);
}

/** 5.2: pads the message with a one, zeros and its length in bits, and writes the digest. */
export function finishHash(digest: usize): void {
  const filled = <usize>(total & 63);
  store<u8>(BLOCK + filled, 0x80);
  memory.fill(BLOCK + filled + 1, 0, 63 - filled);
  if (filled >= 56) {
    compress(BLOCK);
    memory.fill(BLOCK, 0, 56);
  }
  store<u64>(BLOCK, bswap<u64>(8 * total), 56);
  compress(BLOCK);
  for (let i: usize = 0; i < DIGEST_BYTES; i += 4) store<u32>(digest + i, bswap<u32>(load<u32>(STATE + i)));
}

/** 4.4: the permutation of the message expansion. */
function permute1(x: u32): u32 {
  return x ^ rotl<u32>(x, 15) ^ rotl<u32>(x, 23);
}

function compress(block: usize): void {
  // 5.3.2: message expansion.
  for (let i: usize = 0; i < BLOCK_BYTES; i += 4) store<u32>(W + i, bswap<u32>(load<u32>(block + i)));
  for (let w = W + BLOCK_BYTES; w < W + 4 * WORDS; w += 4) {
    const mixed = load<u32>(w - 64) ^ load<u32>(w - 36) ^ rotl<u32>(load<u32>(w - 12), 15);
    store<u32>(w, permute1(mixed) ^ rotl<u32>(load<u32>(w - 52), 7) ^ load<u32>(w - 24));
  }

  // 5.3.3: compression.
  let a = load<u32>(STATE, 0);
  let b = load<u32>(STATE, 4);
  let c = load<u32>(STATE, 8);
  let d = load<u32>(STATE, 12);
  let e = load<u32>(STATE, 16);
  let f = load<u32>(STATE, 20);
  let g = load<u32>(STATE, 24);
  let h = load<u32>(STATE, 28);
  let t = T_FIRST;
  let w = W;
  for (; w < W + 64; w += 4) {
    const a12 = rotl<u32>(a, 12);
    const ss1 = rotl<u32>(a12 + e + t, 7);
    const tt1 = (a ^ b ^ c) + d + (ss1 ^ a12) + (load<u32>(w) ^ load<u32>(w, 16));
    const tt2 = (e ^ f ^ g) + h + ss1 + load<u32>(w);
    t = rotl<u32>(t, 1);
    d = c;
    c = rotl<u32>(b, 9);
    b = a;
    a = tt1;
    h = g;
    g = rotl<u32>(f, 19);
    f = e;
    e = tt2 ^ rotl<u32>(tt2, 9) ^ rotl<u32>(tt2, 17);
  }
  t = rotl<u32>(T_OTHERS, 16);
  for (; w < W + 256; w += 4) {
    const a12 = rotl<u32>(a, 12);
    const ss1 = rotl<u32>(a12 + e + t, 7);
    const tt1 = ((a & b) | (c & (a | b))) + d + (ss1 ^ a12) + (load<u32>(w) ^ load<u32>(w, 16));
    const tt2 = (((f ^ g) & e) ^ g) + h + ss1 + load<u32>(w);
    t = rotl<u32>(t, 1);
    d = c;
    c = rotl<u32>(b, 9);
    b = a;
    a = tt1;
    h = g;
    g = rotl<u32>(f, 19);
    f = e;
    e = tt2 ^ rotl<u32>(tt2, 9) ^ rotl<u32>(tt2, 17);
  }
  store<u32>(STATE, load<u32>(STATE, 0) ^ a, 0);
  store<u32>(STATE, load<u32>(STATE, 4) ^ b, 4);
  store<u32>(STATE, load<u32>(STATE, 8) ^ c, 8);
  store<u32>(STATE, load<u32>(STATE, 12) ^ d, 12);
  store<u32>(STATE, load<u32>(STATE, 16) ^ e, 16);
  store<u32>(STATE, load<u32>(STATE, 20) ^ f, 20);
  store<u32>(STATE, load<u32>(STATE, 24) ^ g, 24);
  store<u32>(STATE, load<u32>(STATE, 28) ^ h, 28);
}
