import { SM2_SCALAR_BYTES } from '../gm/sm2.js';

/** Scalars drawn at a time: a call of the generator costs microseconds, however little it is asked for. */
const POOLED_SCALARS = 64;

/**
 * A source of 32 random bytes each from the system's generator, for ephemeral scalars: it writes them where they are wanted.
 * No two share bytes, and of none a copy is left here.
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
