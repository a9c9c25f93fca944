import type { ReceivedFile, UploadDestination } from '@sallyport/upload-policy';
import { v7 as uuidv7 } from 'uuid';
import { StorageUnavailableError } from './errors.js';
import type { FileDisk, ReceivedContent } from './file-disk.js';
import { newStorageKey } from './file-disk.js';
import type { FileRecord, FileRecords } from './file-records.js';
import { refuseRepeated } from './upload-key.js';

export interface IncomingFileOptions {
  readonly records: FileRecords;
  readonly disk: FileDisk;
  /** Runs a cleanup step. If it fails, the sweep repeats it later. Never rejects. */
  readonly tidy: (work: () => Promise<unknown>) => Promise<void>;
}

/** The request's part of an upload. */
export interface UploadRequest {
  /** The id of the uploading administrator. */
  readonly createdBy: string;
  /** The `Idempotency-Key`; null if there is none. */
  readonly uploadKey: string | null;
  /**
   * Decides whether an accepted file may be previewed publicly. Runs before the file is stored. Rejects to refuse the
   * upload.
   */
  readonly choosePreview: (file: ReceivedFile) => Promise<boolean>;
}

/**
 * The steps of one upload (UPL-8): receive the content in a private place, add a pending record, publish the content,
 * mark the record as stored. A crash in between leaves a received content or a pending record; the sweep removes both.
 */
export function incomingFile(
  { records, disk, tidy }: IncomingFileOptions,
  { createdBy, uploadKey, choosePreview }: UploadRequest,
): UploadDestination<FileRecord> {
  const storageKey = newStorageKey();
  let received: ReceivedContent | null = null;

  async function addRecord(file: ReceivedFile): Promise<FileRecord> {
    const { fileName: displayName, extension, mediaType, size, sha256 } = file;
    const facts = { displayName, extension, mediaType, size, sha256, publicPreview: await choosePreview(file) };
    const record = { ...facts, id: uuidv7(), storageKey, createdBy, uploadKey };
    return (await records.add(record)) ?? refuseRepeated(records, record);
  }

  async function undo({ id }: FileRecord): Promise<void> {
    // Remove the content only if this call abandoned the record: a confirmation whose answer was lost stays valid. The
    // sweep keeps the record and removes the content again, because a store may complete the write late.
    await tidy(async () => (await records.abandon(id)) !== null && (await disk.remove(storageKey)));
  }

  return {
    async write(stream) {
      received = await disk.receive(storageKey, stream);
      return received;
    },

    async commit(file) {
      await received?.close();
      const record = await addRecord(file);
      try {
        await disk.publish(storageKey);
        const stored = await records.confirm(record.id);
        if (stored === null)
          throw new StorageUnavailableError({ cause: new Error('the sweep removed the pending upload') });
        return stored;
      } catch (error) {
        await undo(record);
        throw error;
      }
    },

    async discard() {
      await received?.close();
      await tidy(() => disk.drop(storageKey));
    },
  };
}
