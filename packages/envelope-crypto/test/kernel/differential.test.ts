import { describe, expect, it, vi } from 'vitest';
import { cases, SEED } from '../../../../scripts/test-properties.js';
import { createMultiples, createRandom, runDifferential } from '../../bench/differential.mjs';
import { sm2Sm4GcmV1 as portable } from '../../src/suites/index.js';
import { bytes, hex } from '../vector-files.js';
import { N } from './internals.js';
import { kernelSuite as kernel } from './kernel-suite.js';

// The arithmetic takes seconds, more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const scalar = (value: bigint) => bytes(value.toString(16).padStart(64, '0'));
const baseKey = bytes('000102030405060708090a0b0c0d0e0f');

describe('the kernel beside the portable implementation', () => {
  it('ENV-8 agrees with it on some thousand random and hostile cases', () => {
    const counts = runDifferential({ kernel, portable, cases: cases(3000), seed: SEED });
    expect(Object.keys(counts).length, `seed ${SEED}`).toBeGreaterThanOrEqual(6);
  });

  it('ENV-8 multiplies random scalars right, by both multiplications', () => {
    const random = createRandom(SEED);
    const multiplications = cases(10_000);
    const nextMultiple = createMultiples(random);
    const { point: publicKey } = nextMultiple();
    for (let i = 0; i < multiplications; i++) {
      const { scalar, point } = nextMultiple();
      if (Buffer.compare(kernel.publicKeyOf(scalar), point) !== 0) expect(hex(scalar)).toBe('a right public key');
      const ek = kernel.wrapBaseKey(publicKey, baseKey, scalar);
      if (Buffer.compare(ek.subarray(0, 65), point) !== 0) expect(hex(scalar)).toBe('a right C1');
    }
  });

  it('ENV-8 multiplies edge scalars right: small and great ones, powers of two, equal digits', () => {
    const edges = [
      ...Array.from({ length: 40 }, (_, i) => BigInt(i + 1)),
      ...Array.from({ length: 40 }, (_, i) => N - BigInt(i + 1)),
      ...Array.from({ length: 256 }, (_, i) => 1n << BigInt(i)).filter((power) => power < N),
      ...Array.from({ length: 51 }, (_, i) => N - (1n << BigInt(5 * i))),
      ...[1n, 3n, 7n, 0x11n, 0x1fn].map((digit) => (digit * ((1n << 250n) - 1n)) / 31n),
      N / 2n,
      N / 2n + 1n,
      (1n << 255n) - 1n,
    ];
    const own = portable.publicKeyOf(scalar(12345n));
    for (const value of edges) {
      const d = scalar(value);
      const publicKey = kernel.publicKeyOf(d);
      expect(hex(publicKey), `d = ${value}`).toBe(hex(portable.publicKeyOf(d)));
      expect(hex(kernel.wrapBaseKey(own, baseKey, d).subarray(0, 65)), `k = ${value}`).toBe(hex(publicKey));
      const ek = kernel.wrapBaseKey(own, baseKey, scalar((value * 7n) % N));
      expect(hex(kernel.unwrapBaseKey(scalar(12345n), ek)), `k = 7 · ${value}`).toBe(hex(baseKey));
    }
  });

  it('ENV-8 doubles if the last addition has equal points: k = n − 6 and k = 6, on any point', () => {
    for (const value of [6n, N - 6n]) {
      const d = scalar(value);
      const publicKey = portable.publicKeyOf(d);
      expect(hex(kernel.publicKeyOf(d))).toBe(hex(publicKey));
      const ek = portable.wrapBaseKey(publicKey, baseKey, scalar(0xabcdefn));
      expect(hex(kernel.unwrapBaseKey(d, ek))).toBe(hex(baseKey));
      const other = portable.publicKeyOf(scalar(99n));
      expect(hex(kernel.wrapBaseKey(other, baseKey, d))).toBe(hex(portable.wrapBaseKey(other, baseKey, d)));
    }
  });
});
