// Multiplication of a point by a secret scalar, the same steps for every scalar and every point.
//
// Every addition except the last has two different points, neither of them the negative of the other: before it the sum
// is s · P with 1 <= s and s + 31 · 32^i < n, and it adds d · P with |d| < s. The last addition may be a doubling (k =
// n
// - 6 ends in the digit -3, added to (n - 3) · P), so it handles that case too.

import { firstIsZero } from './field';
import { scanTable } from './generated/table-scan';
import { ENTRY_BYTES, FIXED_TABLE_BYTES, MULTIPLICATION_WORK, POINT_BYTES, WINDOW, WINDOW_BYTES } from './memory';
import { add, double, fromAffine, negateEntryWhere, negatePointWhere, toEntry, ZY } from './point';
import { indexOf, makeOdd, signOf, WINDOWS, windowOf } from './scalar';

const ODD: usize = MULTIPLICATION_WORK + 16;
const DOUBLED: usize = MULTIPLICATION_WORK + 48;
const STEP: usize = DOUBLED + POINT_BYTES;
const CHOSEN: usize = STEP + POINT_BYTES;

/** Fills a table with the entries of 1, 3, … 31 times p. Afterwards p is 31 times its first value. */
function fillWindow(table: usize, p: usize): void {
  toEntry(table, p);
  memory.copy(STEP, p, POINT_BYTES);
  double(STEP);
  toEntry(CHOSEN, STEP);
  for (let i: usize = 1; i < 16; i++) {
    add(p, p, CHOSEN);
    toEntry(table + i * ENTRY_BYTES, p);
  }
}

/** The entry of window i's digit. */
function choose(table: usize, i: i32): void {
  const w = windowOf(ODD, i);
  scanTable(CHOSEN, table, indexOf(w));
  negateEntryWhere(CHOSEN, signOf(w));
}

/** p <- p + the chosen entry. If the two are equal, the sum has Z = 0 modulo p, and 2 p is taken instead. */
function addLast(p: usize): void {
  memory.copy(DOUBLED, p, POINT_BYTES);
  double(DOUBLED);
  add(p, p, CHOSEN);
  const isDoubling = i32x4.splat(firstIsZero(p + ZY));
  for (let v: usize = 0; v < POINT_BYTES; v += 16) {
    v128.store(p + v, v128.bitselect(v128.load(DOUBLED + v), v128.load(p + v), isDoubling));
  }
}

/** r = k · (x, y), for a point in Montgomery's form. */
export function multiplyPoint(r: usize, xy: usize, k: usize): void {
  const negated = makeOdd(ODD, k);
  fromAffine(r, xy);
  fillWindow(WINDOW, r);
  fromAffine(r, xy);
  for (let i = WINDOWS - 1; i >= 0; i--) {
    double(r);
    double(r);
    double(r);
    double(r);
    double(r);
    choose(WINDOW, i);
    if (i > 0) add(r, r, CHOSEN);
    else addLast(r);
  }
  negatePointWhere(r, negated);
}

/** Fills the table of a fixed point: the windows' tables of 32^i times the point, then 32^51 times the point itself. */
export function fillFixedTable(table: usize, xy: usize): void {
  const p = table + FIXED_TABLE_BYTES - POINT_BYTES;
  fromAffine(p, xy);
  for (let i = 0; i < WINDOWS; i++, table += WINDOW_BYTES) {
    memory.copy(DOUBLED, p, POINT_BYTES);
    fillWindow(table, DOUBLED);
    double(p);
    double(p);
    double(p);
    double(p);
    double(p);
  }
}

/** r = k · P for a fixed point: one addition for each window, no doublings. */
export function multiplyFixedPoint(r: usize, table: usize, k: usize): void {
  const negated = makeOdd(ODD, k);
  memory.copy(r, table + FIXED_TABLE_BYTES - POINT_BYTES, POINT_BYTES);
  for (let i = 0; i < WINDOWS; i++, table += WINDOW_BYTES) {
    choose(table, i);
    if (i < WINDOWS - 1) add(r, r, CHOSEN);
    else addLast(r);
  }
  negatePointWhere(r, negated);
}
