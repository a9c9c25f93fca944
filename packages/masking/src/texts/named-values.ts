import { isHeaderName, isSecretLabel, isSecretName, isSessionId, rolesOf } from '../sensitive-names.js';
import { isArrowEnd, isDigit, isLineEnd, isQuote, isSeparator, isSpace } from './characters.js';
import { isInChain, nameBefore } from './names-before.js';
import type { Report } from './spans.js';
import { findValueEnds, type ValueEnds, type ValueExtent } from './value-ends.js';

/** A name that is itself a value: `name="password"`. Longer texts are not names of fields. */
const MAX_LABEL_LENGTH = 64;

/** The depth of nested objects whose labels are distinguished. */
const MAX_OBJECTS = 64;

/** The text between the name of a multipart field and its value: the rest of the line, headers, a blank line. */
const MULTIPART_HEADERS = /[^\r\n]{0,200}(?:\r?\n[^\r\n:]{1,80}:[^\r\n]{0,400}){0,8}\r?\n\r?\n/y;

/** The labels and values of an object, such as `{"name": "password", "value": "x"}`, or of a text without braces. */
interface Labelled {
  label: string;
  isSecret: boolean;
  /** Values before the first label. */
  readonly values: (readonly [start: number, end: number])[];
}

/** `["password"]=> string(8) "…"` of PHP's var_dump. */
const PHP_TYPE = /string\(\d{1,7}\)\s{0,4}/y;

/** The length of `->`. */
const ARROW_LENGTH = 2;

const COMMA = 0x2c;
const GREATER = 0x3e;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const newLabelled = (): Labelled => ({ label: '', isSecret: false, values: [] });

/** The number of values before a label that are kept per object, which are the last ones. */
const MAX_VALUES = 16;

/**
 * Reports the values that follow a sensitive name, in queries, forms, JSON, YAML, headers, lists of headers, multipart
 * fields and plain texts. The text before the name does not matter. It also searches the values.
 */
