/** The longest file name of common file systems, in UTF-8. */
const MAX_NAME_BYTES = 255;

/** Only the end of a longer name is read, in UTF-16 code units: the length of the longest path of Linux. */
const MAX_READ_LENGTH = 4096;

/** The name of a file whose own name has nothing that can be shown. */
const NAMELESS = 'file';

/**
 * Controls, lone surrogates, line separators, direction marks, what fonts show nothing for, noncharacters. What joins
 * or styles its neighbours stays, for emoji and for the scripts that need it: it hides nothing.
 */
const NOT_SHOWN = new RegExp(
  `(?![\\u200c\\u200d\\p{Variation_Selector}])[${[
    ...['\\p{Cc}', '\\p{Cs}', '\\p{Zl}', '\\p{Zp}', '\\p{Default_Ignorable_Code_Point}', '\\p{Bidi_Control}'],
    ...['\\u2800', '\\u{13441}', '\\u{13442}', '\\u{16fe4}', '\\u{1d159}', '\\ufff9-\\uffff'],
  ].join('')}]`,
  'gu',
);

/**
 * The part of a client's file name that is safe to show: its last segment, without characters that hide or reorder
 * others, in NFC, at most 255 bytes, never empty, never starting with a dot.
 */
export function displayName(clientName: string): string {
  const end = clientName.slice(-MAX_READ_LENGTH);
  const last = end.slice(Math.max(end.lastIndexOf('/'), end.lastIndexOf('\\')) + 1);
  const shown = last
    .replaceAll(NOT_SHOWN, '')
    .normalize('NFC')
    .replaceAll(/\s+/gu, ' ')
    .replace(/^[. ]+/, '');
  const trimmed = withoutEnd(shown);
  return trimmed === '' ? NAMELESS : shorten(trimmed);
}

/** Without the dots and blanks at its end. A pattern would read each run of dots once for each dot in it. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '.' || text[end - 1] === ' ')) end -= 1;
  return text.slice(0, end);
}

/** The last extension, ASCII letters in lower case, without the dot; '' if there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return '';
  return name.slice(dot + 1).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Shortens the name before its extension, and between code points. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= 20 ? name.slice(dot) : '';
  const room = MAX_NAME_BYTES - Buffer.byteLength(extension);
  let stem = '';
  let bytes = 0;
  for (const point of name) {
    bytes += Buffer.byteLength(point);
    if (bytes > room) break;
    stem += point;
  }
  return `${withoutEnd(stem)}${extension}`;
}
