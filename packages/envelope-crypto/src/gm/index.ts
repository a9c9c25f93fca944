/**
 * The ShangMi primitives of the envelope, usable on their own: SM2 encryption, SM3 with HMAC and HKDF, SM4 and SM4-GCM.
 * Plain JavaScript on noble's curves, hashes and ciphers, for Node.js and browsers.
 *
 * @module
 */
export { DecryptionFailedError } from './errors.js';
export {
  GCM_IV_BYTES,
  GCM_TAG_BYTES,
  sm4GcmOpen,
  sm4GcmOpenInTurns,
  sm4GcmSeal,
  sm4GcmSealInTurns,
  sm4gcm,
  type YieldToEventLoop,
} from './gcm.js';
export {
  buildSm2BaseTable,
  isSm2PublicKey,
  randomSm2Scalar,
  SM2_ORDER,
  SM2_OVERHEAD_BYTES,
  SM2_POINT_BYTES,
  SM2_SCALAR_BYTES,
  type Sm2Encryptor,
  sm2Decrypt,
  sm2Encrypt,
  sm2Encryptor,
  sm2Open,
  sm2PublicKey,
} from './sm2.js';
export { hkdfSm3, hmacSm3, sm3 } from './sm3.js';
export { SM4_BLOCK_BYTES, sm4 } from './sm4.js';
