// The kernel's exports. JavaScript (src/kernel) writes arguments to the addresses below, calls a function, reads the
// results, and calls `wipeAll`. Lengths are checked: one that is too long stops the kernel with a trap.

import * as gcm from './gcm';
import { expand, extract } from './hkdf';
import {
  BASE_KEY,
  CHUNK,
  CHUNK_BYTES,
  DERIVED_KEY,
  DIGEST,
  INFO,
  INFO_BYTES,
  IV,
  MAX_KEYS,
  MESSAGE_KEY,
  NONCE,
  PUBLIC_KEY,
  SCALAR,
  TAG,
  WRAPPED_KEY,
  WRAPPED_KEY_STRIDE,
  wipe,
} from './memory';
import { isInRange } from './scalar';
import * as sm2 from './sm2';
import { beginHash, finishHash, updateHash } from './sm3';

export {
  BASE_KEY,
  CHUNK,
  CHUNK_BYTES,
  DERIVED_KEY,
  DIGEST,
  INFO,
  IV,
  MAX_KEYS,
  MESSAGE_KEY,
  NONCE,
  PUBLIC_KEY,
  SCALAR,
  TAG,
  WRAPPED_KEY,
  WRAPPED_KEY_STRIDE,
};

/** The results of the SM2 functions. */
const SCALAR_OUT_OF_RANGE: i32 = -1;
const REFUSED: i32 = 0;
const DONE: i32 = 1;

/** SCALAR -> PUBLIC_KEY. */
export function publicKeyOf(): i32 {
  if (!isInRange(SCALAR)) return SCALAR_OUT_OF_RANGE;
  sm2.publicKeyOf(PUBLIC_KEY, SCALAR);
  return DONE;
}

/**
 * SCALAR, `keys` wrapped keys from WRAPPED_KEY on -> as many base keys from BASE_KEY on. Returns one bit per key, the
 * first in bit 0: whether it opens.
 */
export function unwrap(keys: i32): i32 {
  if (<usize>keys > MAX_KEYS) unreachable();
  if (!isInRange(SCALAR)) return SCALAR_OUT_OF_RANGE;
  return sm2.unwrap(BASE_KEY, WRAPPED_KEY, keys, SCALAR);
}

/** Sets PUBLIC_KEY as the key to wrap for, until the next call. */
export function usePublicKey(): i32 {
  return sm2.usePublicKey(PUBLIC_KEY) ? DONE : REFUSED;
}

/** SCALAR (ephemeral), BASE_KEY -> WRAPPED_KEY. */
export function wrap(): i32 {
  if (!isInRange(SCALAR)) return SCALAR_OUT_OF_RANGE;
  return sm2.wrap(WRAPPED_KEY, BASE_KEY, SCALAR) ? DONE : REFUSED;
}

/** BASE_KEY, NONCE: begins a key derivation. */
export function extractKey(): void {
  extract(NONCE, BASE_KEY);
}

/** INFO -> DERIVED_KEY. */
export function expandKey(infoBytes: usize): void {
  if (infoBytes >= INFO_BYTES) unreachable();
  expand(DERIVED_KEY, INFO, infoBytes);
}

/** MESSAGE_KEY, IV: begins a message. */
export function beginMessage(): void {
  gcm.beginGcm(MESSAGE_KEY, IV);
}

/** A part of the associated data, in CHUNK. */
export function absorbAad(bytes: usize): void {
  gcm.absorbAad(CHUNK, checked(bytes));
}

/** A part of the plaintext in CHUNK becomes ciphertext. */
export function sealPart(bytes: usize): void {
  gcm.crypt(IV, CHUNK, checked(bytes));
  gcm.absorbCiphertext(CHUNK, bytes);
}

/** -> TAG. */
export function finishTag(): void {
  gcm.finishTag(TAG);
}

/** A part of the ciphertext, in CHUNK. */
export function absorbCiphertext(bytes: usize): void {
  gcm.absorbCiphertext(CHUNK, checked(bytes));
}

/** Whether TAG is the tag of the absorbed data. */
export function isTag(): i32 {
  return <i32>gcm.isTag(TAG);
}

/** Decrypts a part of the ciphertext in CHUNK. Call it only for a message whose tag is right. */
export function openPart(bytes: usize): void {
  gcm.crypt(IV, CHUNK, checked(bytes));
}

/** Begins the hash of a message. */
export function beginDigest(): void {
  beginHash();
}

/** A part of the message, in CHUNK. */
export function updateDigest(bytes: usize): void {
  updateHash(CHUNK, checked(bytes));
}

/** -> DIGEST. */
export function finishDigest(): void {
  finishHash(DIGEST);
}

/** Wipes arguments, results, all intermediate values, and the first bytes of CHUNK. */
export function wipeAll(chunkBytes: usize): void {
  wipe(checked(chunkBytes));
}

function checked(bytes: usize): usize {
  if (bytes > CHUNK_BYTES) unreachable();
  return bytes;
}
