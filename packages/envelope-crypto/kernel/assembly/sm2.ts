// SM2 encryption (GB/T 32918.4-2016) of a base key of 16 bytes: C1 || C3 || C2, 113 bytes.

import {
  firstTwice,
  fromMontgomery,
  invert,
  isBelowP,
  join,
  readPair,
  secondTwice,
  toMontgomery,
  writePair,
} from './field';
import { BASE_POINT } from './generated/field-constants';
import { BASE_POINT_TABLE, PAIR_BYTES, POINT_BYTES, PUBLIC_KEY_TABLE, SM2_WORK } from './memory';
import { fillFixedTable, multiplyFixedPoint, multiplyPoint } from './multiplication';
import { isOnCurve, toAffine, ZY } from './point';
import { beginHash, finishHash, updateHash } from './sm3';

const BASE_KEY_BYTES: usize = 16;
/** Where C3 and C2 begin, after 04, x, y. */
const C3: usize = 65;
const C2: usize = 97;

const XY: usize = SM2_WORK;
const Q: usize = XY + PAIR_BYTES;
const S: usize = Q + POINT_BYTES;
const INVERSES: usize = S + POINT_BYTES;
/** x2 || y2, then the KDF's counter. */
const SHARED: usize = INVERSES + PAIR_BYTES;
const MASK: usize = SHARED + 80;
const CHECK: usize = MASK + 32;

/**
 * Reads 04, x, y into Montgomery's form; false for another first byte, a coordinate from p up, and a point off the curve, which
 * (0, 0) is too. The cofactor is 1: every other point has order n.
 */
function readPoint(xy: usize, bytes: usize): bool {
  if (load<u8>(bytes) !== 0x04) return false;
  readPair(xy, bytes + 1);
  if (!isBelowP(xy)) return false;
  toMontgomery(xy, xy);
  return isOnCurve(xy);
}

/** Writes 1 / Z of both points: an inversion has room for two. */
function invertBoth(p: usize, q: usize): void {
  for (let v: usize = 0; v < PAIR_BYTES; v += 16) {
    v128.store(INVERSES + v, join(v128.load(p + ZY + v), firstTwice(v128.load(q + ZY + v))));
  }
  invert(INVERSES, INVERSES);
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

/** 5.4.3: KDF(x2 || y2, 128 bits), one SM3 with the counter 1. All ones if the mask is all zero, which 6.1 A5 and 7.1 B4 refuse. */
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

/** 04, x, y of d · G. By the same multiplication as in {@link unwrap}. */
export function publicKeyOf(publicKey: usize, d: usize): void {
  multiplyPoint(Q, BASE_POINT, d);
  invertBoth(Q, Q);
  store<u8>(publicKey, 0x04);
  writeFirst(publicKey + 1, Q);
}

/** 7.1: the base key of a wrapped key; false, and zeros, for every cause of failure. d is in range. */
export function unwrap(baseKey: usize, wrapped: usize, d: usize): bool {
  if (!readPoint(XY, wrapped)) return false;
  multiplyPoint(Q, XY, d);
  invertBoth(Q, Q);
  writeFirst(SHARED, Q);
  const noMask = deriveMask();
  v128.store(baseKey, v128.xor(v128.load(MASK), v128.load(wrapped + C2)));
  checkValue(CHECK, baseKey);

  // Both causes that are left are judged together, after the same work for either.
  const difference = v128.or(
    v128.xor(v128.load(CHECK), v128.load(wrapped + C3)),
    v128.xor(v128.load(CHECK, 16), v128.load(wrapped + C3, 16)),
  );
  const isRefused = v128.any_true(v128.or(difference, i32x4.splat(noMask)));
  v128.store(baseKey, v128.andnot(v128.load(baseKey), i32x4.splat(-(<i32>isRefused))));
  return !isRefused;
}

/** Prepares {@link wrap} for a public key: 04, x, y; false if it is none. */
export function usePublicKey(publicKey: usize): bool {
  if (!readPoint(XY, publicKey)) return false;
  fillFixedTable(PUBLIC_KEY_TABLE, XY);
  return true;
}

let hasBasePointTable: bool = false;

/** 6.1: wraps a base key for the public key in use, by an ephemeral scalar k in range; false if that gives a mask of zeros. */
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
