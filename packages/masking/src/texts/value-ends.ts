import { isArrowEnd, isDigit, isLineEnd, isNameUnit, isQuote, isSeparator, isSpace } from './characters.js';
import { MASK } from './spans.js';

/**
 * The extent of a value without quotation marks: to the end of a word (`a=x b=y`), to the next name (`a: x y b: z`), or
 * to the end of the line (`Cookie: a=x; b=y`).
 */
export type ValueExtent = 'word' | 'phrase' | 'line';

/**
 * Finds the ends of the values of one text. The end of a value depends only on the text after it, never on the text
 * before it. Ends can therefore be remembered, no part of the text is read twice for the same reason, and the time is
 * linear.
 */
export interface ValueEnds {
  /**
   * The secret part of a value that begins at `start`: the text within the quotation marks, or the whole value. The
   * value of a label ends with its first closing mark, like a word.
   */
  valueAt(start: number, extent: ValueExtent | 'label'): readonly [start: number, end: number];
  /** The end of a text in quotation marks that begins at `start`, within `slashes` backslashes of escapes. */
  quotedEnd(start: number, quote: string, slashes: number): number;
  /** The end of a value without quotation marks. */
  bareEnd(start: number, extent: ValueExtent): number;
}

/** A name after a value. Longer texts are not names of fields. */
const MAX_NAME_LENGTH = 64;

/** Quotation marks and their backslashes, next to a name. */
const MAX_MARKS = 8;

/** Characters that may follow the end of a value: `"x",`, `{a=x}.`, `'x'>`. */
const AFTER_VALUE = new Set(Array.from(',;:.?/\\|&})]>"\'`<，；：。、）', (character) => character.charCodeAt(0)));

const AMPERSAND = 0x26;

/** A quotation mark, a closing bracket or a backslash. */
function isCloser(unit: number): boolean {
  return isQuote(unit) || unit === 0x7d || unit === 0x5d || unit === 0x29 || unit === 0x3e || unit === 0x5c;
}

/** `|`, `<` and `:`. */
const BEHIND_CLOSERS = new Set(Array.from('|<:', (character) => character.charCodeAt(0)));

/** Words before credentials: `authorization=Bearer x`. */
const SCHEME = /^(?:basic|bearer|digest|dpop|negotiate|ntlm|token|api-?key)$/i;
const MAX_SCHEME_LENGTH = 9;

const COMMAS = new Set(Array.from(',;，；。、', (character) => character.charCodeAt(0)));

/**
 * Behind `&`: another parameter, or a quotation mark as an entity. Everything else belongs to the value: `=ab&cd`. In
 * HTML, `&amp;` is a `&`, perhaps encoded again.
 */
