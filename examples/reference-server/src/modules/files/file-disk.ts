import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';

/** A part of a content: the positions of its first and last byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** A content that was received completely and is to be checked. */
export interface ReceivedContent {
  /** In bytes. */
  readonly size: number;
  /** Reads `length` bytes at `position`, or fewer at the end of the content. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** Closes the content. */
  close(): Promise<void>;
}

/**
 * Storage for contents, under keys that the server generates. `receive` writes a content to a private place; `read`
 * sees it only after `publish`. Failures of the storage are `StorageFullError` or `StorageUnavailableError`.
 */
export interface FileDisk {
  /** A name for logs and messages. It contains no secret. */
  readonly name: string;
  /** Receives the whole content. On rejection, from a broken content or a failed storage, nothing of it is kept. */
  receive(key: string, content: Readable): Promise<ReceivedContent>;
  /** Deletes a received, unpublished content. */
  drop(key: string): Promise<void>;
  /** Publishes a received content durably. After a rejection it may exist or not: call `remove`. */
  publish(key: string): Promise<void>;
  /** Rejects before the first byte if there is no such content. */
  read(key: string, range: ByteRange): Promise<Readable>;
  /** Removes a published content. It also resolves if there is none. */
  remove(key: string): Promise<void>;
  /** Deletes received, unpublished contents from before this time. Resolves to their number. */
  sweepReceived(olderThanMillis: number): Promise<number>;
  /** Rejects if contents can't be stored at present. */
  check(): Promise<void>;
  close(): void;
}

/** 128 random bits, so that storage keys and file ids cannot be derived from each other. */
const STORAGE_KEY_BYTES = 16;

/** Generates a storage key, independent of all client input (UPL-7). */
export function newStorageKey(): string {
  return randomBytes(STORAGE_KEY_BYTES).toString('hex');
}
