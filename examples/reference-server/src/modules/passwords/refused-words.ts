import { MAX_WORDS } from '@sallyport/password-hashing/common-passwords';

/** In Unicode code points. One letter would refuse nothing that people choose. */
const MIN_WORD_LENGTH = 2;

/** In Unicode code points. A longer word is hardly a password, and its variants cost more. */
const MAX_WORD_LENGTH = 32;

/** In UTF-16 code units: all words, with commas and spaces between them. */
export const MAX_WORDS_LENGTH = 1500;

/** The words of a list, without the spaces around them. Chinese commas separate them, too. Empty ones are ignored. */
export function refusedWordsIn(list: string): readonly string[] {
  return list
    .split(/[,，、]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** The fault of a list of words, or null. It names no word. */
export function refusedWordsFault(list: string): string | null {
  const words = refusedWordsIn(list);
  const isWord = (word: string) => {
    const { length } = [...word];
    return length >= MIN_WORD_LENGTH && length <= MAX_WORD_LENGTH && /[\p{L}\p{N}]/u.test(word);
  };
  if (words.length <= MAX_WORDS && words.every(isWord)) return null;
  return `must be at most ${MAX_WORDS} words, separated by commas, each of ${MIN_WORD_LENGTH} to ${MAX_WORD_LENGTH} characters with a letter or digit`;
}
