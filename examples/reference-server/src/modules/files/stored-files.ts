import type { Readable } from 'node:stream';
import type { UploadDestination } from '@sallyport/upload-policy';
import { NotFoundError } from '../../http/errors.js';
import type { Page, PageRequest } from '../../storage/pages.js';
import type { ByteRange, FileDisk, ReceivedContent } from './file-disk.js';
import { newStorageKey } from './file-disk.js';
import type { FileRecord, FileRecords } from './file-records.js';
import { incomingFile, type UploadRequest } from './incoming-file.js';

/** The uploaded files. Only accepted, complete uploads are visible (UPL-8). */
export interface StoredFiles {
  /** Returns the destination of one upload. */
  incoming(request: UploadRequest): UploadDestination<FileRecord>;
  /** Receives a content for inspection and deletes it afterwards. */
  examine<Result>(content: Readable, look: (received: ReceivedContent) => Promise<Result>): Promise<Result>;
  /** The newest first. */
  list(page: PageRequest): Promise<Page<FileRecord>>;
  /** @throws {NotFoundError} */
  find(id: string): Promise<FileRecord>;
  /** @throws {NotFoundError} if the file was removed in the meantime */
  read(file: FileRecord, range: ByteRange): Promise<Readable>;
  /**
   * Removes a file. Once this resolves, no client can find it; its content may be deleted later.
   *
   * @throws {NotFoundError}
   */
  remove(id: string): Promise<FileRecord>;
  /** Removes what crashes and failures left behind. Younger uploads may still be in progress, on any node. */
  sweep(olderThanMillis: number): Promise<void>;
  /** Rejects if contents can't be stored at present. */
  check(): Promise<void>;
}

export interface StoredFilesOptions {
  readonly records: FileRecords;
  readonly disk: FileDisk;
  /** Called with the reason when a cleanup step fails. The sweep repeats it later. */
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
        // If the file was removed in the meantime, report it as not found.
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
          // One content that can't be removed must not block the others.
          await tidy(async () => {
            await removeContent(file);
            removed += 1;
          });
        }
        // If none could be removed, the storage is unavailable.
        if (removed === 0) return;
        last = leftovers.at(-1)!.id;
      }
    },
  };
}
