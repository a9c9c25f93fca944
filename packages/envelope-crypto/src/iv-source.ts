import { randomFillSync } from 'node:crypto';

const IV_BYTES = 12;

/** IVs drawn at a time: a call of the generator costs microseconds, however little it is asked for. */
const POOLED_IVS = 256;

/** A source of fresh IVs from the system's generator. No two of its IVs share bytes, and none is kept. */
export function createIvSource(): () => Uint8Array {
  const pool = new Uint8Array(POOLED_IVS * IV_BYTES);
  let next = pool.length;

  return function freshIv() {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    const iv = pool.slice(next, next + IV_BYTES);
    pool.fill(0, next, next + IV_BYTES);
    next += IV_BYTES;
    return iv;
  };
}
