// Points of the curve y² = x³ - 3 x + b in Jacobian coordinates (X / Z², Y / Z³), in pairs of field elements.
//
// A point is two pairs: (Z, Y), then (X, X). An entry, a point that is to be added to others, is three: (Z², X), (Y, Z)
// and (Z³, Z³). Between operations X has one unit and |X| <= 1.04 p, Y three units and |Y| <= 4 p, Z one unit and |Z|
// <= 1.34 p. A product has one unit and |r| <= (1 + |a| |b| / (32 p²)) p. The other bounds follow step by step, and the
// comments count units.

import { firstIsZero, firstTwice, join, multiply, negateWhere, reduce, secondTwice, square, swapped } from './field';
import { CURVE_B, ONE, THREE } from './generated/field-constants';
import { PAIR_BYTES, POINT_WORK } from './memory';

/** The offsets of a point's and an entry's pairs. */
export const ZY: usize = 0;
export const XX: usize = PAIR_BYTES;
const ZZ_X: usize = 0;
export const Y_Z: usize = PAIR_BYTES;
const ZZZ: usize = 2 * PAIR_BYTES;

const A: usize = POINT_WORK;
const B: usize = A + PAIR_BYTES;
const C: usize = B + PAIR_BYTES;
const D: usize = C + PAIR_BYTES;
const E: usize = D + PAIR_BYTES;
const F: usize = E + PAIR_BYTES;
const G: usize = F + PAIR_BYTES;
const T: usize = G + PAIR_BYTES;
const U: usize = T + PAIR_BYTES;

/** Whether the point (x, y), in Montgomery's form, is on the curve: y² = x³ - 3 x + b. */
export function isOnCurve(xy: usize): bool {
  square(A, xy);
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(T + v, i32x4.sub(v128.load(A + v), v128.load(THREE + v)));
  }
  multiply(T, T, xy);
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const right = i32x4.add(v128.load(T + v), v128.load(CURVE_B + v));
    v128.store(T + v, i32x4.sub(right, swapped(v128.load(A + v))));
  }
  return firstIsZero(T) !== 0;
}

/** The point (x, y), in Montgomery's form, with Z = 1. */
export function fromAffine(p: usize, xy: usize): void {
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const a = v128.load(xy + v);
    v128.store(p + ZY + v, join(v128.load(ONE + v), a));
    v128.store(p + XX + v, firstTwice(a));
  }
}

/** (x, y) of a point, in Montgomery's form, given (1 / Z, 1 / Z). */
export function toAffine(xy: usize, p: usize, inverse: usize): void {
  square(A, inverse);
  multiply(B, A, inverse);
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(T + v, join(v128.load(p + XX + v), v128.load(p + ZY + v)));
    v128.store(U + v, join(v128.load(A + v), v128.load(B + v)));
  }
  multiply(xy, T, U);
}

/**
 * p <- 2 p ("dbl-2001-b" of the Explicit-Formulas Database):
 * delta = Z², gamma = Y², alpha = 3 (X - delta) (X + delta), S = 4 X gamma,
 * X' = alpha² - 2 S, Z' = 2 Y Z, Y' = alpha (S - X') - 8 gamma².
 */
export function double(p: usize): void {
  square(A, p + ZY); // (delta, gamma), from 3 · 3 units
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const x = v128.load(p + XX + v);
    const a = v128.load(A + v);
    const delta = join(a, i32x4.splat(0));
    v128.store(T + v, i32x4.sub(join(x, i32x4.shl(x, 2)), delta)); // (X - delta, 4 X): 2 and 4 units
    v128.store(U + v, i32x4.add(join(x, i32x4.splat(0)), a)); // (X + delta, gamma): 2 and 1
  }
  multiply(B, T, U); // (alpha / 3, S)
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const b = v128.load(B + v);
    const a = v128.load(A + v);
    const twice = i32x4.add(b, b);
    v128.store(T + v, join(i32x4.add(twice, b), i32x4.add(a, a))); // (alpha, 2 gamma): 3 and 2
  }
  square(C, T); // (alpha², 4 gamma²)
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const s = secondTwice(v128.load(B + v));
    v128.store(B + v, s);
    v128.store(U + v, i32x4.sub(firstTwice(v128.load(C + v)), i32x4.add(s, s))); // 3 units
  }
  reduce(p + XX, U); // X'
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const zy = v128.load(p + ZY + v);
    const y = secondTwice(zy);
    v128.store(T + v, join(i32x4.add(y, y), firstTwice(v128.load(T + v)))); // (2 Y, alpha): 6 and 3
    v128.store(U + v, join(zy, i32x4.sub(v128.load(B + v), v128.load(p + XX + v)))); // (Z, S - X'): 1 and 2
  }
  multiply(U, T, U); // (Z', alpha (S - X'))
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const c = v128.load(C + v);
    v128.store(p + ZY + v, i32x4.sub(v128.load(U + v), join(i32x4.splat(0), i32x4.add(c, c)))); // 1 and 3
  }
}