const PARAMETER = /(?:(?:amp|#38|#x26);){0,4}(?:(?:quot|apos|#34|#39|#x22|#x27);|[^\s&=;,"'`?#/{}<>|\\]{1,128}=)/iy;

/** The line ends that `cleanText` has replaced. */
const ESCAPED_LINE_END = /\\u000[ad]/y;

export function findValueEnds(text: string): ValueEnds {
  const known: Record<ValueExtent, [from: number, end: number]> = { word: [0, -1], phrase: [0, -1], line: [0, -1] };
  const knownQuoted = new Map<string, [from: number, end: number]>();
  let bracketsEnd = 0;

  function mayFollowValue(index: number): boolean {
    if (index >= text.length) return true;
    const unit = text.charCodeAt(index);
    return isSpace(unit) || AFTER_VALUE.has(unit);
  }

  function isEscapedLineEnd(index: number): boolean {
    ESCAPED_LINE_END.lastIndex = index;
    return ESCAPED_LINE_END.test(text);
  }

  /** Whether a name with its separator begins here: `b=`, `"b":`. */
  function beginsPair(start: number): boolean {
    let index = start;
    for (; index < start + MAX_MARKS; index += 1) {
      const unit = text.charCodeAt(index);
      if (!isQuote(unit) && unit !== 0x5c && unit !== 0x5b && unit !== 0x7b) break;
    }
    if (isDigit(text.charCodeAt(index))) return false;
    const nameStart = index;
    while (index - nameStart < MAX_NAME_LENGTH && isNameUnit(text.charCodeAt(index))) index += 1;
    if (index === nameStart) return false;
    for (let marks = 0; marks < MAX_MARKS; marks += 1) {
      const unit = text.charCodeAt(index);
      if (!isQuote(unit) && unit !== 0x5c && unit !== 0x5d && unit !== 0x20) break;
      index += 1;
    }
    return isSeparator(text.charCodeAt(index)) || isArrowEnd(text, index) || isArrowEnd(text, index + 1);
  }

  function beginsParameter(start: number): boolean {
    PARAMETER.lastIndex = start;
    return PARAMETER.test(text);
  }

  function skipSpaces(start: number): number {
    let index = start;
    while (isSpace(text.charCodeAt(index))) index += 1;
    return index;
  }

  /** The position of a quotation mark after backslashes. -1 if no quotation mark follows the backslashes. */
  function quoteAfterSlashes(start: number): number {
    let index = start;
    while (index < start + MAX_MARKS && text.charCodeAt(index) === 0x5c) index += 1;
    return isQuote(text.charCodeAt(index)) ? index : -1;
  }

  /** Whether the brackets and quotation marks from here on close something, so that no value continues after them. */
  function closesAll(start: number): boolean {
    let index = start + 1;
    while (index < start + MAX_MARKS && isCloser(text.charCodeAt(index))) index += 1;
    const unit = text.charCodeAt(index);
    if (index >= text.length || isSpace(unit) || BEHIND_CLOSERS.has(unit)) return true;
    if (unit === AMPERSAND) return beginsParameter(index + 1);
    if (COMMAS.has(unit)) return endsWord(index);
    return (unit === 0x2e || unit === 0x2f) && mayFollowValue(index + 1);
  }

  function endsWord(index: number): boolean {
    const unit = text.charCodeAt(index);
    if (isSpace(unit)) return true;
    if (unit === AMPERSAND) return beginsParameter(index + 1);
    if (unit !== 0x5c && isCloser(unit)) return closesAll(index);
    if (COMMAS.has(unit)) {
      const next = text.charCodeAt(index + 1);
      return index + 1 >= text.length || isSpace(next) || isQuote(next) || next === 0x5c || beginsPair(index + 1);
    }
    if (unit === 0x5c) {
      const quote = quoteAfterSlashes(index);
      return quote === -1 ? isEscapedLineEnd(index) : closesAll(quote);
    }
    return unit === 0x3c && /[A-Za-z/!]/.test(text.charAt(index + 1));
  }

  function endsPhrase(index: number): boolean {
    const unit = text.charCodeAt(index);
    if (isLineEnd(unit)) return true;
    if (isSpace(unit) || unit === AMPERSAND) return beginsPair(index + 1);
    if (COMMAS.has(unit)) return beginsPair(skipSpaces(index + 1));
    return endsWord(index) && (isQuote(unit) || !isSpace(text.charCodeAt(index + 1)));
  }

  const endsLine = (index: number): boolean => isLineEnd(text.charCodeAt(index)) || isEscapedLineEnd(index);

  const ends = { word: endsWord, phrase: endsPhrase, line: endsLine } as const;

  function plainEnd(start: number, extent: ValueExtent): number {
    const last = known[extent];
    if (start >= last[0] && start <= last[1]) return last[1];
    const isEnd = ends[extent];
    let end = start;
    while (end < text.length && !isEnd(end)) end += 1;
    known[extent] = [start, end];
    return end;
  }

  function bareEnd(start: number, extent: ValueExtent): number {
    const from = bracketed(start, extent);
    const end = plainEnd(from, extent);
    if (extent !== 'word' || end - start > MAX_SCHEME_LENGTH || !SCHEME.test(text.slice(start, end))) return end;
    const next = skipSpaces(end);
    return next > end && next < text.length ? plainEnd(next, extent) : end;
  }

  /** The end of an object, a list or a placeholder at the start of a value. Without one, the start. */
  function bracketed(start: number, extent: ValueExtent): number {
    if (text.startsWith(MASK, start)) return start + MASK.length;
    const unit = text.charCodeAt(start);
    if (extent === 'line' || (unit !== 0x5b && unit !== 0x7b)) return start;
    if (start < bracketsEnd) return bracketsEnd;
    let depth = 0;
    let end = start;
    let isText = false;
    for (; end < text.length; end += 1) {
      const current = text.charCodeAt(end);
      if (current === 0x5c) end += 1;
      else if (current === 0x22) isText = !isText;
      else if (isText) continue;
      else if (current === 0x5b || current === 0x7b) depth += 1;
      else if (current === 0x5d || current === 0x7d) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    bracketsEnd = Math.min(end + 1, text.length);
    return bracketsEnd;
  }

  function quotedEnd(start: number, quote: string, slashes: number): number {
    const kind = quote + slashes;
    const last = knownQuoted.get(kind);
    if (last !== undefined && start >= last[0] && start <= last[1]) return last[1];
    let end = text.indexOf(quote, start);
    while (end !== -1 && !closes(end, start, quote, slashes)) end = text.indexOf(quote, end + 1);
    if (end === -1) end = text.length;
    else end -= Math.min(slashes, slashesBefore(end, start));
    knownQuoted.set(kind, [start, end]);
    return end;
  }

  /**
   * Whether a quotation mark closes a text whose own marks have `slashes` backslashes. Each level of escaping doubles
   * the backslashes and adds one, so a mark within the text has more of them.
   */
  function closes(index: number, start: number, quote: string, slashes: number): boolean {
    const before = slashesBefore(index, start);
    if (before < slashes) return true;
    return before % (2 * (slashes + 1)) === slashes && mayFollowValue(index + quote.length);
  }

  function slashesBefore(index: number, start: number): number {
    let count = 0;
    while (index - count > start && text.charCodeAt(index - count - 1) === 0x5c) count += 1;
    return count;
  }

  function valueAt(start: number, extent: ValueExtent | 'label'): readonly [number, number] {
    const mark = quoteAfterSlashes(start);
    if (mark === -1) return [start, bareEnd(start, extent === 'label' ? 'word' : extent)];
    const quote = text.charAt(mark);
    const isTriple = text.startsWith(quote.repeat(3), mark);
    const isDoubled = text.startsWith(quote.repeat(2), mark) && !mayFollowValue(mark + 2);
    const marks = isTriple ? quote.repeat(3) : isDoubled ? quote.repeat(2) : quote;
    const inner = mark + marks.length;
    const end = quotedEnd(inner, marks, mark - start);
    if (extent === 'label') return [inner, end];
    // In `'')x` and `"a"b`, the apparent end of the text belongs to the value.
    if (mark === start && end < text.length && !closesAll(end + marks.length - 1))
      return [start, bareEnd(end + marks.length, 'word')];
    return [inner, end];
  }

  return { valueAt, quotedEnd, bareEnd };
}
