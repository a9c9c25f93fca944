/**
 * The encodings that may be listed, as the Encoding Standard names them. Node.js 20.19 to 26 decode each of them alike,
 * in one piece and in chunks; `createTextReader` evens out gbk and windows-1252. Encodings that differ, such as
 * windows-1253, koi8-u and ibm866, are excluded, and so is ISO-2022-JP, whose escape sequences are controls.
 */
export const TEXT_ENCODINGS = Object.freeze([
  ...['utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'gb18030', 'gbk', 'big5', 'euc-jp', 'euc-kr', 'shift_jis'],
  ...['windows-1250', 'windows-1251', 'windows-1252', 'windows-1254', 'windows-1256', 'windows-1257', 'windows-1258'],
  ...['iso-8859-2', 'iso-8859-4', 'iso-8859-5', 'iso-8859-7', 'iso-8859-13', 'iso-8859-15', 'koi8-r'],
] as const);

export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/** The maximum number of encodings. Each causes one reading of the file. */
export const MAX_TEXT_ENCODINGS = 8;

/** The fault of a name that can't be listed as an encoding of texts, or null. */
export function textEncodingFault(name: string): string | null {
  if (!(TEXT_ENCODINGS as readonly string[]).includes(name)) return `must be one of ${TEXT_ENCODINGS.join(', ')}`;
  return isDecodable(name as TextEncoding) ? null : 'is not known to this Node.js, which was built without full ICU';
}

function isDecodable(encoding: TextEncoding): boolean {
  try {
    createTextReader(encoding);
    return true;
  } catch {
    return false;
  }
}

/** Reads bytes as a text. */
export interface TextReader {
  /** The next part of the text. Throws a TypeError for bytes that are invalid in the encoding. */
  decode(bytes: Buffer): string;
  /** The last part of the text, at the end of the file. */
  end(): string;
  /** Finds the characters of a decoded text that are C1 controls. */
  readonly c1: RegExp;
}

const C1 = /[\x80-\x9f]/;

/** The bytes to which windows-1252 gives no character but a C1 control: Encoding Standard, index windows-1252. */
const WINDOWS_1252_C1 = /[\x81\x8d\x8f\x90\x9d]/;

export function createTextReader(encoding: TextEncoding): TextReader {
  // TextDecoder of Node.js 20 decodes windows-1252 as ISO 8859-1.
  if (encoding === 'windows-1252') {
    return { decode: (bytes) => bytes.toString('latin1'), end: () => '', c1: WINDOWS_1252_C1 };
  }
  // The decoder of gbk is that of gb18030 (Encoding Standard, 10.1.1); Node.js 20 has a narrower one.
  const decoder = new TextDecoder(encoding === 'gbk' ? 'gb18030' : encoding, { fatal: true });
  return { decode: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode(), c1: C1 };
}

/** Whether TextDecoder threw this for malformed bytes. */
export function isMalformed(error: unknown): boolean {
  return error instanceof TypeError && (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}
