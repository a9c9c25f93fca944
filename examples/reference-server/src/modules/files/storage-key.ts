import { randomBytes } from 'node:crypto';

/** 128 random bits: who sees the store can't tell the file, and who sees the file can't tell its place. */
const STORAGE_KEY_BYTES = 16;

/** A key for one content, of nothing that a client sent (UPL-7). */
export function newStorageKey(): string {
  return randomBytes(STORAGE_KEY_BYTES).toString('hex');
}
