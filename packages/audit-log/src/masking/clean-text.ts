/** What could end a line, change how it reads, or be refused by a store: controls, lone surrogates, line and paragraph separators, bidi marks. */
const HARMFUL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/gu;

/** Most texts are, and none of these is harmful. */
const PRINTABLE_ASCII = /^[ -~]*$/;

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const ESCAPE = /^\\u[0-9a-f]{4}/;
const ESCAPE_LENGTH = 6;

/**
 * A text that every sink can keep and every reader can print on one line: harmful characters stand as escapes such as
 * `\u000a`, and at most `maxLength` UTF-16 units are left, cut before a character and never within one or within an
 * escape. Requirements AUD-2, AUD-7.
 */
export function cleanText(text: string, maxLength: number): string {
  if (text.length <= maxLength && PRINTABLE_ASCII.test(text)) return text;
  // One unit more than can be kept, so that a pair that straddles the bound is seen whole, and nothing of a megabyte.
  const cleaned = text.slice(0, maxLength + 1).replace(HARMFUL, escapeOf);
  return cleaned.length <= maxLength ? cleaned : cutText(cleaned, maxLength);
}

/** Cuts what is clean already: not within a surrogate pair, and not within an escape. */
function cutText(cleaned: string, maxLength: number): string {
  let end = maxLength;
  const start = cleaned.lastIndexOf('\\u', end - 1);
  if (start !== -1 && start > end - ESCAPE_LENGTH && ESCAPE.test(cleaned.slice(start))) end = start;
  if (isHighSurrogate(cleaned.charCodeAt(end - 1))) end -= 1;
  return cleaned.slice(0, end);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
