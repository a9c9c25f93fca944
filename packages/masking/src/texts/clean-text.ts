/**
 * Characters that end a line, change how it reads, or are refused by a store: controls, lone surrogates, line and
 * paragraph separators, bidi marks.
 */
const HARMFUL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/gu;

/** A fast path: most texts match, and contain nothing harmful. */
const PRINTABLE_ASCII = /^[ -~]*$/;

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const ESCAPE = /^\\u[0-9a-f]{4}/;
const ESCAPE_LENGTH = 6;

/**
 * A text that every sink can store and that prints on one line. Harmful characters are replaced by escapes such as
 * `\u000a`. The text is cut to at most `maxLength` UTF-16 units, never within a character or an escape.
 */
export function cleanText(text: string, maxLength: number): string {
  if (text.length <= maxLength && PRINTABLE_ASCII.test(text)) return text;
  // One unit more than is kept, so that a surrogate pair at the bound stays whole, and a text of megabytes is not
  // scanned.
  const cleaned = text.slice(0, maxLength + 1).replace(HARMFUL, escapeOf);
  return cleaned.length <= maxLength ? cleaned : cutText(cleaned, maxLength);
}

/** Cuts a clean text, not within a surrogate pair and not within an escape. */
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
