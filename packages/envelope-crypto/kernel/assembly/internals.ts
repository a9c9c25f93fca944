// An entry of its own for tests: the arithmetic below the kernel's verbs. It is no part of the module that is embedded.

import { firstIsZero, fromMontgomery, invert, isBelowP, multiply, readPair, reduce, square, writePair } from './field';
import { scanTable } from './generated/table-scan';
import { add, double, isOnCurve, toEntry } from './point';
import { indexOf, isInRange, makeOdd, signOf, windowOf } from './scalar';

export {
  add,
  double,
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
  windowOf,
  writePair,
};

/** Where the tests may write. */
export const ROOM: usize = memory.data(8192, 64);
