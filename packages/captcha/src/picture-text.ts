import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

/**
 * Capitals and digits that the renderer draws: of those that look alike (0 O D Q, 1 I L, 2 Z, 5 S, 8 B, H K X, U V),
 * and of those that are another with a stroke more or less, which a line across the picture may add or hide (C G 6, E
 * F, P R), at most one each.
 */
export const ALPHABET = 'AEGKMRSTWY239';

/** People read these for characters of the alphabet, since they look alike. None of them is in it. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  C: 'G',
  '6': 'G',
  F: 'E',
  P: 'R',
  '5': 'S',
  Z: '2',
  '8': '3',
  B: '3',
  H: 'K',
  X: 'K',
};

/**
 * The number of characters of a text. A guess succeeds once in 371 293. At first sight, a reader had ten of 16 right,
 * and of those with seven two of twelve.
 */
const TEXT_LENGTH = 5;

/** The maximum length of an answer, which includes blanks around it. A longer answer is wrong. */
const MAX_ANSWER_LENGTH = 64;

export function newText(): string {
  return Array.from({ length: TEXT_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Accepts any letter case, look-alikes, full-width letters and surrounding blanks. Compares in constant time. */
export function isSameText(expected: string, given: string): boolean {
  if (given.length > MAX_ANSWER_LENGTH) return false;
  const read = given.normalize('NFKC').trim().toUpperCase();
  return timingSafeEqual(digest(expected), digest(read.replace(/./gu, (letter) => LOOK_ALIKES[letter] ?? letter)));
}

/** The digests have the same length, for any input. */
function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
