import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';

/** A part of a content, by its first and last byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** A content that came in as a whole and is to be judged. */
export interface ReceivedContent {
  /** In bytes. */
  readonly size: number;
  /** The bytes at a position: as many as asked for, or as there are before the end. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** Ends the reading. */
  close(): Promise<void>;
}

/**
 * Where contents lie, under keys that the server makes. A content comes in by `receive`, in a place of its own where
 * nobody else reads, and is there for `read` only after `publish`. What goes wrong in the store itself is a
 * `StorageFullError` or a `StorageUnavailableError`.
 */
export interface FileDisk {
  /** For people. Never with a secret. */
  readonly name: string;
  /**
   * Takes the whole content in. Where it rejects, because the content broke or the store failed, nothing of it is left.
   */
  receive(key: string, content: Readable): Promise<ReceivedContent>;
  /** Drops what was received and not published. */
  drop(key: string): Promise<void>;
  /** Puts what was received in its place, durably. After a rejection it may be there or not: `remove` it. */
  publish(key: string): Promise<void>;
  /** Rejects before the first byte where there is no such content. */
  read(key: string, range: ByteRange): Promise<Readable>;
  /** Removes what was published. Resolves as well where nothing is. */
  remove(key: string): Promise<void>;
  /** Drops what was received so long ago and neither published nor dropped; yields how many that were. */
  sweepReceived(olderThanMillis: number): Promise<number>;
  /** Rejects where contents can't be kept at the moment. */
  check(): Promise<void>;
  close(): void;
}

/** 128 random bits: who sees the store can't tell the file, and who sees the file can't tell its place. */
const STORAGE_KEY_BYTES = 16;

/** A key for one content, of nothing that a client sent (UPL-7). */
export function newStorageKey(): string {
  return randomBytes(STORAGE_KEY_BYTES).toString('hex');
}
