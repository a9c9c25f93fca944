import { isArrowEnd, isDigit, isQuote, isSeparator, isSpace } from './characters.js';

/** The features of a text as one number, so that a pattern is tried only if it can match. */
export const FEATURES = {
  /** `=`, `:` or an arrow, or a comma after a quotation mark. */
  pairs: 1,
  /** `%` or `+`. */
  percent: 2,
  /** A backslash or `&`. */
  escapes: 4,
  elements: 8,
  /** `//`. */
  urls: 16,
  at: 32,
  /** A hyphen at the start of a word. */
  options: 64,
  dollar: 128,
  /** 40 characters of base64 or hexadecimal digits. */
  longRun: 256,
  /** 20 of these characters or dots. */
  run: 1024,
  /** Eleven digits, perhaps with separators of a mobile number between them, or a digit after `+` or `+(`. */
  digits: 512,
  /** `_` after `_` or a quotation mark. */
  replaced: 2048,
  /** ` is`, ` was` or ` to`. */
  prose: 4096,
  /** A bracket after `values`, or between `)=(`. */
  tuples: 8192,
} as const;

const MIN_LONG_RUN = 40;
const MIN_RUN = 20;
const MIN_DIGITS = 11;

/** The features of a text, in one pass without patterns. */
export function featuresOf(text: string): number {
  let features = 0;
  let run = 0;
  let dottedRun = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if ((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)) {
      digits = 0;
      run += 1;
      dottedRun += 1;
    } else if (isDigit(unit)) {
      run += 1;
      dottedRun += 1;
      digits += 1;
      if (digits === MIN_DIGITS) features |= FEATURES.digits;
    } else {
      if (!isMobileSeparator(unit)) digits = 0;
      // `_`, `+`, `/` and `-` occur in base64.
      run = unit === 0x5f || unit === 0x2b || unit === 0x2f || unit === 0x2d ? run + 1 : 0;
      dottedRun = run > 0 || unit === 0x2e ? dottedRun + 1 : 0;
      features |= featureOf(unit, text, index);
    }
    if (dottedRun === MIN_RUN) features |= FEATURES.run;
    if (run === MIN_LONG_RUN) features |= FEATURES.longRun;
  }
  return features;
}

/** A blank, `.`, `-`, `(` or `)`. */
function isMobileSeparator(unit: number): boolean {
  return unit === 0x20 || unit === 0x2d || unit === 0x2e || unit === 0x28 || unit === 0x29;
}

/** A digit, or `(` in front of one. */
function beginsNumber(text: string, index: number): boolean {
  return isDigit(text.charCodeAt(text[index] === '(' ? index + 1 : index));
}

/** `is`, `wa` or `to`. */
function beginsVerb(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit === 0x69) return text.charCodeAt(index + 1) === 0x73;
  if (unit === 0x77) return text.charCodeAt(index + 1) === 0x61;
  return unit === 0x74 && text.charCodeAt(index + 1) === 0x6f;
}

/** `ue`, `ues`, also in capitals and with blanks behind, or `)=`. */
function followsList(text: string, last: number): boolean {
  let index = last;
  while (isSpace(text.charCodeAt(index))) index -= 1;
  const unit = text.charCodeAt(index);
  if (unit === 0x3d) return text.charCodeAt(index - 1) === 0x29;
  if ((unit | 0x20) === 0x73) index -= 1;
  return (text.charCodeAt(index) | 0x20) === 0x65 && (text.charCodeAt(index - 1) | 0x20) === 0x75;
}

function featureOf(unit: number, text: string, index: number): number {
  switch (unit) {
    case 0x20:
      return beginsVerb(text, index + 1) ? FEATURES.prose : 0;
    case 0x3d:
    case 0x3a:
      return FEATURES.pairs;
    case 0x28:
      return followsList(text, index - 1) ? FEATURES.tuples : 0;
    case 0x2c:
      return isQuote(text.charCodeAt(index - 1)) || isSpace(text.charCodeAt(index - 1)) ? FEATURES.pairs : 0;
    case 0x25:
      return FEATURES.percent;
    case 0x5c:
    case 0x26:
      return FEATURES.escapes;
    case 0x5f: {
      const before = text.charCodeAt(index - 1);
      return before === 0x5f || isQuote(before) ? FEATURES.replaced : 0;
    }
    case 0x3e:
      return isArrowEnd(text, index) ? FEATURES.pairs : 0;
    case 0x3c:
      return FEATURES.elements;
    case 0x2f:
      return text.charCodeAt(index + 1) === 0x2f ? FEATURES.urls : 0;
    case 0x2b:
      // In a form, `+` is a blank.
      return FEATURES.percent | (beginsNumber(text, index + 1) ? FEATURES.digits : 0);
    case 0x40:
      return FEATURES.at;
    case 0x24:
      return FEATURES.dollar;
    case 0x2d: {
      const before = text.charCodeAt(index - 1);
      return index === 0 || isSpace(before) || isQuote(before) || before === 0x2d ? FEATURES.options : 0;
    }
    default:
      return isSeparator(unit) ? FEATURES.pairs : 0;
  }
}
