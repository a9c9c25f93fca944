import { SM2_SCALAR_BYTES } from '../gm/index.js';

/** The number of scalars per call of the system's generator. A call costs microseconds even for few bytes. */
const POOLED_SCALARS = 64;

/**
 * A source of ephemeral scalars: writes 32 random bytes of the system's generator to a place in memory. No byte is used
 * twice, and the pool keeps no copy.
 */
export function createScalarPool(
  fillRandom: (bytes: Uint8Array) => void = (bytes) => globalThis.crypto.getRandomValues(bytes),
): (to: Uint8Array, at: number) => void {
  const pool = new Uint8Array(POOLED_SCALARS * SM2_SCALAR_BYTES);
  let next = pool.length;

  return function drawScalar(to, at) {
    if (next === pool.length) {
      fillRandom(pool);
      next = 0;
    }
    const drawn = pool.subarray(next, next + SM2_SCALAR_BYTES);
    to.set(drawn, at);
    drawn.fill(0);
    next += SM2_SCALAR_BYTES;
  };
}
