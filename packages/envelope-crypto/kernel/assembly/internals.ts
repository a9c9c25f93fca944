// An entry of its own for tests: the arithmetic below the kernel's verbs. It is no part of the module that is embedded.

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

/** Where the tests may write. */
export const ROOM: usize = memory.data(8192, 64);
