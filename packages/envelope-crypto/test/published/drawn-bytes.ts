import { sm3 } from '../../src/gm/index.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
export const b64u = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
export const utf8Hex = (text: string): string => Buffer.from(text).toString('hex');

/** Bytes that look random and are the same in each run: the first ones of SM3 over their name, up to 32. */
export function drawn(name: string, length: number): Uint8Array {
  return sm3(utf8(`sallyport envelope-v1 vectors|${name}`)).slice(0, length);
}

/** {@link drawn} in hexadecimal. */
export const drawnHex = (name: string, length: number): string => hexOf(drawn(name, length));
