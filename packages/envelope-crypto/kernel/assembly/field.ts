// Elements of F_p in pairs: two elements go through every step side by side, in the lanes of one vector.
//
// A pair is nine limbs of 29 bits, signed 32-bit words, and the lanes alternate: limb i of the first element is at byte
// 8 i, that of the second at 8 i + 4; two words of zeros fill the fifth vector. An element of "u units" has limbs of at
// most u · 2^28 in size. Products take and give Montgomery's form (generated/field-products.ts, with the bounds).

import { ONE, P, R_SQUARED, UNIT } from './generated/field-constants';
import { multiply, square } from './generated/field-products';
import { FIELD_WORK, PAIR_BYTES } from './memory';

export { multiply, square };

const LIMB_MASK: i32 = 0x1fffffff;

/** A mask of the first element of each limb. */
const FIRST: usize = memory.data<u32>([0xffffffff, 0, 0xffffffff, 0], 16);

/** p = 2^256 - 2^224 - 2^96 + 2^64 - 1 as nine limbs, of which four are zero, for both elements. */
const SPARSE_P: usize = memory.data<i32>(
  [-1, -1, 0, 0, 64, 64, -512, -512, 0, 0, 0, 0, 0, 0, -2097152, -2097152, 16777216, 16777216, 0, 0],
  16,
);

/** The first elements of `a` and the second ones of `b`, in each limb of a vector. */
export function join(a: v128, b: v128): v128 {
  return v128.bitselect(a, b, v128.load(FIRST));
}

/** The first element twice. */
export function firstTwice(a: v128): v128 {
  return v128.shuffle<i32>(a, a, 0, 0, 2, 2);
}

/** The second element twice. */
export function secondTwice(a: v128): v128 {
  return v128.shuffle<i32>(a, a, 1, 1, 3, 3);
}

/** The elements in the other order. */
export function swapped(a: v128): v128 {
  return v128.shuffle<i32>(a, a, 1, 0, 3, 2);
}

/**
 * Brings pairs of up to 6 units, |a| < 16 p, back to one unit and |r| < 0.51 p. First it subtracts the multiple of p
 * that the last limb shows. Then every limb passes its excess to the next, all at the same time: a limb may end up to 4
 * beyond its unit, which the bound on products allows.
 */
export function reduce(r: usize, a: usize): void {
  const last = v128.load(a, 64);
  // round(a / 2^256), for both elements, in both halves. The limbs below count for less than 2^-20 of it.
  const rounded = i32x4.shr_s(i32x4.add(last, i32x4.splat(1 << 23)), 24);
  const quotient = v128.shuffle<i64>(rounded, rounded, 0, 0);
  const a0 = i32x4.sub(v128.load(a, 0), i32x4.mul(quotient, v128.load(SPARSE_P, 0)));
  const a1 = i32x4.sub(v128.load(a, 16), i32x4.mul(quotient, v128.load(SPARSE_P, 16)));
  const a2 = v128.load(a, 32);
  const a3 = i32x4.sub(v128.load(a, 48), i32x4.mul(quotient, v128.load(SPARSE_P, 48)));
  const a4 = i32x4.sub(last, i32x4.mul(quotient, v128.load(SPARSE_P, 64)));

  const half = i32x4.splat(1 << 28);
  const carry0 = i32x4.shr_s(i32x4.add(a0, half), 29);
  const carry1 = i32x4.shr_s(i32x4.add(a1, half), 29);
  const carry2 = i32x4.shr_s(i32x4.add(a2, half), 29);
  const carry3 = i32x4.shr_s(i32x4.add(a3, half), 29);
  const none = i32x4.splat(0);
  v128.store(r, withCarry(a0, carry0, v128.shuffle<i64>(none, carry0, 0, 2)), 0);
  v128.store(r, withCarry(a1, carry1, v128.shuffle<i64>(carry0, carry1, 1, 2)), 16);
  v128.store(r, withCarry(a2, carry2, v128.shuffle<i64>(carry1, carry2, 1, 2)), 32);
  v128.store(r, withCarry(a3, carry3, v128.shuffle<i64>(carry2, carry3, 1, 2)), 48);
  v128.store(r, i32x4.add(a4, v128.shuffle<i64>(carry3, none, 1, 2)), 64);
}

function withCarry(limbs: v128, out: v128, into: v128): v128 {
  return i32x4.add(i32x4.sub(limbs, i32x4.shl(out, 29)), into);
}

/** r = a, or -a where the mask is all ones, for both elements. */
export function negateWhere(r: usize, a: usize, mask: i32): void {
  const m = i32x4.splat(mask);
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) v128.store(r + v, i32x4.sub(v128.xor(v128.load(a + v), m), m));
}

/** Out of bytes, big-endian: 32 for each element, the second behind the first. Limbs from 0 to 2^29 - 1: two units. */
export function readPair(r: usize, bytes: usize): void {
  readElement(r, bytes);
  readElement(r + 4, bytes + 32);
  store<u64>(r, 0, 72);
}

/** Room for an element as bytes, with zeros before it: a load of 8 bytes around any limb stays inside. */
const WIDE: usize = FIELD_WORK;

function readElement(r: usize, bytes: usize): void {
  store<u64>(WIDE, 0);
  memory.copy(WIDE + 8, bytes, 32);
  for (let i: usize = 0; i < 9; i++) {
    const bit: usize = 29 * i;
    const around = bswap<u64>(load<u64>(WIDE + 32 - (bit >> 3)));
    store<i32>(r + 8 * i, <i32>(around >> <u64>(bit & 7)) & LIMB_MASK);
  }
}

