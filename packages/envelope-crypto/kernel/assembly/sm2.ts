// SM2 encryption (GB/T 32918.4-2016) of a base key of 16 bytes: C1 || C3 || C2, 113 bytes.

import {
  copyPair,
  firstTwice,
  fromMontgomery,
  invert,
  isBelowP,
  join,
  multiply,
  readPair,
  secondTwice,
  toMontgomery,
  writePair,
} from './field';
import { BASE_POINT } from './generated/field-constants';
import {
  BASE_KEY_BYTES,
  BASE_POINT_TABLE,
  MAX_KEYS,
  PAIR_BYTES,
  POINT_BYTES,
  PUBLIC_KEY_TABLE,
  SM2_WORK,
  WRAPPED_KEY_STRIDE,
} from './memory';
import { fillFixedTable, multiplyFixedPoint, multiplyPoint } from './multiplication';
import { isOnCurve, toAffine, ZY } from './point';
import { beginHash, finishHash, updateHash } from './sm3';

/** Where C3 and C2 begin, after 04, x, y. */
const C3: usize = 65;
const C2: usize = 97;

const XY: usize = SM2_WORK;
const INVERSES: usize = XY + PAIR_BYTES;
/** The points of all keys that are unwrapped, and a pair for each. */
const POINTS: usize = INVERSES + PAIR_BYTES;
const PRODUCTS: usize = POINTS + MAX_KEYS * POINT_BYTES;
const Q: usize = POINTS;
const S: usize = Q + POINT_BYTES;
/** x2 || y2, then the KDF's counter. */
const SHARED: usize = PRODUCTS + MAX_KEYS * PAIR_BYTES;
const MASK: usize = SHARED + 80;
const CHECK: usize = MASK + 32;

/**
 * Reads 04, x, y into Montgomery form. False for another first byte, a coordinate from p up, and a point off the curve,
 * (0, 0) included. The cofactor is 1, so every other point has order n.
 */
function readPoint(xy: usize, bytes: usize): bool {
  if (load<u8>(bytes) !== 0x04) return false;
  readPair(xy, bytes + 1);
  if (!isBelowP(xy)) return false;
  toMontgomery(xy, xy);
  return isOnCurve(xy);
}

/** Writes 1 / Z of both points: one inversion computes two. */
function invertBoth(p: usize, q: usize): void {
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(INVERSES + v, join(v128.load(p + ZY + v), firstTwice(v128.load(q + ZY + v))));
  }
  invert(INVERSES, INVERSES);
}

/** Writes Z of a point, twice. */
function copyZ(to: usize, p: usize): void {
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) v128.store(to + v, firstTwice(v128.load(p + ZY + v)));
}

/**
 * Writes 1 / Z, twice, of the first points into PRODUCTS by one inversion (Montgomery's trick: the inverse of the
 * product, times all factors but one). No Z is 0: each point is a multiple, by a scalar from 1 to n - 1, of a point of
 * order n.
 */
function invertAll(points: i32): void {
  copyZ(PRODUCTS, POINTS);
  for (let i = 1; i < points; i++) {
    copyZ(XY, pointAt(i));
    multiply(productAt(i), productAt(i - 1), XY);
  }
  invert(INVERSES, productAt(points - 1));
  for (let i = points - 1; i > 0; i--) {
    multiply(productAt(i), INVERSES, productAt(i - 1));
    copyZ(XY, pointAt(i));
    multiply(INVERSES, INVERSES, XY);
  }
  copyPair(PRODUCTS, INVERSES);
}

function pointAt(i: i32): usize {
  return POINTS + <usize>i * POINT_BYTES;
}

function productAt(i: i32): usize {
  return PRODUCTS + <usize>i * PAIR_BYTES;
}

/** Writes x || y of a point, given 1 / Z twice. */
function writePoint(bytes: usize, p: usize, inverse: usize): void {
  toAffine(XY, p, inverse);
  fromMontgomery(XY, XY);
  writePair(bytes, XY);
}

function writeFirst(bytes: usize, p: usize): void {
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) v128.store(XY + v, firstTwice(v128.load(INVERSES + v)));
  writePoint(bytes, p, XY);
}

function writeSecond(bytes: usize, q: usize): void {
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) v128.store(XY + v, secondTwice(v128.load(INVERSES + v)));
  writePoint(bytes, q, XY);
}

