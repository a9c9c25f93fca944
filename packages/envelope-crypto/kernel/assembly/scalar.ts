// Scalars: numbers from 1 to n - 1, 32 bytes, big-endian. They are secret: no branch and no address depends on them.

import { ORDER } from './generated/field-constants';

const WORD_MASK: i64 = 0xffffffff;

/** Word i of a scalar, from the least significant. */
function word(scalar: usize, i: usize): i64 {
  return <i64>bswap<u32>(load<u32>(scalar + 28 - 4 * i));
}

/** Whether it is a number from 1 to n - 1. (The answer is not secret: a number out of range is not used.) */
export function isInRange(scalar: usize): bool {
  let bits: i64 = 0;
  let borrow: i64 = 0;
  for (let i: usize = 0; i < 8; i++) {
    bits |= word(scalar, i);
    borrow = (word(scalar, i) - word(ORDER, i) + borrow) >> 32;
  }
  return borrow !== 0 && bits !== 0;
}

/**
 * Writes k if k is odd, n - k if it is even. Since n is odd, the result is odd, and (n - k) · P = -(k · P). Returns all
 * ones if the result of the multiplication must be negated.
 */
export function makeOdd(to: usize, k: usize): i32 {
  const isEven = <i64>(load<u8>(k, 31) & 1) - 1;
  let borrow: i64 = 0;
  for (let i: usize = 0; i < 8; i++) {
    const own = word(k, i);
    borrow += word(ORDER, i) - own;
    const chosen = own ^ ((own ^ borrow) & isEven & WORD_MASK);
    store<u32>(to + 28 - 4 * i, bswap<u32>(<u32>chosen));
    borrow >>= 32;
  }
  return <i32>isEven;
}

/**
 * Windows of an odd scalar: k = 32^51 + the sum of digit(i) · 32^i for i from 0 to 50, every digit odd and from -31 to
 * 31. So no digit is zero, and no sum is the point at infinity (Joye and Tunstall, "Exponent recoding and regular
 * exponentiation algorithms", 2009). With w as the bits 5 i + 1 to 5 i + 5 of k, digit(i) = 2 w - 31, without a carry.
 */
export const WINDOWS: i32 = 51;

/** The five bits w of window i. */
export function windowOf(k: usize, i: i32): i32 {
  const bit = 5 * i + 1;
  const around = <i32>bswap<u16>(load<u16>(k + 30 - <usize>(bit >> 3)));
  return (around >> (bit & 7)) & 31;
}

/** All ones if the digit of w is negative. */
export function signOf(w: i32): i32 {
  return (w >> 4) - 1;
}

/** The index of the digit's absolute value in a table of 1, 3, … 31 times a point. */
export function indexOf(w: i32): i32 {
  return (w ^ signOf(w)) & 15;
}
