import type { ReceivedFile, UploadDestination } from '@sallyport/upload-policy';
import { v7 as uuidv7 } from 'uuid';
import type { RunChange } from '../../storage/changes.js';
import { ContentAbandonedError, type ContentLedger } from '../../storage/content-ledger.js';
import { StorageUnavailableError } from './errors.js';
import type { FileDisk, ReceivedContent } from './file-disk.js';
import { newStorageKey } from './file-disk.js';
import type { FileOwner, FileRecord, FileRecords, NewFileRecord } from './file-records.js';
import { recordedFile } from './shown-file.js';
import { contentOf, repeatedUpload } from './upload-key.js';

export interface IncomingFileOptions {
  readonly records: FileRecords;
  readonly ledger: ContentLedger;
  readonly disk: FileDisk;
  /** The interval of renewals while a content is arriving, in milliseconds. */
  readonly renewalMillis: number;
  /** Runs a cleanup step. If it fails, the sweep repeats it later. Never rejects. */
  readonly tidy: (work: () => Promise<unknown>) => Promise<void>;
}

/** The request's part of an upload. */
export interface UploadRequest {
  readonly owner: FileOwner;
  /** The `Idempotency-Key`; null if there is none. */
  readonly uploadKey: string | null;
  /** Rejects if the session has ended since the head of the request arrived, or the permission is gone (TOK-13). */
  readonly confirm: () => Promise<void>;
  /** Begins the run of the key with this content. Rejects to refuse a copy or a retry (IDM-11). */
  readonly begin: (content: object) => Promise<void>;
  /** Makes the change with its audit record and the record of its key (AUD-8). */
  readonly change: RunChange;
  /**
   * Decides whether an accepted file may be previewed publicly. Runs before the file is stored. Rejects to refuse the
   * upload.
   */
  readonly choosePreview: (file: ReceivedFile) => Promise<boolean>;
}

/**
 * The steps of one upload (UPL-8): receive the content in a private place, begin the run of its key, announce the
 * content in the ledger, publish it, and commit the file together with its records. A crash in between leaves a
 * received content, or a content in the ledger; the sweep removes both.
 */
export function incomingFile(
  { records, ledger, disk, renewalMillis, tidy }: IncomingFileOptions,
  { owner, uploadKey, confirm, begin, change, choosePreview }: UploadRequest,
): UploadDestination<FileRecord> {
  const storageKey = newStorageKey();
  let received: ReceivedContent | null = null;

  async function describe(file: ReceivedFile): Promise<NewFileRecord> {
    const { fileName: displayName, extension, mediaType, size, sha256 } = file;
    const facts = { displayName, extension, mediaType, size, sha256, publicPreview: await choosePreview(file) };
    return { ...facts, ...owner, id: uuidv7(), storageKey, uploadKey };
  }

  function store(file: NewFileRecord): Promise<FileRecord> {
    return change(async function storeFile(transaction, record) {
      await ledger.keepWithin(transaction, storageKey);
      const stored = await records.add(transaction, file);
      if (stored === null) throw repeatedUpload(await records.findByUploadKey(transaction, file), file);
      record({ target: stored.id, detail: recordedFile(stored) });
      return stored;
    });
  }

  /** Published contents are announced before and kept or abandoned after, also if an answer was lost. */
  async function publishAndStore(file: NewFileRecord): Promise<FileRecord> {
    const renewal = setInterval(() => ledger.renew(storageKey).catch(() => {}), renewalMillis).unref();
    try {
      await ledger.announce(storageKey);
      await disk.publish(storageKey);
      return await store(file);
    } catch (error) {
      // A commit whose answer was lost stays valid, with its content.
      await tidy(async () => (await ledger.abandon(storageKey)) && (await disk.remove(storageKey)));
      throw error instanceof ContentAbandonedError ? new StorageUnavailableError({ cause: error }) : error;
    } finally {
      clearInterval(renewal);
    }
  }

  return {
    async write(stream) {
      received = await disk.receive(storageKey, stream);
      return received;
    },

    async commit(file) {
      await received?.close();
      const record = await describe(file);
      await confirm();
      await begin(contentOf(record));
      return publishAndStore(record);
    },

    async discard() {
      await received?.close();
      await tidy(() => disk.drop(storageKey));
    },
  };
}
