// An entry for tests: the arithmetic below the kernel's functions. The embedded module does not contain it.

import { firstIsZero, fromMontgomery, invert, isBelowP, multiply, readPair, reduce, square, writePair } from './field';
import { scanTable } from './generated/table-scan';
import { beginGhash, finishGhash, updateGhash } from './ghash';
import { add, double, isOnCurve, toEntry } from './point';
import { indexOf, isInRange, makeOdd, signOf, windowOf } from './scalar';

export {
  add,
  beginGhash,
  double,
  finishGhash,
  firstIsZero,
  fromMontgomery,
  indexOf,
  invert,
  isBelowP,
  isInRange,
  isOnCurve,
  makeOdd,
  multiply,
  readPair,
  reduce,
  scanTable,
  signOf,
  square,
  toEntry,
  updateGhash,
  windowOf,
  writePair,
};

/** The memory that tests may write to. */
export const ROOM: usize = memory.data(8192, 64);
