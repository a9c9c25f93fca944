import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import { type Limbs, limbsOf, loadInternals, mod, N, numberOf, P, R } from './internals.js';

// The arithmetic takes seconds, more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let kernel: Awaited<ReturnType<typeof loadInternals>>;
let a: number;
let b: number;
let r: number;

beforeAll(async () => {
  kernel = await loadInternals();
  [a, b, r] = [kernel.room, kernel.room + 256, kernel.room + 512];
}, 180_000);

const UNIT = 2 ** 28;

/** Limbs at and near both ends of u units, and random ones. The last limb is that of a value below 16 p. */
function limbs(units: number): fc.Arbitrary<number[]> {
  const most = units * UNIT;
  const limb = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(-most, most, most - 1, 1 - most, UNIT - 1, -UNIT, 0, 1, -1) },
    { weight: 2, arbitrary: fc.integer({ min: -most, max: most }) },
  );
  const last = fc.oneof(
    fc.constantFrom(2 ** 28 - 2, 2 - 2 ** 28, 0),
    fc.integer({ min: -(2 ** 28) + 2, max: 2 ** 28 - 2 }),
  );
  return fc
    .tuple(fc.array(limb, { minLength: 8, maxLength: 8 }), last)
    .map(([rest, last]) => [...rest, last])
    .filter((limbs) => numberOf(limbs) < 16n * P && numberOf(limbs) > -16n * P);
}
const pair = (units: number): fc.Arbitrary<Limbs> => fc.tuple(limbs(units), limbs(units));

/** All limbs at one end, in every combination of signs: the largest possible columns. */
function extremes(units: number): Limbs[] {
  const end = (sign: number) => [...Array<number>(8).fill(sign * units * UNIT), sign * (2 ** 28 - 2)];
  const alternating = end(1).map((limb, i) => (i % 2 === 0 ? limb : -limb));
  return [
    [end(1), end(-1)],
    [end(-1), end(1)],
    [alternating, end(1)],
  ];
}

/** One unit except for the last limb, congruent to the expected value, and within the formula's bound. */
function expectProduct(x: Limbs, y: Limbs, product: Limbs): void {
  product.forEach((limbs, lane) => {
    const exact = numberOf(x[lane]!) * numberOf(y[lane]!);
    const value = numberOf(limbs);
    expect(mod(value * R - exact, P)).toBe(0n);
    for (const limb of limbs.slice(0, 8)) expect(limb >= -UNIT && limb < UNIT).toBe(true);
    expect(value * R >= exact && value * R < exact + P * R).toBe(true);
  });
}

function multiplied(x: Limbs, y: Limbs): Limbs {
  kernel.writePair(a, x);
  kernel.writePair(b, y);
  kernel.functions.multiply(r, a, b);
  return kernel.readPair(r);
}

function squared(x: Limbs): Limbs {
  kernel.writePair(a, x);
  kernel.functions.square(r, a);
  return kernel.readPair(r);
}

