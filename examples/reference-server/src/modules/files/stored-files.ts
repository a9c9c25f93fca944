import type { Readable } from 'node:stream';
import type { UploadDestination } from '@sallyport/upload-policy';
import { NotFoundError } from '../../http/errors.js';
import type { Page, PageRequest } from '../../storage/pages.js';
import type { ByteRange, FileDisk, ReceivedContent } from './file-disk.js';
import { newStorageKey } from './file-disk.js';
import type { FileRecord, FileRecords } from './file-records.js';
import { incomingFile, type UploadRequest } from './incoming-file.js';

/** The uploaded files: those whose upload was accepted and is complete. No other exists for any caller (UPL-8). */
export interface StoredFiles {
  /** The place for one upload. */
  incoming(request: UploadRequest): UploadDestination<FileRecord>;
  /** Holds a content for as long as somebody looks at it, and stores nothing. */
  examine<Result>(content: Readable, look: (received: ReceivedContent) => Promise<Result>): Promise<Result>;
  /** The newest first. */
  list(page: PageRequest): Promise<Page<FileRecord>>;
  /** @throws {NotFoundError} */
  find(id: string): Promise<FileRecord>;
  /** @throws {NotFoundError} if the file was removed since it was found */
  read(file: FileRecord, range: ByteRange): Promise<Readable>;
  /**
   * When this resolves nobody finds the file any more; its content may follow.
   *
   * @throws {NotFoundError}
   */
  remove(id: string): Promise<FileRecord>;
  /** Removes what crashes and failures left. What came in more recently may still be on its way, on any node. */
  sweep(olderThanMillis: number): Promise<void>;
  /** Rejects where contents can't be kept at the moment. */
  check(): Promise<void>;
}

export interface StoredFilesOptions {
  readonly records: FileRecords;
  readonly disk: FileDisk;
  /** Told why something could not be cleaned up at once. The sweep does it later. */
  readonly onLeftover: (error: unknown) => void;
}

export function createStoredFiles({ records, disk, onLeftover }: StoredFilesOptions): StoredFiles {
  const tidy = async (work: () => Promise<unknown>) => {
    await work().catch(onLeftover);
  };

  async function find(id: string): Promise<FileRecord> {
    const file = await records.find(id);
    if (file === null) throw new NotFoundError();
    return file;
  }

  async function removeContent({ id, storageKey }: FileRecord): Promise<void> {
    await disk.remove(storageKey);
    await records.forget(id);
  }

  return {
    incoming: (request) => incomingFile({ records, disk, tidy }, request),

    async examine(content, look) {
      const key = newStorageKey();
      try {
        const received = await disk.receive(key, content);
        try {
          return await look(received);
        } finally {
          await received.close();
        }
      } finally {
        content.destroy();
        await tidy(() => disk.drop(key));
      }
    },

    list: (page) => records.list(page),

    find,

    async read({ id, storageKey }, range) {
      try {
        return await disk.read(storageKey, range);
      } catch (error) {
        // Removed in between, its content is no longer there for a good reason.
        await find(id);
        throw error;
      }
    },

    async remove(id) {
      const file = await records.retire(id);
      if (file === null) throw new NotFoundError();
      await tidy(() => removeContent(file));
      return file;
    },

    check: () => disk.check(),

    async sweep(olderThanMillis) {
      await disk.sweepReceived(olderThanMillis);
      await records.abandonOld(olderThanMillis);
      let last: string | null = null;
      for (;;) {
        const leftovers = await records.leftovers(last);
        if (leftovers.length === 0) return;
        let removed = 0;
        for (const file of leftovers) {
          // One whose content can't be removed must not keep the others.
          await tidy(async () => {
            await removeContent(file);
            removed += 1;
          });
        }
        // Where none can, the store is away.
        if (removed === 0) return;
        last = leftovers.at(-1)!.id;
      }
    },
  };
}