/**
 * r = p + q for an entry q. If p is q or -q, Z of r is 0 modulo p, and the rest is undefined. r may be p.
 *
 * u1 = X1 Z2², u2 = X2 Z1², s1 = Y1 Z2³, s2 = Y2 Z1³, h = u2 - u1, t = s2 - s1, w = u1 h²,
 * X = t² - h³ - 2 w, Y = t (w - X) - s1 h³, Z = Z1 Z2 h.
 */
export function add(r: usize, p: usize, q: usize): void {
  square(A, p + ZY); // (Z1², Y1²), from 3 · 3 units
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const a = v128.load(A + v);
    v128.store(T + v, join(v128.load(p + XX + v), firstTwice(a))); // (X1, Z1²)
    v128.store(U + v, join(a, v128.load(q + ZZZ + v))); // (Z1², Z2³)
  }
  multiply(B, T, q + ZZ_X); // (u1, u2)
  multiply(C, p + ZY, U); // (Z1³, s1), from 3 · 1 units
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(T + v, join(v128.load(C + v), firstTwice(v128.load(p + ZY + v)))); // (Z1³, Z1)
  }
  multiply(D, T, q + Y_Z); // (s2, Z1 Z2), from 1 · 3 units
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const b = v128.load(B + v);
    const t = i32x4.sub(swapped(v128.load(D + v)), v128.load(C + v));
    v128.store(E + v, join(i32x4.sub(swapped(b), b), t)); // (h, t): 2 units
  }
  square(F, E); // (h², t²), from 2 · 2 units
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(T + v, firstTwice(v128.load(F + v)));
    v128.store(U + v, join(v128.load(E + v), firstTwice(v128.load(B + v)))); // (h, u1)
  }
  multiply(G, T, U); // (h³, w)
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const g = v128.load(G + v);
    const w = secondTwice(g);
    const rest = i32x4.sub(secondTwice(v128.load(F + v)), firstTwice(g));
    v128.store(A + v, i32x4.sub(rest, i32x4.add(w, w))); // 4 units
    v128.store(T + v, join(secondTwice(v128.load(D + v)), v128.load(C + v))); // (Z1 Z2, s1)
    v128.store(U + v, join(v128.load(E + v), firstTwice(g))); // (h, h³)
  }
  reduce(r + XX, A); // X
  multiply(T, T, U); // (Z, s1 h³), from 1 · 2 units
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(U + v, i32x4.sub(v128.load(G + v), v128.load(r + XX + v))); // (unused, w - X): 2 units
  }
  multiply(U, E, U); // (unused, t (w - X)), from 2 · 2 units
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const t = v128.load(T + v);
    v128.store(r + ZY + v, join(t, i32x4.sub(v128.load(U + v), t))); // 1 and 2 units
  }
}

/** The entry of a point. */
export function toEntry(q: usize, p: usize): void {
  square(A, p + ZY);
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    const zy = v128.load(p + ZY + v);
    const zz = firstTwice(v128.load(A + v));
    v128.store(A + v, zz);
    v128.store(T + v, firstTwice(zy));
    v128.store(q + ZZ_X + v, join(zz, v128.load(p + XX + v)));
    v128.store(q + Y_Z + v, swapped(zy));
  }
  multiply(q + ZZZ, A, T);
}

/** Negates an entry if the mask is all ones. */
export function negateEntryWhere(q: usize, mask: i32): void {
  negateWhere(T, q + Y_Z, mask);
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(q + Y_Z + v, join(v128.load(T + v), v128.load(q + Y_Z + v)));
  }
}

/** Negates a point if the mask is all ones. */
export function negatePointWhere(p: usize, mask: i32): void {
  negateWhere(T, p + ZY, mask);
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(p + ZY + v, join(v128.load(p + ZY + v), v128.load(T + v)));
  }
}
