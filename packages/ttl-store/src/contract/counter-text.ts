/*
 * The text of a counter: a safe integer in plain decimal, without plus sign, blanks or leading zeros. Every store
 * refuses the rest, though Redis and PostgreSQL each would take some of it.
 */

// A safe integer has at most 16 digits.
const COUNTER_TEXT = /^(?:0|-?[1-9][0-9]{0,15})$/;

/** The sum of the counter under a key and `by`. Throws a `TypeError` if the text is no counter or the sum not safe. */
export function addToCounter(text: string, by: number): number {
  const value = COUNTER_TEXT.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || !Number.isSafeInteger(value + by)) throw notACounter();
  return value + by;
}

/** What every store throws when {@link addToCounter} can't be. */
export function notACounter(): TypeError {
  return new TypeError('The value under this key is not an integer, or the sum is beyond the safe integers');
}
