/** Letters, digits, marks and invisible format characters, beyond ASCII. */
const WORD_BEYOND_ASCII = /[\p{L}\p{N}\p{M}\p{Cf}]/u;

/** Letters and digits of any script, halves of surrogate pairs, and `_`, `-` and `.`. */
export function isNameUnit(unit: number): boolean {
  if (unit < 0x80) {
    return (
      (unit >= 0x61 && unit <= 0x7a) ||
      (unit >= 0x41 && unit <= 0x5a) ||
      (unit >= 0x30 && unit <= 0x39) ||
      unit === 0x5f ||
      unit === 0x2d ||
      unit === 0x2e
    );
  }
  return (unit >= 0xd800 && unit <= 0xdfff) || WORD_BEYOND_ASCII.test(String.fromCharCode(unit));
}

/** The characters that `\s` matches. */
export function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 9 && unit <= 13);
  return unit === 0xa0 || (unit >= 0x2000 && /\s/.test(String.fromCharCode(unit)));
}

/** CR, LF, U+2028 and U+2029. */
export function isLineEnd(unit: number): boolean {
  return unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029;
}

/** `"`, `'` and the grave accent. */
export function isQuote(unit: number): boolean {
  return unit === 0x22 || unit === 0x27 || unit === 0x60;
}

/** `=` and `:`, also in full width, and arrows. */
export function isSeparator(unit: number): boolean {
  if (unit < 0x80) return unit === 0x3d || unit === 0x3a;
  return unit === 0xff1a || unit === 0xff1d || isArrow(unit);
}

/** Arrows of Unicode, the ornamental ones included. */
function isArrow(unit: number): boolean {
  if (unit < 0x2190 || unit > 0x297f) return false;
  return unit <= 0x21ff || (unit >= 0x2794 && unit <= 0x27be) || (unit >= 0x27f0 && unit <= 0x27ff) || unit >= 0x2900;
}

/** Digits of ASCII. */
export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Whether the arrow `->` ends at `index`, not the end of a comment (`-->`). */
export function isArrowEnd(text: string, index: number): boolean {
  return text.charCodeAt(index) === 0x3e && text.charCodeAt(index - 1) === 0x2d && text.charCodeAt(index - 2) !== 0x2d;
}
