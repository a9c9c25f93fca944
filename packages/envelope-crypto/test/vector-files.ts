import { existsSync, readFileSync } from 'node:fs';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** Vectors made for this project, in the repository. */
export function ownVectors<T>(file: string): readonly T[] {
  return parse(new URL(`vectors/${file}`, import.meta.url));
}

/**
 * Vectors of other projects, beside the repository. Null if that folder is missing: the test is skipped then.
 */
export function sharedVectors<T>(file: string): readonly T[] | null {
  const url = new URL(`../../../../shared/vectors/${file}`, import.meta.url);
  return existsSync(url) ? parse(url) : null;
}

function parse<T>(url: URL): readonly T[] {
  return (JSON.parse(readFileSync(url, 'utf8')) as { vectors: readonly T[] }).vectors;
}

export const hex = (bytes: Uint8Array | null): string | null => (bytes === null ? null : bytesToHex(bytes));

export const bytes = hexToBytes;

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A copy with one flipped bit. */
export function withBitFlipped(input: Uint8Array, bit: number): Uint8Array {
  return input.map((byte, i) => (i === bit >> 3 ? byte ^ (0x80 >> (bit & 7)) : byte));
}
