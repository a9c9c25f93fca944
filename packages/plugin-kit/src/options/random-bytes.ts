/** One random key of 32 bytes in 10^17 has fewer than 16 distinct values. Most passphrases and patterns do. */
const MIN_DISTINCT_BYTES = 16;

/** A key that a person typed is made of counts and tables. One random key of 32 bytes in 10^14 has so few runs. */
const MAX_RUNS = 4;

/** Whether the bytes of a key, at least 32, may be random. It finds passphrases and patterns, and not every bad key. */
export function isRandomEnough(bytes: Uint8Array): boolean {
  return new Set(bytes).size >= MIN_DISTINCT_BYTES && runsOf(bytes) > MAX_RUNS;
}

/** The least number of parts of which each rises or falls throughout. A random key of 32 bytes has 8 or more. */
export function runsOf(bytes: Uint8Array): number {
  let runs = 0;
  let direction = 0;
  let isBegun = false;
  for (const [i, byte] of bytes.entries()) {
    const step = isBegun ? Math.sign(byte - bytes[i - 1]!) : 0;
    if (!isBegun || step * direction < 0) {
      runs += 1;
      direction = 0;
      isBegun = true;
    } else if (step !== 0) direction = step;
  }
  return runs;
}
