// SM4-GCM (NIST SP 800-38D, RFC 8998): 96-bit IV, 128-bit tag. A message goes through in parts, in the order begin,
// associated data, ciphertext, tag; every part but the last of its kind is a multiple of 16 bytes.

import { beginGhash, finishGhash, updateGhash } from './ghash';
import { GCM_WORK } from './memory';
import { BATCH_BYTES, encryptCounters, expandKey, KEY_STREAM } from './sm4';

const BLOCK_BYTES: usize = 16;

/** E(J0), which the tag is masked with. */
const TAG_MASK: usize = GCM_WORK;
const EXPECTED_TAG: usize = GCM_WORK + 16;

let counter: i32 = 0;
let unusedKeyStream: usize = 0;
let aadBytes: u64 = 0;
let ciphertextBytes: u64 = 0;

/** Begins a message. The first batch of blocks has H = E(0), E(J0) with J0 = IV || 1, and the counters 2 to 7. */
export function beginGcm(key: usize, iv: usize): void {
  expandKey(key);
  encryptCounters(iv, 0, -1);
  beginGhash(KEY_STREAM);
  v128.store(TAG_MASK, v128.load(KEY_STREAM, 16));
  unusedKeyStream = BATCH_BYTES - 2 * BLOCK_BYTES;
  counter = 8;
  aadBytes = 0;
  ciphertextBytes = 0;
}

export function absorbAad(data: usize, length: usize): void {
  aadBytes += length;
  updateGhash(data, length);
}

export function absorbCiphertext(data: usize, length: usize): void {
  ciphertextBytes += length;
  updateGhash(data, length);
}

/** GCTR in place, in both directions: XORs the key stream of the following counters. */
export function crypt(iv: usize, data: usize, length: usize): void {
  while (length > 0) {
    if (unusedKeyStream === 0) {
      encryptCounters(iv, counter, 0);
      counter += <i32>(BATCH_BYTES / BLOCK_BYTES);
      unusedKeyStream = BATCH_BYTES;
    }
    const bytes = min(unusedKeyStream, length);
    xor(data, KEY_STREAM + BATCH_BYTES - unusedKeyStream, bytes);
    // Parts are whole blocks but for the last, after which nothing follows.
    unusedKeyStream -= bytes;
    data += bytes;
    length -= bytes;
  }
}

function xor(data: usize, keyStream: usize, length: usize): void {
  for (; length >= BLOCK_BYTES; length -= BLOCK_BYTES, data += BLOCK_BYTES, keyStream += BLOCK_BYTES) {
    v128.store(data, v128.xor(v128.load(data), v128.load(keyStream)));
  }
  for (; length > 0; length--, data++, keyStream++) store<u8>(data, load<u8>(data) ^ load<u8>(keyStream));
}

export function finishTag(tag: usize): void {
  finishGhash(tag, aadBytes, ciphertextBytes);
  v128.store(tag, v128.xor(v128.load(tag), v128.load(TAG_MASK)));
}

/** Whether the tag is the message's. All 16 bytes are compared, whatever they are. */
export function isTag(tag: usize): bool {
  finishTag(EXPECTED_TAG);
  return !v128.any_true(v128.xor(v128.load(EXPECTED_TAG), v128.load(tag)));
}
