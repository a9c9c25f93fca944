/**
 * Strict base64url without padding (RFC 4648, section 5). Decoding refuses padding, the other alphabet, white space,
 * impossible lengths, and unused low bits that are not zero. Every byte string therefore has exactly one text.
 *
 * Neither `Buffer` nor `atob` is strict, and browsers have no `Buffer`. The server uses the faster `node-base64url.ts`.
 */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** {@link encodeBase64url}, or an equivalent. */
export type Base64urlEncoder = (bytes: Uint8Array) => string;

/** {@link decodeBase64url}, or an equivalent. */
export type Base64urlDecoder = (text: string) => Uint8Array | null;

const INVALID = 0xff;

/** The value of each ASCII character, or {@link INVALID}. */
const VALUES = new Uint8Array(128).fill(INVALID);
for (let value = 0; value < 64; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

/** The text of the bytes. */
export function encodeBase64url(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += ALPHABET[group >>> 18]! + ALPHABET[(group >>> 12) & 63]! + ALPHABET[(group >>> 6) & 63]!;
    text += ALPHABET[group & 63]!;
  }
  // The last group encodes 1, 2 or 3 bytes in 2, 3 or 4 characters.
  return text.slice(0, Math.ceil((bytes.length * 4) / 3));
}

/** The bytes of the text, or null if it is not strict base64url. */
export function decodeBase64url(text: string): Uint8Array | null {
  const tail = text.length % 4;
  if (tail === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let b = 0;
  let bits = 0;
  let pending = 0;
  for (let i = 0; i < text.length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? INVALID;
    if (value === INVALID) return null;
    pending = (pending << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[b++] = pending >>> bits;
      pending &= (1 << bits) - 1;
    }
  }
  return pending === 0 ? bytes : null;
}
