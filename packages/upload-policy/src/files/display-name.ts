/** As long as a file name is on common file systems, in UTF-8. */
const MAX_NAME_BYTES = 255;

/** No more of a name is looked at than its last 4096 UTF-16 code units: as long as the longest path of Linux. */
const MAX_LOOKED_AT = 4096;

/** Shown of a file whose name has nothing that can be shown. */
const NAMELESS = 'file';

/** Controls, marks of direction, invisible blanks, separators of lines, halves of pairs, code points that are none. */
const NOT_SHOWN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\uffff\u{e0000}-\u{e007f}]/gu;

/**
 * What may be shown of a client's name for a file: its last part, without anything that hides or turns around what
 * stands there, NFC, at most 255 bytes, never empty, never one that begins with a dot. Requirement UPL-7.
 */
export function displayName(clientName: string): string {
  const end = clientName.slice(-MAX_LOOKED_AT);
  const last = end.slice(Math.max(end.lastIndexOf('/'), end.lastIndexOf('\\')) + 1);
  const shown = last
    .replaceAll(NOT_SHOWN, '')
    .normalize('NFC')
    .replaceAll(/\s+/gu, ' ')
    .replace(/^[. ]+/, '')
    .replace(/[. ]+$/, '');
  return shown === '' ? NAMELESS : shorten(shown);
}

/** Lower case of ASCII, without the dot; '' if there is none. The last one decides. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return '';
  return name.slice(dot + 1).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Shortens in front of the extension, and between code points. */
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
  return `${stem.replace(/[. ]+$/, '')}${extension}`;
}
