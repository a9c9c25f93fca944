import type { TextDecoding, TextEncoding } from '../../wire/index.js';

/** The UTF-8 bytes of a text, in plain ECMAScript. */
export const encodeText: TextEncoding = (text) => {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.codePointAt(i)!;
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code > 0xffff) i++;
    // A lone surrogate.
    else if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
    if (code < 0x800) bytes[length++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[length++] = 0xe0 | (code >> 12);
      else {
        bytes[length++] = 0xf0 | (code >> 18);
        bytes[length++] = 0x80 | ((code >> 12) & 63);
      }
      bytes[length++] = 0x80 | ((code >> 6) & 63);
    }
    bytes[length++] = 0x80 | (code & 63);
  }
  return bytes.slice(0, length);
};

/** The text of UTF-8 bytes, in plain ECMAScript. Throws for bytes that are not UTF-8, and keeps a byte order mark. */
export const decodeText: TextDecoding = (bytes) => {
  const characters = charactersOf(bytes);
  if (!bytes.some((byte) => byte > 0x7f)) return characters;
  const escaped = characters.replace(/[%\x80-\xff]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  try {
    // By ECMA-262 this refuses overlong forms, surrogates and code points above 10FFFF.
    return decodeURIComponent(escaped);
  } catch (cause) {
    throw new TypeError('the bytes are not UTF-8', { cause });
  }
};

/** The number of characters per call, because engines bound the arguments of a call. */
const MAX_CHARACTERS_AT_ONCE = 8192;

/** The text of ASCII bytes, with one character for each byte. */
function charactersOf(bytes: Uint8Array): string {
  let characters = '';
  for (let i = 0; i < bytes.length; i += MAX_CHARACTERS_AT_ONCE) {
    characters += String.fromCharCode(...bytes.subarray(i, i + MAX_CHARACTERS_AT_ONCE));
  }
  return characters;
}