describe('the kernel’s field', () => {
  it('ENV-8 keeps its columns within 64 bits at the limit of its bounds', () => {
    // Limbs up to u · 2^28 + 4 and v · 2^28 + 4 with u · v = 14, as the generated file states.
    const product = 14n * 2n ** 56n + 4n * 7n * 2n ** 28n + 4n * 2n * 2n ** 28n + 16n;
    let carry = 0n;
    for (let column = 0; column < 17; column++) {
      const terms = BigInt(Math.min(column, 16 - column) + 1);
      // The contribution of the quotient's digits, below 2^29, as if of one sign, and half a limb of rounding.
      const quotient = 2n ** 29n * (2n ** 6n + 2n ** 9n + 2n ** 21n + 2n ** 24n);
      const most = terms * product + quotient + carry + 2n ** 28n;
      expect(most < 2n ** 63n, `column ${column}`).toBe(true);
      carry = (most >> 29n) + 1n;
    }
    expect(carry < 2n ** 35n).toBe(true);
  });

  it('ENV-8 multiplies pairs of elements whose units have a product of at most 14, with extreme limbs', () => {
    for (const [u, v] of [
      [1, 7],
      [2, 7],
      [7, 2],
      [3, 4],
      [3.5, 3.5],
    ] as const) {
      for (const x of extremes(u)) for (const y of extremes(v)) expectProduct(x, y, multiplied(x, y));
      fc.assert(
        fc.property(pair(u), pair(v), (x, y) => expectProduct(x, y, multiplied(x, y))),
        { numRuns: cases(200) },
      );
    }
  });

  it('ENV-8 squares pairs of elements of up to 3.5 units', () => {
    for (const u of [1, 2, 3, 3.5]) {
      for (const x of extremes(u)) expectProduct(x, x, squared(x));
      fc.assert(
        fc.property(pair(u), (x) => expectProduct(x, x, squared(x))),
        { numRuns: cases(200) },
      );
    }
  });

  it('ENV-8 reduces pairs of up to 6 units to one unit and little more than half of p', () => {
    const check = (x: Limbs) => {
      kernel.writePair(a, x);
      kernel.functions.reduce(r, a);
      kernel.readPair(r).forEach((limbs, lane) => {
        const value = numberOf(limbs);
        expect(mod(value - numberOf(x[lane]!), P)).toBe(0n);
        expect(value * 100n <= 51n * P && value * 100n >= -51n * P).toBe(true);
        for (const limb of limbs.slice(0, 8)) expect(Math.abs(limb)).toBeLessThanOrEqual(UNIT + 4);
      });
    };
    for (const u of [1, 4, 6]) extremes(u).forEach(check);
    fc.assert(fc.property(pair(6), check), { numRuns: cases(500) });
  });

  it('ENV-8 reduces elements of any size below 16 p to the number from 0 to p − 1', () => {
    const check = (x: Limbs) => {
      kernel.writePair(a, x);
      kernel.functions.fromMontgomery(r, a);
      kernel.readPair(r).forEach((limbs, lane) => {
        const value = numberOf(limbs);
        expect(value >= 0n && value < P).toBe(true);
        expect(mod(value * R - numberOf(x[lane]!), P)).toBe(0n);
        for (const limb of limbs) expect(limb >= 0 && limb < 2 ** 29).toBe(true);
      });
      expect(kernel.functions.firstIsZero(a)).toBe(mod(numberOf(x[0]), P) === 0n ? -1 : 0);
    };
    const multiples = [0n, P, -P, 2n * P, -7n * P, 15n * P, -15n * P].flatMap((m) => [m, m + 1n, m - 1n, m + R / 2n]);
    for (const m of multiples) check([limbsOf(m), limbsOf(-m)]);
    fc.assert(fc.property(pair(6), check), { numRuns: cases(500) });
  });

  it('ENV-8 inverts both elements of a pair, and takes zero to zero', () => {
    const element = fc.oneof(
      fc.constantFrom(0n, 1n, 2n, P - 1n, P - 2n, mod(R, P)),
      fc.bigInt({ min: 0n, max: P - 1n }),
    );
    fc.assert(
      fc.property(element, element, (x, y) => {
        kernel.writePair(a, [limbsOf(mod(x * R, P)), limbsOf(mod(y * R, P))]);
        kernel.functions.invert(r, a);
        const inverses = kernel.readPair(r).map((limbs) => mod(numberOf(limbs), P));
        // Both are in Montgomery form: the product is 1, that is R², or 0.
        expect(mod(inverses[0]! * mod(x * R, P), P)).toBe(x === 0n ? 0n : mod(R * R, P));
        expect(mod(inverses[1]! * mod(y * R, P), P)).toBe(y === 0n ? 0n : mod(R * R, P));
      }),
      { numRuns: cases(60) },
    );
  });

  it('ENV-8 reads and writes 32 bytes, and compares with p', () => {
    const number = fc.oneof(
      fc.constantFrom(0n, 1n, P - 1n, P, P + 1n, (1n << 256n) - 1n, 1n << 255n),
      fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
    );
    const bytesOf = (x: bigint) => Buffer.from(x.toString(16).padStart(64, '0'), 'hex');
    fc.assert(
      fc.property(number, number, (x, y) => {
        const bytes = Buffer.concat([bytesOf(x), bytesOf(y)]);
        kernel.memory.set(bytes, b);
        kernel.functions.readPair(a, b);
        expect(kernel.readPair(a).map(numberOf)).toEqual([x, y]);
        expect(kernel.functions.isBelowP(a)).toBe(Number(x < P && y < P));
        kernel.functions.writePair(r, a);
        expect(Buffer.from(kernel.memory.slice(r, r + 64)).equals(bytes)).toBe(true);
      }),
      { numRuns: cases(500) },
    );
  });
});

