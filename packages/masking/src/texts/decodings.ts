import { isNameUnit } from './characters.js';

/** A decoded text, and the source of each of its UTF-16 units. */
export interface DecodedText {
  readonly text: string;
  /** The offset of each unit in the source text, followed by the length of the source text. */
  readonly offsets: Uint32Array;
}

/** A decoded text is never longer than its source. */
function decodeWith(text: string, pattern: RegExp, decode: (match: string) => string): DecodedText | null {
  pattern.lastIndex = 0;
  let match = pattern.exec(text);
  if (match === null) return null;
  const offsets = new Uint32Array(text.length + 1);
  let decoded = '';
  let length = 0;
  let copied = 0;
  for (; match !== null; match = pattern.exec(text)) {
    const { index } = match;
    for (; copied < index; copied += 1) offsets[length++] = copied;
    decoded += text.slice(index - (length - decoded.length), index);
    const [source] = match;
    decoded += decode(source);
    for (; length < decoded.length; length += 1) offsets[length] = index;
    copied = index + source.length;
  }
  decoded += text.slice(copied);
  for (; copied <= text.length; copied += 1) offsets[length++] = copied;
  return { text: decoded, offsets: offsets.subarray(0, length) };
}

/** The bytes of a character beyond ASCII in UTF-8, each after `mark`. */
const utf8After = (mark: string): string => {
  const next = `${mark}[89ab][0-9a-f]`;
  return `${mark}(?:[c-d][0-9a-f]${next}|e[0-9a-f](?:${next}){2}|f[0-7](?:${next}){3})`;
};
const PERCENT_UTF8 = utf8After('%');
const HEX_UTF8 = utf8After('\\\\x');

/** One character in UTF-8, one byte, or four digits as `escape` of JavaScript writes them. */
const PERCENT = new RegExp(`${PERCENT_UTF8}|%(?:[0-9a-f]{2}|u[0-9a-f]{4})|\\+`, 'gi');
const HAS_PERCENT = /%(?:[0-9a-f]{2}|u[0-9a-f]{4})|=[^\s&+=]*\+/i;

/** Percent-encoding (RFC 3986), and `+` for a blank as forms have it. */
export function decodePercent(text: string): DecodedText | null {
  return HAS_PERCENT.test(text) ? decodeWith(text, PERCENT, decoded) : null;
}

/** Escapes of JSON, of C (`\x22`, as nginx writes a quotation mark) and of HTML. */
const ESCAPE = new RegExp(
  `${HEX_UTF8}|\\\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["'\`\\\\/bfnrt])|&(?:quot|apos|amp|lt|gt|#\\d{1,5}|#x[0-9a-f]{1,4});`,
  'gi',
);

/** Backslash escapes of texts within texts, and the entities of HTML. */
export function decodeEscapes(text: string): DecodedText | null {
  return decodeWith(text, ESCAPE, decoded);
}

/** Escaped characters one by one, in any of the encodings that names have. */
const NAME_ESCAPE = new RegExp(
  `${PERCENT_UTF8}|%(?:[3-7][0-9a-f]|2[de])|${HEX_UTF8}|\\\\(?:u[0-9a-f]{4}|x[3-7][0-9a-f])`,
  'gi',
);

/**
 * Decodes characters that can belong to a name, and leaves those that can end a value. In `%70assword=a%26b`, the name
 * has to be decoded, but not the value.
 */
export function decodeNames(text: string): DecodedText | null {
  return decodeWith(text, NAME_ESCAPE, (match) => {
    const character = decoded(match);
    return /^[[\]]$/.test(character) || isNameUnit(character.charCodeAt(0)) ? character : match;
  });
}

const SIMPLE: Readonly<Record<string, string>> = {
  '+': ' ',
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
};

/** The character of one source. */
function decoded(source: string): string {
  const simple = SIMPLE[source];
  if (simple !== undefined) return simple;
  const first = source[0];
  if (first === '&') return entity(source);
  // A backslash in front of a character that it doesn't change.
  if (first === '\\' && source.length === 2) return source.slice(1);
  const bytes = source.match(/(?<=%|\\x)[0-9a-f]{2}/gi) ?? [];
  if (bytes.length < 2) return String.fromCharCode(Number.parseInt(source.replace(/^[^0-9a-f]*[ux%]/i, ''), 16));
  return Buffer.from(bytes.join(''), 'hex').toString();
}

function entity(source: string): string {
  const [, hex, decimal] = /^&#(?:x([0-9a-f]+)|(\d+));$/i.exec(source) ?? [];
  if (hex === undefined && decimal === undefined) return SIMPLE[source.toLowerCase()] ?? source;
  return String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
}

/** The offsets of a text that was decoded twice, in the source text. */
export function composeOffsets(outer: Uint32Array | null, inner: Uint32Array): Uint32Array {
  return outer === null ? inner : inner.map((offset) => outer[offset] ?? 0);
}
