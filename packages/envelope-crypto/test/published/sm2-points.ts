import { sm3 } from '../../src/gm/index.js';

// GB/T 32918.5-2017. The formulas of addition and doubling do not contain b: they work on points of every curve with
// this p and a, which is why a point has to be checked before it meets a private key.
export const P = 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffffn;
const A = P - 3n;
const B = 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93n;

export interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

const mod = (value: bigint): bigint => ((value % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = mod(base), rest = exponent; rest > 0n; rest >>= 1n, square = mod(square * square)) {
    if (rest & 1n) result = mod(result * square);
  }
  return result;
}

const inverse = (value: bigint): bigint => power(value, P - 2n);

function add(one: Point | null, other: Point | null): Point | null {
  if (one === null) return other;
  if (other === null) return one;
  if (one.x === other.x && mod(one.y + other.y) === 0n) return null;
  const slope =
    one.x === other.x
      ? mod((3n * one.x * one.x + A) * inverse(2n * one.y))
      : mod((other.y - one.y) * inverse(mod(other.x - one.x)));
  const x = mod(slope * slope - one.x - other.x);
  return { x, y: mod(slope * (one.x - x) - one.y) };
}

export function multiply(scalar: bigint, point: Point): Point {
  let result: Point | null = null;
  for (let doubled: Point | null = point, rest = scalar; rest > 0n; rest >>= 1n, doubled = add(doubled, doubled)) {
    if (rest & 1n) result = add(result, doubled);
  }
  if (result === null) throw new Error('the point at infinity');
  return result;
}

/** The point of the curve with this x and an even y, or null. */
export function pointAt(x: bigint): Point | null {
  const right = mod(x ** 3n + A * x + B);
  // p is 3 modulo 4.
  const root = power(right, (P + 1n) / 4n);
  if (mod(root * root) !== right) return null;
  return { x, y: root & 1n ? P - root : root };
}

export const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
export const fieldBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** C1, C3 and C2 for a shared point, which need not be one that C1 leads to (GB/T 32918.4-2016, 6.1). */
export function ciphertextOf(c1: Point, shared: Point, baseKey: Uint8Array): Uint8Array {
  const [x, y] = [fieldBytes(shared.x), fieldBytes(shared.y)];
  // One block of the key derivation is enough for 16 bytes.
  const mask = sm3(Buffer.concat([x, y, Buffer.from([0, 0, 0, 1])]));
  const c3 = sm3(Buffer.concat([x, baseKey, y]));
  return Buffer.concat([
    Buffer.from([4]),
    fieldBytes(c1.x),
    fieldBytes(c1.y),
    c3,
    baseKey.map((byte, i) => byte ^ mask[i]!),
  ]);
}
