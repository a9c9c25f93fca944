import { SM2_SCALAR_BYTES } from '../gm/sm2.js';

/** Scalars drawn at a time: a call of the generator costs microseconds, however little it is asked for. */
const POOLED_SCALARS = 64;

/**
 * A source of 32 random bytes each from the system's generator, for ephemeral scalars. No two share bytes. What it hands out
 * is overwritten by the next call, and none is kept behind.
 */
export function createScalarPool(
  fillRandom: (bytes: Uint8Array) => void = (bytes) => globalThis.crypto.getRandomValues(bytes),
): () => Uint8Array {
  const pool = new Uint8Array(POOLED_SCALARS * SM2_SCALAR_BYTES);
  const drawn = new Uint8Array(SM2_SCALAR_BYTES);
  let next = pool.length;

  return function drawScalar() {
    if (next === pool.length) {
      fillRandom(pool);
      next = 0;
    }
    drawn.set(pool.subarray(next, next + SM2_SCALAR_BYTES));
    pool.fill(0, next, next + SM2_SCALAR_BYTES);
    next += SM2_SCALAR_BYTES;
    return drawn;
  };
}