export function reportNamedValues(text: string, report: Report): void {
  let ends: ValueEnds | null = null;
  let objects: Labelled[] = [];
  const outermost = newLabelled();
  let boundary: [from: number, end: number] = [0, -1];
  let block = 0;
  // Braces within a quoted value do not begin an object.
  let braces = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (isSeparator(unit)) readPair(index, false);
    else if (unit === COMMA) readPair(index, true);
    else if (unit === GREATER) {
      if (isArrowEnd(text, index)) readPair(index - 1, false);
    } else if (index < braces) continue;
    else if (unit === OPEN_BRACE) {
      if (objects.length >= MAX_OBJECTS) objects = [];
      objects.push(newLabelled());
    } else if (unit === CLOSE_BRACE) closeObject();
  }

  function valueAt(start: number, extent: ValueExtent | 'label'): readonly [number, number] {
    ends ??= findValueEnds(text);
    return ends.valueAt(start, extent);
  }

  function readPair(index: number, isComma: boolean): void {
    if (isComma && !followsQuote(index)) return;
    const before = nameBefore(text, index);
    if (before === null) return;
    const { name, isQuoted, outer } = before;
    const { isSecret, isLabel, isValue, isSession } = rolesOf(name);
    const isMasked = isSecret || outer.some(isSecretName);
    const start = valueStart(index, isComma);
    if (isQuoted && !isComma && index >= braces && isQuote(text.charCodeAt(start))) braces = valueAt(start, 'label')[1];
    if (!isMasked && !isLabel && !isValue && !isSession) return;
    if (start >= text.length) return;
    if (isSession && (isQuoted || text[index] === '=')) reportSessionId(start);
    if (isMasked && (isQuoted || !isTight(index) || !isInChain(text, index))) {
      const [from, end] = valueAt(start, extentOf(name, index, start, isQuoted));
      if (end > from) report(from, end);
      reportYamlBlock(from, end);
    }
    if (isComma) return;
    if (isLabel) readLabel(name, start);
    else if (isValue) readLabelledValue(start);
  }

  /** The comma between quoted texts: `"cookie", "a=b"`. */
  function followsQuote(index: number): boolean {
    let before = index - 1;
    while (isSpace(text.charCodeAt(before))) before -= 1;
    if (!isQuote(text.charCodeAt(before))) return false;
    const start = valueStart(index, true);
    const unit = text.charCodeAt(start);
    return isQuote(unit) || isDigit(unit) || unit === OPEN_BRACKET || unit === OPEN_BRACE || unit === BACKSLASH;
  }

  function valueStart(index: number, isComma: boolean): number {
    let start = index;
    if (isComma) start = text.indexOf(',', index) + 1;
    else if (text[index] === '-') start += ARROW_LENGTH;
    else while (isSeparator(text.charCodeAt(start)) || (text[start] === '>' && text[start - 1] === '=')) start += 1;
    // Asterisks of Markdown: `**password:** x`.
    if (text.startsWith('** ', start)) start += 2;
    while (isSpace(text.charCodeAt(start))) start += 1;
    PHP_TYPE.lastIndex = start;
    return text[start] === 's' && PHP_TYPE.test(text) ? PHP_TYPE.lastIndex : start;
  }

  /** `auth:x`, in contrast to `auth: x`. */
  function isTight(index: number): boolean {
    return text[index] === ':' && !isSpace(text.charCodeAt(index - 1)) && !isSpace(text.charCodeAt(index + 1));
  }

  function extentOf(name: string, index: number, start: number, isQuoted: boolean): ValueExtent {
    const mark = text.charAt(index);
    if (isQuoted || mark === '=' || mark === '＝') return 'word';
    if (isHeaderName(name)) return 'line';
    return start > index + (mark === '-' ? ARROW_LENGTH : 1) || mark === '：' ? 'phrase' : 'word';
  }

  /** `session=x` in a query or a cookie, and `"session":"x"`. */
  function reportSessionId(start: number): void {
    const [from, end] = valueAt(start, 'word');
    if (isSessionId(text.slice(from, end))) report(from, end);
  }

  /** `password: |` in YAML: the value is the indented lines that follow. */
  function reportYamlBlock(from: number, end: number): void {
    if (!/^[|>][+-]?$/.test(text.slice(from, Math.min(end, from + 3)))) return;
    // The blocks within a block belong to it.
    if (from < block) return;
    let next = end;
    while (isLineEnd(text.charCodeAt(next)) && /\s/.test(text.charAt(next + 1))) {
      next = isLineEnd(text.charCodeAt(next + 1)) ? next + 1 : valueAt(next + 1, 'line')[1];
    }
    block = next;
    if (next > end) report(from, next);
  }

  function readLabel(name: string, start: number): void {
    const object = objects.at(-1) ?? outermost;
    const [from, end] = valueAt(start, 'label');
    const isSecret = end - from <= MAX_LABEL_LENGTH && isSecretLabel(text.slice(from, end));
    // Without braces, a repeated label begins another entry.
    object.isSecret = isSecret || (object.isSecret && (object !== outermost || object.label !== name));
    object.label = name;
    if (!isSecret) return;
    for (const value of object.values.splice(0)) report(...value);
    reportMultipart(end);
  }

  function readLabelledValue(start: number): void {
    const object = objects.at(-1) ?? outermost;
    const value = valueAt(start, 'word');
    if (value[1] <= value[0]) return;
    if (object.isSecret) report(...value);
    else keepValue(object, value);
  }

  function keepValue(object: Labelled, value: readonly [start: number, end: number]): void {
    if (object.values.length >= MAX_VALUES) object.values.shift();
    object.values.push(value);
  }

  /** A brace may belong to a text and close nothing, so labels before it still apply after it. */
  function closeObject(): void {
    const closed = objects.pop();
    if (closed === undefined) return;
    const object = objects.at(-1) ?? outermost;
    object.isSecret ||= closed.isSecret;
    for (const value of closed.values) keepValue(object, value);
  }

  /** `name="password"`, a blank line, and the text of the field up to the next boundary. */
  function reportMultipart(labelEnd: number): void {
    MULTIPART_HEADERS.lastIndex = isQuote(text.charCodeAt(labelEnd)) ? labelEnd + 1 : labelEnd;
    if (!MULTIPART_HEADERS.test(text)) return;
    const start = MULTIPART_HEADERS.lastIndex;
    if (start < boundary[0] || start > boundary[1]) {
      const end = text.indexOf('\n--', start);
      boundary = [start, end === -1 ? text.length : end];
    }
    const end = text[boundary[1] - 1] === '\r' ? boundary[1] - 1 : boundary[1];
    if (end > start) report(start, end);
  }
}
