import { isSecretName } from '../sensitive-names.js';
import { isQuote, isSpace } from './characters.js';
import type { Report } from './spans.js';

/** `insert into users (name, password) values`, of which the tuples follow. */
const INSERT =
  /\b(?:insert|replace|merge)\b[^();]{1,200}\(([^()]{1,2000})\)\s{0,8}(?:overriding\s{1,4}\w{1,8}\s{1,4}value\s{1,4})?values?\s{0,8}(?=\()/gi;

/** `Key (name, token)=(a, b) already exists` of PostgreSQL. */
const KEY_DETAIL = /\([^()]{1,500}\)=(?=\()/g;

/** Placeholders, `null` and `default`. What is masked already is none of a secret either. */
const NO_SECRET = /^(?:[$?:@]\w*|%s|%\(\w+\)s|null|default|\[masked\])$/i;

/** The text that one statement may read beyond its end, as a multiple of the length: the time stays linear. */
const READ_FACTOR = 4;

const OPEN = 0x28;
const CLOSE = 0x29;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Reports the values of sensitive columns, which stand in another list than the names. */
export function reportSqlValues(text: string, report: Report): void {
  let unitsLeft = text.length * READ_FACTOR;
  reportAfter(INSERT, true);
  if (text.includes(')=(')) reportAfter(KEY_DETAIL, false);

  function reportAfter(pattern: RegExp, isStatement: boolean): void {
    for (const { index, 0: match, 1: list = match.slice(1, -2) } of text.matchAll(pattern)) {
      const columns = list.split(',').map((column) => isSecretName(column.trim().replace(/^["'`[]|["'`\]]$/g, '')));
      let start = index + match.length;
      if (!columns.includes(true)) continue;
      while (text.charCodeAt(start) === OPEN && unitsLeft > 0) {
        const end = readTuple(start + 1, columns, isStatement);
        unitsLeft -= end - start;
        start = isStatement ? nextTuple(end) : text.length;
      }
    }
  }

  /** The position after the tuple. */
  function readTuple(start: number, columns: readonly boolean[], isStatement: boolean): number {
    let column = 0;
    let depth = 0;
    let itemStart = start;
    let index = start;
    for (; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (isStatement && isQuote(unit)) index = quotedEnd(index, unit);
      else if (unit === OPEN) depth += 1;
      else if (unit === CLOSE || (unit === COMMA && depth === 0)) {
        if (depth > 0) {
          depth -= 1;
          continue;
        }
        if (columns[column]) reportItem(itemStart, index);
        column += 1;
        itemStart = index + 1;
        if (unit === CLOSE) return index + 1;
      }
    }
    if (columns[column]) reportItem(itemStart, text.length);
    return text.length;
  }

  /** The closing mark of a text that begins at `start`. Two marks, or one after a backslash, do not close it. */
  function quotedEnd(start: number, quote: number): number {
    let index = start + 1;
    for (; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === BACKSLASH) index += 1;
      else if (unit === quote) {
        if (text.charCodeAt(index + 1) !== quote) return index;
        index += 1;
      }
    }
    return index;
  }

  function reportItem(from: number, to: number): void {
    let start = from;
    let end = to;
    while (start < end && isSpace(text.charCodeAt(start))) start += 1;
    while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
    if (end === start || NO_SECRET.test(text.slice(start, Math.min(end, start + 64)))) return;
    const isText = isQuote(text.charCodeAt(start)) && text.charCodeAt(end - 1) === text.charCodeAt(start);
    if (isText && end - start > 2) report(start + 1, end - 1);
    else if (!isText) report(start, end);
  }

  function nextTuple(end: number): number {
    let index = end;
    while (isSpace(text.charCodeAt(index))) index += 1;
    if (text.charCodeAt(index) !== COMMA) return text.length;
    index += 1;
    while (isSpace(text.charCodeAt(index))) index += 1;
    return index;
  }
}
