/** The UTF-8 bytes of a text, as `TextEncoder` gives them. */
export type TextEncoding = (text: string) => Uint8Array;

/** The text of UTF-8 bytes. It must throw for bytes that are not UTF-8, and keep a byte order mark. */
export type TextDecoding = (bytes: Uint8Array) => string;

/** The UTF-8 bytes of a text, by the global `TextEncoder`. */
export const encodeUtf8: TextEncoding = (text) => {
  encoder ??= new TextEncoder();
  return encoder.encode(text);
};

/** The text of UTF-8 bytes, by the global `TextDecoder`. */
export const decodeUtf8: TextDecoding = (bytes) => {
  // ignoreBOM keeps a byte order mark in the text, where JSON.parse refuses it.
  decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return decoder.decode(bytes);
};

// Made at the first use, because a client may run in an environment without these classes.
let encoder: { encode(text: string): Uint8Array } | undefined;
let decoder: { decode(bytes: Uint8Array): string } | undefined;

/** The bytes of a text of ASCII characters. */
export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
