import type { Readable } from 'node:stream';
import type { ReceivedFile } from './received-upload.js';

/** A file that is there as a whole, to be read in pieces. */
export interface UploadSource {
  /** In bytes. */
  readonly size: number;
  /** The bytes at `position`: exactly `length` of them, or as many as there are before the end. */
  read(position: number, length: number): Promise<Uint8Array>;
}

/**
 * Where one upload goes. `receive` calls `write` once, then either `commit` or `discard` once; `discard` also after a
 * `write` or `commit` that rejected. Whoever makes the destination owns the temporary place. Requirement UPL-8.
 */
export interface UploadDestination<Stored = void> {
  /**
   * Takes the stream to its end into a temporary place that nobody lists, and resolves to the means of reading it there.
   * The stream fails when the upload is too large or breaks off: reject then. Keep no more than the stream's buffer.
   */
  write(stream: Readable): Promise<UploadSource>;
  /** The file passed: make it visible, all at once. What it resolves to, `receive` hands on as `stored`. */
  commit(file: ReceivedFile): Promise<Stored>;
  /** The file is refused or broken: remove what there is of it, even if `write` never ran or failed. */
  discard(): Promise<void>;
}
