import { randomFillSync } from 'node:crypto';

const IV_BYTES = 12;

/** Values drawn at a time: a call of the generator costs microseconds, however little it is asked for. */
const POOLED_VALUES = 256;

/** A source of fresh IVs from the system's generator. No two of its IVs share bytes, and none is kept. */
export function createIvSource(): () => Uint8Array {
  return createRandomSource(IV_BYTES);
}

/** A source of random values of some bytes each, as {@link createIvSource}. */
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
