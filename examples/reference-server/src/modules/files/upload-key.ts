import {
  IdempotencyDigestMismatchError,
  IdempotencyKeyInvalidError,
  IdempotencyProcessingError,
  IdempotencySubmittedError,
} from '@sallyport/idempotency';
import type { FileRecords, NewFileRecord } from './file-records.js';

/** `Retry-After` while another upload with this key is in progress, in seconds. */
const PROCESSING_SECONDS = 2;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the `Idempotency-Key` of an upload in normalised form. null if there is none. */
export function readUploadKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !UUID.test(header)) throw new IdempotencyKeyInvalidError();
  return header.toLowerCase();
}

/**
 * Refuses an upload whose key its uploader has used before, as every write does (IDM-3). The content is known only
 * after it was received, so no hook before the handler can compare two uploads.
 */
export async function refuseRepeated(records: FileRecords, upload: NewFileRecord): Promise<never> {
  const earlier = await records.findByUploadKey(upload.createdBy, upload.uploadKey!);
  // The other upload failed or was deleted between the two queries. The key is free for a retry.
  if (earlier === null) throw new IdempotencyProcessingError(PROCESSING_SECONDS);
  if (digestOf(earlier) !== digestOf(upload)) throw new IdempotencyDigestMismatchError();
  if (earlier.state === 'pending') throw new IdempotencyProcessingError(PROCESSING_SECONDS);
  throw new IdempotencySubmittedError();
}

function digestOf({ sha256, displayName, publicPreview }: Omit<NewFileRecord, 'id'>): string {
  return JSON.stringify([sha256, displayName, publicPreview]);
}
