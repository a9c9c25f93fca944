// The memory layout. The size is fixed and nothing is allocated. Arguments and results have addresses that JavaScript
// reads from the exports. All intermediate values are contiguous, so that one fill wipes them.

/** Bytes of a message that the kernel holds at a time. A multiple of SM4's block. */
export const CHUNK_BYTES: usize = 65536;

/** Two field elements side by side (field.ts), a point (point.ts) and an entry of a window's table. */
export const PAIR_BYTES: usize = 80;
export const POINT_BYTES: usize = 2 * PAIR_BYTES;
export const ENTRY_BYTES: usize = 3 * PAIR_BYTES;
export const WINDOW_BYTES: usize = 16 * ENTRY_BYTES;

// Arguments and results.
const SECRET_BYTES: usize = 81920;
const SECRETS: usize = memory.data(81920, 64);
/** A private key or an ephemeral scalar, 32 bytes, big-endian. The bytes before it may be read, but are not used. */
export const SCALAR: usize = SECRETS + 16;
/** 04, x, y: 65 bytes. */
export const PUBLIC_KEY: usize = SCALAR + 32;
/** Maximum number of keys that one call unwraps. */
export const MAX_KEYS: usize = 8;
/** C1, C3, C2: 113 bytes. Further keys follow, each WRAPPED_KEY_STRIDE bytes after the one before. */
export const WRAPPED_KEY: usize = PUBLIC_KEY + 80;
export const WRAPPED_KEY_STRIDE: usize = 128;
/** 16 bytes. Further keys follow. */
export const BASE_KEY: usize = WRAPPED_KEY + MAX_KEYS * WRAPPED_KEY_STRIDE;
export const BASE_KEY_BYTES: usize = 16;
export const NONCE: usize = BASE_KEY + MAX_KEYS * BASE_KEY_BYTES;
/** The info of a derivation. */
export const INFO_BYTES: usize = 128;
export const INFO: usize = NONCE + 16;
export const DERIVED_KEY: usize = INFO + INFO_BYTES;
export const MESSAGE_KEY: usize = DERIVED_KEY + 16;
/** 12 bytes. */
export const IV: usize = MESSAGE_KEY + 16;
export const TAG: usize = IV + 16;
export const DIGEST: usize = TAG + 16;
const ARGUMENTS_END: usize = DIGEST + 32;

// Work areas of the modules.
export const FIELD_WORK: usize = ARGUMENTS_END;
export const POINT_WORK: usize = FIELD_WORK + 8 * PAIR_BYTES;
export const MULTIPLICATION_WORK: usize = POINT_WORK + 10 * PAIR_BYTES;
export const WINDOW: usize = MULTIPLICATION_WORK + 3 * POINT_BYTES + 2 * ENTRY_BYTES;
export const SM2_WORK: usize = WINDOW + WINDOW_BYTES;
export const SM3_WORK: usize = SM2_WORK + 4 * PAIR_BYTES + MAX_KEYS * (POINT_BYTES + PAIR_BYTES);
export const HKDF_WORK: usize = SM3_WORK + 512;
export const SM4_WORK: usize = HKDF_WORK + 160;
export const GHASH_WORK: usize = SM4_WORK + 384;
export const GCM_WORK: usize = GHASH_WORK + 3920;
const WORK_END: usize = GCM_WORK + 64;

/** A part of a message or of its associated data. It comes last, so that a wipe can end where the part ended. */
export const CHUNK: usize = WORK_END;
const SECRETS_END: usize = CHUNK + CHUNK_BYTES;

/** The tables of fixed points (multiplication.ts). They are public, and kept between calls. */
export const FIXED_TABLE_BYTES: usize = 51 * WINDOW_BYTES + POINT_BYTES;
export const BASE_POINT_TABLE: usize = memory.data(196000, 16);
export const PUBLIC_KEY_TABLE: usize = memory.data(196000, 16);

/** Overwrites all secrets of a call with zeros, and the first `chunkBytes` of the chunk. */
export function wipe(chunkBytes: usize): void {
  if (chunkBytes > CHUNK_BYTES || SECRETS_END > SECRETS + SECRET_BYTES) unreachable();
  memory.fill(SECRETS, 0, CHUNK - SECRETS + chunkBytes);
}