describe('the kernel’s scalars', () => {
  const bytesOf = (x: bigint) => Buffer.from(x.toString(16).padStart(64, '0'), 'hex');
  const edges = [1n, 2n, N - 1n, N - 2n, N - 6n, 6n, N / 2n, 1n << 255n, (1n << 255n) - 1n];
  const scalar = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 1n, max: N - 1n }));

  it('ENV-8 are accepted from 1 to n − 1 only', () => {
    for (const [value, isInRange] of [
      [0n, 0],
      [1n, 1],
      [N - 1n, 1],
      [N, 0],
      [N + 1n, 0],
      [N - (1n << 32n), 1],
      [N + (1n << 32n), 0],
      [1n << 255n, 1],
      [(1n << 256n) - 1n, 0],
    ] as const) {
      kernel.memory.set(bytesOf(value), a);
      expect(kernel.functions.isInRange(a), `${value}`).toBe(isInRange);
    }
  });

  it('ENV-8 are recoded into 51 odd digits and a last one with the right sum; n − k for an even k', () => {
    fc.assert(
      fc.property(scalar, (k) => {
        const { functions, memory } = kernel;
        memory.set(bytesOf(k), a);
        const isNegated = functions.makeOdd(b, a);
        const odd = BigInt(`0x${Buffer.from(memory.slice(b, b + 32)).toString('hex')}`);
        expect([isNegated, odd]).toEqual(k % 2n === 1n ? [0, k] : [-1, N - k]);
        let sum = 1n << 255n;
        for (let i = 0; i < 51; i++) {
          const w = functions.windowOf(b, i);
          const size = 2 * functions.indexOf(w) + 1;
          expect(size >= 1 && size <= 31).toBe(true);
          sum += BigInt(functions.signOf(w) === -1 ? -size : size) << BigInt(5 * i);
        }
        expect(sum).toBe(odd);
      }),
      { numRuns: cases(300) },
    );
  });

  it('ENV-8 choose one entry of a table by reading all of it', () => {
    const { functions, memory, room } = kernel;
    const table = Uint8Array.from({ length: 16 * 240 }, (_, i) => (i * 7 + (i >> 8)) & 0xff);
    memory.set(table, room + 512);
    for (let index = 0; index < 16; index++) {
      functions.scanTable(room, room + 512, index);
      expect(Buffer.compare(memory.slice(room, room + 240), table.slice(240 * index, 240 * index + 240))).toBe(0);
    }
  });
});

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

/** The textbook formulas: chord and tangent. */
function sum(p: Affine, q: Affine): Affine {
  const slope = p.x === q.x ? (3n * p.x * p.x - 3n) * inverse(2n * p.y) : (q.y - p.y) * inverse(q.x - p.x);
  const x = mod(slope * slope - p.x - q.x, P);
  return { x, y: mod(slope * (p.x - x) - p.y, P) };
}

const multiples: Affine[] = [G];
for (let i = 1; i < 64; i++) multiples.push(sum(multiples.at(-1)!, G));

const XX = 80;
const montgomery = (x: bigint) => mod(x * R, P);

/**
 * Writes a point with any Z, and coordinates shifted by multiples of p within the bounds of the operations: |X| <=
 * 1.04 p, |Y| <= 4 p.
 */
function writePoint(at: number, { x, y }: Affine, z: bigint, shift: { x: bigint; y: bigint; z: bigint }): void {
  const [X, Y, Z] = [x * z * z, y * z * z * z, z].map((value) => montgomery(value)) as [bigint, bigint, bigint];
  kernel.writePair(at, [limbsOf(Z + shift.z * P), limbsOf(Y + shift.y * P)]);
  kernel.writePair(at + XX, [limbsOf(X + shift.x * P), limbsOf(X + shift.x * P)]);
}

/** The affine point, after a check of the operations' bounds. */
function readPoint(at: number): Affine {
  const [z, y] = kernel.readPair(at).map(numberOf) as [bigint, bigint];
  const [x, sameX] = kernel.readPair(at + XX).map(numberOf) as [bigint, bigint];
  expect(sameX).toBe(x);
  const isAtMost = (value: bigint, percent: bigint) => value * 100n <= percent * P && value * -100n <= percent * P;
  expect([isAtMost(x, 104n), isAtMost(y, 400n), isAtMost(z, 134n)]).toEqual([true, true, true]);
  // All values are in Montgomery form, and the quotients keep its factor R.
  const zInverse = inverse(z * inverse(R));
  return {
    x: mod(x * inverse(R) * zInverse * zInverse, P),
    y: mod(y * inverse(R) * zInverse * zInverse * zInverse, P),
  };
}

const anyZ = fc.oneof(fc.constantFrom(1n, 2n, P - 1n), fc.bigInt({ min: 1n, max: P - 1n }));
const anyIndex = fc.integer({ min: 0, max: 31 });
const anyShift = fc.record({
  x: fc.constantFrom(0n, -1n),
  y: fc.constantFrom(-4n, -1n, 0n, 3n),
  z: fc.constantFrom(0n, -1n),
});

