import type { Readable } from 'node:stream';
import type { UploadDestination } from '@sallyport/upload-policy';
import { NotFoundError } from '../../http/errors.js';
import type { RunChange } from '../../storage/changes.js';
import type { ContentLedger, SweepAges } from '../../storage/content-ledger.js';
import type { CursorPage } from '../../storage/pages.js';
import type { ByteRange, FileDisk, ReceivedContent } from './file-disk.js';
import { newStorageKey } from './file-disk.js';
import type { FileListRequest, FileOwner, FileRecord, FileRecords } from './file-records.js';
import { incomingFile, type UploadRequest } from './incoming-file.js';
import { recordedFile } from './shown-file.js';

/** The uploaded files. Only accepted, complete uploads are visible (UPL-8). */
export interface StoredFiles {
  /** Returns the destination of one upload. */
  incoming(request: UploadRequest): UploadDestination<FileRecord>;
  /** Receives a content for inspection and deletes it afterwards. */
  examine<Result>(content: Readable, look: (received: ReceivedContent) => Promise<Result>): Promise<Result>;
  /** The newest first. null: of every owner. With a name, those whose name begins with it. */
  list(request: FileListRequest, owner: FileOwner | null): Promise<CursorPage<FileRecord>>;
  /** @throws {NotFoundError} */
  find(id: string): Promise<FileRecord>;
  isOwnedBy(id: string, owner: FileOwner): Promise<boolean>;
  /** @throws {NotFoundError} if the file was removed in the meantime */
  read(file: FileRecord, range: ByteRange): Promise<Readable>;
  /**
   * Removes a file in one change. Once this resolves, no client can find it; its content may be deleted later.
   *
   * @throws {NotFoundError}
   */
  remove(id: string, change: RunChange): Promise<void>;
  /** Removes what crashes and failures left behind. Default: what no running upload can own, on any node. */
  sweep(ages?: SweepAges): Promise<void>;
  /** Rejects if contents can't be stored at present. */
  check(): Promise<void>;
}

export interface StoredFilesOptions {
  readonly records: FileRecords;
  readonly ledger: ContentLedger;
  readonly disk: FileDisk;
  /** Called with the reason when a cleanup step fails. The sweep repeats it later. */
  readonly onLeftover: (error: unknown) => void;
}

const LIVE_AGES: SweepAges = {
  // Three renewals may fail before a sweep takes the content.
  arrivingMillis: 60_000,
  // Longer than any upload takes: a request has at most half an hour.
  abandonedMillis: 3_600_000,
};

export function createStoredFiles({ records, ledger, disk, onLeftover }: StoredFilesOptions): StoredFiles {
  const tidy = async (work: () => Promise<unknown>) => {
    await work().catch(onLeftover);
  };
  const renewalMillis = LIVE_AGES.arrivingMillis / 4;

  async function find(id: string): Promise<FileRecord> {
    const file = await records.find(id);
    if (file === null) throw new NotFoundError();
    return file;
  }

  async function removeContent(storageKey: string): Promise<void> {
    await disk.remove(storageKey);
    await ledger.forget(storageKey);
  }

  return {
    incoming: (request) => incomingFile({ records, ledger, disk, renewalMillis, tidy }, request),

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

    list: (request, owner) => records.list(request, owner),

    find,

    isOwnedBy: async (id, owner) => (await records.find(id, owner)) !== null,

    async read({ id, storageKey }, range) {
      try {
        return await disk.read(storageKey, range);
      } catch (error) {
        // If the file was removed in the meantime, report it as not found.
        await find(id);
        throw error;
      }
    },

    async remove(id, change) {
      const { storageKey } = await change(async function removeFile(transaction, record) {
        const removed = await records.remove(transaction, id);
        if (removed === null) throw new NotFoundError();
        await ledger.discardWithin(transaction, removed.storageKey);
        record({ detail: { oldValue: recordedFile(removed), newValue: null } });
        return removed;
      });
      await tidy(() => removeContent(storageKey));
    },

    check: () => disk.check(),

    async sweep(ages = LIVE_AGES) {
      await disk.sweepReceived(ages.abandonedMillis);
      // Removed at once, and again when no write can come late.
      for (const key of await ledger.abandonOld(ages)) await tidy(() => disk.remove(key));
      let last: string | null = null;
      for (;;) {
        const leftovers = await ledger.leftovers(ages, last);
        if (leftovers.length === 0) return;
        let removed = 0;
        for (const key of leftovers) {
          // One content that can't be removed must not block the others.
          await tidy(async () => {
            await removeContent(key);
            removed += 1;
          });
        }
        // If none could be removed, the storage is unavailable.
        if (removed === 0) return;
        last = leftovers.at(-1)!;
      }
    },
  };
}
