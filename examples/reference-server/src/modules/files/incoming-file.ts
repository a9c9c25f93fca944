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
  /** Does what cleans up; where it fails, the sweep does it later. Never rejects. */
  readonly tidy: (work: () => Promise<unknown>) => Promise<void>;
}

/** What the request says of an upload. */
export interface UploadRequest {
  /** The subject who uploads. */
  readonly createdBy: string;
  /** The `Idempotency-Key`; null: none. */
  readonly uploadKey: string | null;
  /**
   * Decides on the file that passed, before it is there: whether it may be previewed publicly. Rejects to refuse it.
   */
  readonly choosePreview: (file: ReceivedFile) => Promise<boolean>;
}

/**
 * The way of one upload (UPL-8): received where nobody looks, then a pending record, then the content in its place,
 * then the record stored. A crash in between leaves a received content or a pending record, and the sweep knows both.
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
    // Only who took the record away may take the content away: a confirmation whose answer was lost stays good.
    // The record itself stays for the sweep, which removes the content again: a store may be slow to put it there.
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
        if (stored === null) throw new StorageUnavailableError({ cause: new Error('The sweep was faster') });
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
