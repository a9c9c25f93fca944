import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sm3 } from './sm3.js';

/**
 * HMAC-SM3 (RFC 2104 with SM3; GM/T 0042-2015 D.3 has examples).
 *
 * @param key any length; longer than 64 bytes it is hashed first
 */
export function hmacSm3(key: Uint8Array, message: Uint8Array): Uint8Array {
  return hmac(sm3, key, message);
}

/**
 * HKDF over HMAC-SM3 (RFC 5869): extract, then expand.
 *
 * @param length bytes of key wanted, 0 to 8160 (255 hashes)
 */
export function hkdfSm3(ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  return hkdf(sm3, ikm, salt, info, length);
}
