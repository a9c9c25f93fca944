import {
  IdempotencyDigestMismatchError,
  IdempotencyProcessingError,
  IdempotencySubmittedError,
} from '@sallyport/idempotency';
import type { FileRecord, NewFileRecord } from './file-records.js';

/** `Retry-After` of an upload that a node of an earlier release has not finished, in seconds. */
const PROCESSING_SECONDS = 2;

type UploadContent = Pick<FileRecord, 'sha256' | 'displayName' | 'publicPreview'>;

/** The values that a retry under an `Idempotency-Key` must share with its first request (IDM-4). */
export function contentOf({ sha256, displayName, publicPreview }: UploadContent): UploadContent {
  return { sha256, displayName, publicPreview };
}

/**
 * The refusal of an upload whose key its uploader has used for a file (IDM-3). The record of the key refuses almost all
 * of them before; this is for keys whose record has expired, and for uploads of an earlier release.
 */
export function repeatedUpload(earlier: FileRecord | null, upload: NewFileRecord): Error {
  // It was deleted in the meantime.
  if (earlier === null) return new IdempotencyProcessingError(PROCESSING_SECONDS);
  if (JSON.stringify(contentOf(earlier)) !== JSON.stringify(contentOf(upload))) {
    return new IdempotencyDigestMismatchError();
  }
  return earlier.state === 'pending'
    ? new IdempotencyProcessingError(PROCESSING_SECONDS)
    : new IdempotencySubmittedError();
}