/** Whether both elements, of limbs from 0 to 2^29 - 1, are below p. */
export function isBelowP(a: usize): bool {
  // The mask is all ones for what is below p.
  return (belowP(a) & belowP(a + 4)) !== 0;
}

function belowP(a: usize): i32 {
  let carry: i32 = 0;
  for (let i: usize = 0; i < 72; i += 8) carry = (load<i32>(a + i) - load<i32>(P + i) + carry) >> 29;
  return carry;
}

/** Into Montgomery's form. */
export function toMontgomery(r: usize, a: usize): void {
  multiply(r, a, R_SQUARED);
}

/** Out of Montgomery's form, for |a| < 16 p: the one value from 0 to p - 1, in limbs from 0 to 2^29 - 1. */
export function fromMontgomery(r: usize, a: usize): void {
  // The product is (a + q p) / R with 0 <= q < R. It is above -1 and below p + 1, so it is from 0 to p, for |a| < R.
  multiply(r, a, UNIT);
  settle(r);
  settle(r + 4);
}

const REDUCED: usize = FIELD_WORK + 48;

/** Carries all the way, and takes p off where the value is p. */
function settle(a: usize): void {
  let carry: i32 = 0;
  let carryReduced: i32 = 0;
  for (let i: usize = 0; i < 72; i += 8) {
    carry += load<i32>(a + i);
    const limb = i < 64 ? carry & LIMB_MASK : carry;
    store<i32>(a + i, limb);
    carry >>= 29;
    carryReduced += limb - load<i32>(P + i);
    store<i32>(REDUCED + i, i < 64 ? carryReduced & LIMB_MASK : carryReduced);
    carryReduced >>= 29;
  }
  // All ones where the difference is negative.
  for (let i: usize = 0; i < 72; i += 8) {
    const limb = load<i32>(a + i);
    const reduced = load<i32>(REDUCED + i);
    store<i32>(a + i, reduced ^ ((reduced ^ limb) & carryReduced));
  }
}

const CANONICAL: usize = FIELD_WORK + 128;

/** All ones if the first element, in Montgomery's form with |a| < 16 p, is zero; else nothing. */
export function firstIsZero(a: usize): i32 {
  fromMontgomery(CANONICAL, a);
  let bits: i32 = 0;
  for (let i: usize = 0; i < 72; i += 8) bits |= load<i32>(CANONICAL + i);
  // A non-negative number less one is negative only for zero.
  return (bits - 1) >> 31;
}

/** Both elements, from 0 to p - 1 in limbs from 0 to 2^29 - 1, as bytes, big-endian, the second behind the first. */
export function writePair(bytes: usize, a: usize): void {
  writeElement(bytes, a);
  writeElement(bytes + 32, a + 4);
}

function writeElement(bytes: usize, a: usize): void {
  let pending: u64 = 0;
  let bits: u64 = 0;
  let to = bytes + 32;
  for (let i: usize = 0; i < 72; i += 8) {
    pending |= (<u64>load<u32>(a + i)) << bits;
    bits += 29;
    for (; bits >= 8 && to > bytes; bits -= 8) {
      to--;
      store<u8>(to, <u8>pending);
      pending >>= 8;
    }
  }
}

export function copyPair(r: usize, a: usize): void {
  memory.copy(r, a, PAIR_BYTES);
}

const Z: usize = FIELD_WORK + 208;
const RUN: usize = Z + PAIR_BYTES;
const POWER: usize = RUN + PAIR_BYTES;
const RUN_30: usize = POWER + PAIR_BYTES;

/** r = a^(2^n). */
function squareTimes(r: usize, a: usize, n: i32): void {
  square(r, a);
  for (; n > 1; n--) square(r, r);
}

/** run <- run^(2^length) · run: a run of ones in the exponent, of that length, becomes twice as long. */
function doubleRun(length: i32): void {
  squareTimes(POWER, RUN, length);
  multiply(RUN, POWER, RUN);
}

/** run <- run² · z: a run of ones in the exponent becomes longer by one. */
function prolongRun(): void {
  square(RUN, RUN);
  multiply(RUN, RUN, Z);
}

/**
 * r = 1 / a for both elements, and 0 for 0: a^(p - 2) (Fermat), the same steps for every a. The exponent in words of 32
 * bits is fffffffe ffffffff ffffffff ffffffff ffffffff 00000000 ffffffff fffffffd.
 */
export function invert(r: usize, a: usize): void {
  copyPair(Z, a);
  copyPair(RUN, a);
  prolongRun();
  prolongRun();
  doubleRun(3);
  prolongRun();
  doubleRun(7);
  prolongRun();
  doubleRun(15);
  copyPair(RUN_30, RUN);
  prolongRun();
  square(POWER, RUN); // fffffffe
  prolongRun(); // 32 ones
  for (let word = 0; word < 4; word++) {
    squareTimes(POWER, POWER, 32);
    multiply(POWER, POWER, RUN); // ffffffff
  }
  squareTimes(POWER, POWER, 64);
  multiply(POWER, POWER, RUN); // 00000000 ffffffff
  squareTimes(POWER, POWER, 30);
  multiply(POWER, POWER, RUN_30);
  squareTimes(POWER, POWER, 2);
  multiply(r, POWER, Z); // fffffffd
}

export { ONE };
