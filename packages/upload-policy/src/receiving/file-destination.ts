import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { UploadDestination, UploadSource } from './destination.js';
import type { ReceivedFile } from './received-upload.js';

/** Only who runs the server reads it. */
const OWNER_ONLY = 0o600;

/** A destination that spools to a folder. */
export interface FileDestinationOptions<Stored> {
  /** Where the temporary file is made; it must be there, and nothing in it may be served. */
  readonly folder: string;
  /**
   * Makes the file visible: moves `path` within its file system, or reads it to its end. What is left at `path` is
   * removed afterwards.
   */
  keep(file: ReceivedFile, path: string): Promise<Stored>;
}

/** What the names of temporary files end in, so that leftovers of a crash can be told and swept. */
export const TEMPORARY_SUFFIX = '.upload-part';

/** A destination for one upload, with its temporary file in a folder. Requirement UPL-8. */
export function createFileDestination<Stored>({
  folder,
  keep,
}: FileDestinationOptions<Stored>): UploadDestination<Stored> {
  const path = join(folder, `${randomUUID()}${TEMPORARY_SUFFIX}`);
  let handle: FileHandle | null = null;

  async function close(): Promise<void> {
    const closing = handle;
    handle = null;
    await closing?.close();
  }

  async function discard(): Promise<void> {
    try {
      await close();
    } finally {
      await rm(path, { force: true });
    }
  }

  return {
    async write(stream: Readable): Promise<UploadSource> {
      const file = createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY });
      try {
        await pipeline(stream, file);
      } finally {
        await closed(file);
      }
      const opened = await open(path, 'r');
      handle = opened;
      const { size } = await opened.stat();
      return { size, read: (position, length) => readFrom(opened, position, length) };
    },
    async commit(file) {
      await close();
      const stored = await keep(file, path);
      await rm(path, { force: true });
      return stored;
    },
    discard,
  };
}

/**
 * A stream that breaks off makes the pipeline reject while the file may still be being opened: what is removed before
 * that would appear afterwards, and stay.
 */
async function closed(file: WriteStream): Promise<void> {
  file.destroy();
  if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve));
}

async function readFrom(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