describe('the kernel’s points', () => {
  it('ENV-8 are doubled by the tangent rule, within the bounds of the next operation', () => {
    fc.assert(
      fc.property(anyIndex, anyZ, anyShift, (i, z, shift) => {
        writePoint(a, multiples[i]!, z, shift);
        kernel.functions.double(a);
        expect(readPoint(a)).toEqual(multiples[2 * i + 1]);
      }),
      { numRuns: cases(150) },
    );
  });

  it('ENV-8 are added by the chord rule, within the bounds of the next operation', () => {
    fc.assert(
      fc.property(anyIndex, anyIndex, anyZ, anyZ, anyShift, anyShift, (i, j, z1, z2, shift1, shift2) => {
        fc.pre(i !== j);
        writePoint(a, multiples[i]!, z1, shift1);
        writePoint(b, multiples[j]!, z2, shift2);
        kernel.functions.toEntry(r, b);
        kernel.functions.add(a, a, r);
        expect(readPoint(a)).toEqual(multiples[i + j + 1]);
      }),
      { numRuns: cases(150) },
    );
  });

  it('ENV-8 give Z = 0 for a sum of equal points, where the last addition of a multiplication doubles', () => {
    fc.assert(
      fc.property(anyIndex, anyZ, anyZ, (i, z1, z2) => {
        writePoint(a, multiples[i]!, z1, { x: 0n, y: 0n, z: 0n });
        writePoint(b, multiples[i]!, z2, { x: 0n, y: 0n, z: 0n });
        kernel.functions.toEntry(r, b);
        kernel.functions.add(a, a, r);
        expect(kernel.functions.firstIsZero(a)).toBe(-1);
      }),
      { numRuns: cases(50) },
    );
  });

  it('ENV-8 are refused off the curve: (0, 0), other points of the plane, and points of other curves', () => {
    const isOnCurve = ({ x, y }: Affine) => {
      kernel.writePair(a, [limbsOf(montgomery(x)), limbsOf(montgomery(y))]);
      return kernel.functions.isOnCurve(a) === 1;
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

describe('the kernel’s GHASH', () => {
  /** SP 800-38D, 6.3: bit 0 is the most significant bit, and x^128 is 1 + x + x² + x⁷. */
  function multiply(x: bigint, y: bigint): bigint {
    let [product, power] = [0n, y];
    for (let bit = 127n; bit >= 0n; bit--) {
      if ((x >> bit) & 1n) product ^= power;
      power = power & 1n ? (power >> 1n) ^ (0xe1n << 120n) : power >> 1n;
    }
    return product;
  }
  const blockOf = (value: bigint) => Buffer.from(value.toString(16).padStart(32, '0'), 'hex');

  const ones = (1n << 128n) - 1n;
  const phase = ones / 15n;
  /**
   * Blocks with full columns: of a word, of all its phases, of one phase, and of one word only, whose sum is full.
   */
  const full = [ones, ones >> 64n, ones ^ (ones >> 64n), phase, phase * 8n, phase >> 64n, (phase >> 64n) * 8n];

  /** The square root of x, unique in GF(2^128): x squared 127 times. */
  function root(x: bigint): bigint {
    let power = x;
    for (let i = 0; i < 127; i++) power = multiply(power, power);
    return power;
  }

  /** The hash by the kernel and by the standard. Other bytes follow the data in memory. */
  function expectHash(subkey: bigint, blocks: readonly bigint[], missing = 0): void {
    const { functions, memory } = kernel;
    const data = Buffer.concat(blocks.map(blockOf));
    const length = Math.max(0, data.length - missing);
    memory.fill(0xff, b, b + data.length + 16);
    memory.set(data.subarray(0, length), b);
    memory.set(blockOf(subkey), a);
    functions.beginGhash(a);
    functions.updateGhash(b, length);
    functions.finishGhash(r, 0n, BigInt(length));
    data.fill(0, length);
    let expected = 0n;
    for (let at = 0; at < data.length; at += 16) {
      expected = multiply(expected ^ BigInt(`0x${data.toString('hex', at, at + 16)}`), subkey);
    }
    expected = multiply(expected ^ BigInt(8 * length), subkey);
    expect(Buffer.from(memory.slice(r, r + 16)).toString('hex')).toBe(blockOf(expected).toString('hex'));
  }

  it('ENV-8 hashes as the standard does with full columns of the subkey and its second and fourth power', () => {
    for (const wanted of full) {
      for (const subkey of [wanted, root(wanted), root(root(wanted))]) {
        for (const block of full) {
          for (let count = 1; count <= 5; count++)
            expectHash(
              subkey,
              Array.from({ length: count }, () => block),
            );
        }
      }
    }
  });

  it('ENV-8 hashes any number of blocks as the standard does, and no byte after them', () => {
    const block = fc.oneof(fc.constantFrom(0n, 1n, 1n << 127n, ones / 3n, ...full), fc.bigInt({ min: 0n, max: ones }));
    fc.assert(
      fc.property(block, fc.array(block, { maxLength: 9 }), fc.nat(15), (subkey, blocks, missing) =>
        expectHash(subkey, blocks, missing),
      ),
      { numRuns: cases(500) },
    );
  });
});
