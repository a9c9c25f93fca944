import {
  IdempotencyDigestMismatchError,
  IdempotencyKeyInvalidError,
  IdempotencyProcessingError,
  IdempotencySubmittedError,
} from '@sallyport/idempotency';
import type { FileRecords, NewFileRecord } from './file-records.js';

/** How long a client should wait for another upload with its key, in seconds. */
const PROCESSING_SECONDS = 2;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The `Idempotency-Key` of an upload, in the one form that keys are compared in; null: none. */
export function readUploadKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !UUID.test(header)) throw new IdempotencyKeyInvalidError();
  return header.toLowerCase();
}

/**
 * Refuses an upload whose key its uploader has used before, as every write does (IDM-3). What the content is shows only
 * when it is here, so no hook in front of the handler can compare two uploads.
 */
export async function refuseRepeated(records: FileRecords, upload: NewFileRecord): Promise<never> {
  const earlier = await records.findByUploadKey(upload.createdBy, upload.uploadKey!);
  // The other one failed or was deleted between the two looks: the key is free for the next try.
  if (earlier === null) throw new IdempotencyProcessingError(PROCESSING_SECONDS);
  if (digestOf(earlier) !== digestOf(upload)) throw new IdempotencyDigestMismatchError();
  if (earlier.state === 'pending') throw new IdempotencyProcessingError(PROCESSING_SECONDS);
  throw new IdempotencySubmittedError();
}

function digestOf({ sha256, displayName, publicPreview }: Omit<NewFileRecord, 'id'>): string {
  return JSON.stringify([sha256, displayName, publicPreview]);
}
