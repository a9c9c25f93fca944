import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { limbsOf, loadInternals, mod, numberOf, P, R } from './internals.js';

/** GB/T 32918.5-2017, clause 2. */
const B = 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93n;
const G = {
  x: 0x32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7n,
  y: 0xbc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0n,
};

interface Affine {
  readonly x: bigint;
  readonly y: bigint;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let e = exponent, square = base; e > 0n; e >>= 1n, square = (square * square) % P) {
    if (e & 1n) result = (result * square) % P;
  }
  return result;
}
const inverse = (x: bigint) => power(mod(x, P), P - 2n);

/** The school's formulas: chord and tangent. */
function sum(p: Affine, q: Affine): Affine {
  const slope = p.x === q.x ? (3n * p.x * p.x - 3n) * inverse(2n * p.y) : (q.y - p.y) * inverse(q.x - p.x);
  const x = mod(slope * slope - p.x - q.x, P);
  return { x, y: mod(slope * (p.x - x) - p.y, P) };
}

const multiples: Affine[] = [G];
for (let i = 1; i < 64; i++) multiples.push(sum(multiples.at(-1)!, G));

let kernel: Awaited<ReturnType<typeof loadInternals>>;
let p: number;
let q: number;
let entry: number;
beforeAll(async () => {
  kernel = await loadInternals();
  [p, q, entry] = [kernel.room, kernel.room + 256, kernel.room + 512];
}, 180_000);

const XX = 80;
const montgomery = (x: bigint) => mod(x * R, P);

/** Writes a point with any Z, its coordinates moved by multiples of p as far as the operations leave them: |X| <= 1.04 p, |Y| <= 4 p. */
function writePoint(at: number, { x, y }: Affine, z: bigint, shift: { x: bigint; y: bigint; z: bigint }): void {
  const [X, Y, Z] = [x * z * z, y * z * z * z, z].map((value) => montgomery(value)) as [bigint, bigint, bigint];
  kernel.writePair(at, [limbsOf(Z + shift.z * P), limbsOf(Y + shift.y * P)]);
  kernel.writePair(at + XX, [limbsOf(X + shift.x * P), limbsOf(X + shift.x * P)]);
}

/** The affine point, having checked what the operations promise of sizes. */
function readPoint(at: number): Affine {
  const [z, y] = kernel.readPair(at).map(numberOf) as [bigint, bigint];
  const [x, sameX] = kernel.readPair(at + XX).map(numberOf) as [bigint, bigint];
  expect(sameX).toBe(x);
  const isAtMost = (value: bigint, percent: bigint) => value * 100n <= percent * P && value * -100n <= percent * P;
  expect([isAtMost(x, 104n), isAtMost(y, 400n), isAtMost(z, 134n)]).toEqual([true, true, true]);
  // All in Montgomery's form, whose factor R stays in the quotients.
  const zInverse = inverse(z * inverse(R));
  return {
    x: mod(x * inverse(R) * zInverse * zInverse, P),
    y: mod(y * inverse(R) * zInverse * zInverse * zInverse, P),
  };
}

const z = fc.oneof(fc.constantFrom(1n, 2n, P - 1n), fc.bigInt({ min: 1n, max: P - 1n }));
const index = fc.integer({ min: 0, max: 31 });
const shift = fc.record({
  x: fc.constantFrom(0n, -1n),
  y: fc.constantFrom(-4n, -1n, 0n, 3n),
  z: fc.constantFrom(0n, -1n),
});

describe('the kernel’s points', () => {
  it('ENV-8 are doubled as by the tangent, within the bounds that the next operation wants', () => {
    fc.assert(
      fc.property(index, z, shift, (i, z, shift) => {
        writePoint(p, multiples[i]!, z, shift);
        kernel.functions.double(p);
        expect(readPoint(p)).toEqual(multiples[2 * i + 1]);
      }),
      { numRuns: 150 },
    );
  });

  it('ENV-8 are added as by the chord, within the bounds that the next operation wants', () => {
    fc.assert(
      fc.property(index, index, z, z, shift, shift, (i, j, z1, z2, shift1, shift2) => {
        fc.pre(i !== j);
        writePoint(p, multiples[i]!, z1, shift1);
        writePoint(q, multiples[j]!, z2, shift2);
        kernel.functions.toEntry(entry, q);
        kernel.functions.add(p, p, entry);
        expect(readPoint(p)).toEqual(multiples[i + j + 1]);
      }),
      { numRuns: 150 },
    );
  });

  it('ENV-8 show by Z = 0 that a sum was of equal points: the last addition of a multiplication doubles then', () => {
    fc.assert(
      fc.property(index, z, z, (i, z1, z2) => {
        writePoint(p, multiples[i]!, z1, { x: 0n, y: 0n, z: 0n });
        writePoint(q, multiples[i]!, z2, { x: 0n, y: 0n, z: 0n });
        kernel.functions.toEntry(entry, q);
        kernel.functions.add(p, p, entry);
        expect(kernel.functions.firstIsZero(p)).toBe(-1);
      }),
      { numRuns: 50 },
    );
  });

  it('ENV-8 are on the curve or refused: (0, 0), other points of the plane, and points of other curves', () => {
    const isOnCurve = ({ x, y }: Affine) => {
      kernel.writePair(p, [limbsOf(montgomery(x)), limbsOf(montgomery(y))]);
      return kernel.functions.isOnCurve(p) === 1;
    };
    for (const point of multiples) expect(isOnCurve(point)).toBe(true);
    expect(isOnCurve({ x: 0n, y: 0n })).toBe(false);
    expect(isOnCurve({ x: G.x, y: mod(-G.y, P) })).toBe(true);
    const coordinate = fc.bigInt({ min: 0n, max: P - 1n });
    fc.assert(
      fc.property(coordinate, coordinate, (x, y) => {
        expect(isOnCurve({ x, y })).toBe(mod(y * y - x * x * x + 3n * x - B, P) === 0n);
        expect(isOnCurve({ x: G.x, y })).toBe(y === G.y || y === P - G.y);
      }),
    );
  });
});
