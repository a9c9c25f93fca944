import type { UploadSource } from '../src/index.js';

/** A file in memory, read as a file on disk is. */
export function sourceOf(bytes: Uint8Array): UploadSource {
  return { size: bytes.length, read: async (position, length) => bytes.slice(position, position + length) };
}
