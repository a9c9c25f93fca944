import { isDigit, isNameUnit, isQuote, isSpace } from './characters.js';

/** Longer names are judged by their end. */
const MAX_NAME_LENGTH = 64;

/** Quotation marks, brackets and backslashes between a name and its separator, and the names in `a[b][c]`. */
const MAX_MARKS = 8;
const MAX_BRACKETS = 4;

/** Backslash, asterisks of Markdown, closing brackets of templates (`{{password}}=x`), typographic quotation marks. */
const MARKS = new Set(Array.from('\\*})>“”„‘’«»＂＇', (character) => character.charCodeAt(0)));
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The name before a separator. */
export interface NameBefore {
  readonly name: string;
  readonly isQuoted: boolean;
  /** The names outside of it: `q` and `user` of `q[user][password]`. */
  readonly outer: readonly string[];
}

const NONE: readonly string[] = [];

/** The name before the separator at `index`. The text before the name doesn't matter. */
export function nameBefore(text: string, index: number): NameBefore | null {
  let end = index;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  let isQuoted = false;
  let isInBrackets = false;
  for (let marks = 0; marks < MAX_MARKS && end > 0; marks += 1) {
    const unit = text.charCodeAt(end - 1);
    if (unit === CLOSE_BRACKET) isInBrackets = true;
    else if (isQuote(unit)) isQuoted = true;
    else if (!MARKS.has(unit)) break;
    end -= 1;
  }
  const name = nameEndingAt(text, end);
  if (isInBrackets) return { name, isQuoted, outer: namesOutside(text, end - name.length) };
  return name === '' ? null : { name, isQuoted, outer: NONE };
}

/** The names before opening brackets, including outer ones. */
function namesOutside(text: string, innerStart: number): string[] {
  const names: string[] = [];
  let end = innerStart;
  for (let brackets = 0; brackets < MAX_BRACKETS; brackets += 1) {
    while (isQuote(text.charCodeAt(end - 1)) && end > innerStart - MAX_MARKS) end -= 1;
    if (text.charCodeAt(end - 1) !== OPEN_BRACKET) break;
    end -= 1;
    if (text.charCodeAt(end - 1) === CLOSE_BRACKET) end -= 1;
    const name = nameEndingAt(text, end);
    if (name !== '') names.push(name);
    end -= name.length;
  }
  return names;
}

function nameEndingAt(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < MAX_NAME_LENGTH && isNameUnit(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

/** A chain of at least this many words is the name of a permission or a message: `api:admin:auth:read`. */
const MIN_CHAIN_WORDS = 4;
const MAX_CHAIN_LENGTH = 128;
const CHAIN = /^[A-Za-z-]+(?::[A-Za-z-]+)+$/;

/** Whether the colon at `index` joins the words of a chain. Such words have letters only, and no blanks. */
export function isInChain(text: string, index: number): boolean {
  const isChainUnit = (at: number) => {
    const unit = text.charCodeAt(at);
    return unit === 0x3a || (isNameUnit(unit) && !isDigit(unit) && unit < 0x80);
  };
  let start = index;
  while (start > 0 && index - start < MAX_CHAIN_LENGTH && isChainUnit(start - 1)) start -= 1;
  let end = index;
  while (end < text.length && end - index < MAX_CHAIN_LENGTH && isChainUnit(end)) end += 1;
  if (end < text.length && !/[\s"'`,)\]}]/.test(text.charAt(end))) return false;
  const chain = text.slice(start, end);
  return CHAIN.test(chain) && chain.split(':').length >= MIN_CHAIN_WORDS;
}
