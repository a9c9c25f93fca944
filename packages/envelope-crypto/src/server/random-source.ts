import { randomFillSync } from 'node:crypto';

/** The number of values per call of the system's generator. A call costs microseconds even for few bytes. */
const POOLED_VALUES = 256;

/** A source of random values of `bytes` bytes each. No byte is used twice, and the pool keeps no copy. */
export function createRandomSource(bytes: number): () => Uint8Array {
  const pool = new Uint8Array(POOLED_VALUES * bytes);
  let next = pool.length;

  return function drawValue() {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    const value = pool.slice(next, next + bytes);
    pool.fill(0, next, next + bytes);
    next += bytes;
    return value;
  };
}