/**
 * 5.4.3: KDF(x2 || y2, 128 bits), one SM3 with the counter 1. All ones if the mask is all zero, which 6.1 A5 and 7.1 B4
 * refuse.
 */
function deriveMask(): i32 {
  store<u32>(SHARED, bswap<u32>(1), 64);
  beginHash();
  updateHash(SHARED, 68);
  finishHash(MASK);
  return <i32>v128.any_true(v128.load(MASK)) - 1;
}

/** C3 = SM3(x2 || M || y2). */
function checkValue(digest: usize, message: usize): void {
  beginHash();
  updateHash(SHARED, 32);
  updateHash(message, BASE_KEY_BYTES);
  updateHash(SHARED + 32, 32);
  finishHash(digest);
}

/** 04, x, y of d · G, by the multiplication that {@link unwrap} uses. */
export function publicKeyOf(publicKey: usize, d: usize): void {
  multiplyPoint(Q, BASE_POINT, d);
  invertBoth(Q, Q);
  store<u8>(publicKey, 0x04);
  writeFirst(publicKey + 1, Q);
}

/**
 * 7.1: unwraps base keys. One bit per key: 1 if it opens, 0 for every cause of failure. d must be in range.
 */
export function unwrap(baseKeys: usize, wrappedKeys: usize, keys: i32, d: usize): i32 {
  let arePoints: i32 = 0;
  let points: i32 = 0;
  for (let key = 0; key < keys; key++) {
    if (!readPoint(XY, wrappedKeys + <usize>key * WRAPPED_KEY_STRIDE)) continue;
    multiplyPoint(pointAt(points), XY, d);
    arePoints |= 1 << key;
    points++;
  }
  if (points === 0) return 0;
  invertAll(points);
  let open: i32 = 0;
  for (let key = keys - 1; key >= 0; key--) {
    if (!((arePoints >> key) & 1)) continue;
    points--;
    writePoint(SHARED, pointAt(points), productAt(points));
    const opens = openKey(baseKeys + <usize>key * BASE_KEY_BYTES, wrappedKeys + <usize>key * WRAPPED_KEY_STRIDE);
    open |= opens << key;
  }
  return open;
}

/** Steps from B4 on, with x2 || y2 in SHARED. 1 if the key opens, else 0. */
function openKey(baseKey: usize, wrapped: usize): i32 {
  const noMask = deriveMask();
  v128.store(baseKey, v128.xor(v128.load(MASK), v128.load(wrapped + C2)));
  checkValue(CHECK, baseKey);

  // The two remaining causes of failure are judged together, after the same work.
  const difference = v128.or(
    v128.xor(v128.load(CHECK), v128.load(wrapped + C3)),
    v128.xor(v128.load(CHECK, 16), v128.load(wrapped + C3, 16)),
  );
  const isRefused = v128.any_true(v128.or(difference, i32x4.splat(noMask)));
  v128.store(baseKey, v128.andnot(v128.load(baseKey), i32x4.splat(-(<i32>isRefused))));
  return <i32>!isRefused;
}

/** Prepares {@link wrap} for a public key: 04, x, y. False if it is invalid. */
export function usePublicKey(publicKey: usize): bool {
  if (!readPoint(XY, publicKey)) return false;
  fillFixedTable(PUBLIC_KEY_TABLE, XY);
  return true;
}

let hasBasePointTable: bool = false;

/**
 * 6.1: wraps a base key for the prepared public key with an ephemeral scalar k, which must be in range. False if k
 * gives a mask of zeros.
 */
export function wrap(wrapped: usize, baseKey: usize, k: usize): bool {
  if (!hasBasePointTable) {
    fillFixedTable(BASE_POINT_TABLE, BASE_POINT);
    hasBasePointTable = true;
  }
  multiplyFixedPoint(Q, BASE_POINT_TABLE, k);
  multiplyFixedPoint(S, PUBLIC_KEY_TABLE, k);
  invertBoth(Q, S);
  store<u8>(wrapped, 0x04);
  writeFirst(wrapped + 1, Q);
  writeSecond(SHARED, S);
  const noMask = deriveMask();
  v128.store(wrapped + C2, v128.xor(v128.load(MASK), v128.load(baseKey)));
  checkValue(wrapped + C3, baseKey);
  return noMask === 0;
}
