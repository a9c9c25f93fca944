// HKDF (RFC 5869) over HMAC-SM3 (RFC 2104) for the envelope: a salt, an input key and an output of 16 bytes each.

import { HKDF_WORK } from './memory';
import { beginHash, DIGEST_BYTES, finishHash, keepHash, resumeHash, updateHash } from './sm3';

const BLOCK_BYTES: usize = 64;

/** The states of both hashes after the key's block, for any number of messages under that key. */
const INNER: usize = HKDF_WORK;
const OUTER: usize = INNER + DIGEST_BYTES;
/** The key padded, then an intermediate digest. */
const PADDED: usize = OUTER + DIGEST_BYTES;

/** RFC 2104: sets a key of at most 64 bytes. */
function setKey(key: usize, length: usize): void {
  memory.copy(PADDED, key, length);
  memory.fill(PADDED + length, 0, BLOCK_BYTES - length);
  absorbPadded(0x36, INNER);
  absorbPadded(0x36 ^ 0x5c, OUTER);
}

function absorbPadded(change: u8, state: usize): void {
  for (let i = PADDED; i < PADDED + BLOCK_BYTES; i++) store<u8>(i, load<u8>(i) ^ change);
  beginHash();
  updateHash(PADDED, BLOCK_BYTES);
  keepHash(state);
}

function beginMac(): void {
  resumeHash(INNER, BLOCK_BYTES);
}

function finishMac(mac: usize): void {
  finishHash(PADDED);
  resumeHash(OUTER, BLOCK_BYTES);
  updateHash(PADDED, DIGEST_BYTES);
  finishHash(mac);
}

/** RFC 5869, 2.2: PRK = HMAC(salt, input key), kept for {@link expand}. */
export function extract(salt: usize, inputKey: usize): void {
  setKey(salt, 16);
  beginMac();
  updateHash(inputKey, 16);
  finishMac(PADDED);
  setKey(PADDED, DIGEST_BYTES);
}

/**
 * RFC 5869, 2.3, for one round: the first 16 bytes of HMAC(PRK, info || 01). There must be room for a byte after the
 * info.
 */
export function expand(derived: usize, info: usize, length: usize): void {
  store<u8>(info + length, 1);
  beginMac();
  updateHash(info, length + 1);
  finishMac(PADDED);
  memory.copy(derived, PADDED, 16);
}
