/** One random key of 32 bytes in 10^17 has fewer than 16 distinct values. Most passphrases and patterns do. */
const MIN_DISTINCT_BYTES = 16;

/** Whether the bytes of a key, at least 32, may be random. It finds passphrases and patterns, and not every bad key. */
export function isRandomEnough(bytes: Uint8Array): boolean {
  return new Set(bytes).size >= MIN_DISTINCT_BYTES;
}
