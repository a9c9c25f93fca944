import { type InspectionLimits, inspectUpload, UPLOAD_POLICY_DEFAULTS, type UploadSource } from '../src/index.js';

/** A file in memory that is read like one on disk. */
export function sourceOf(bytes: Uint8Array): UploadSource {
  return { size: bytes.length, read: async (position, length) => bytes.slice(position, position + length) };
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  csv: 'text/csv',
  zip: 'application/zip',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
  jpg: 'image/jpeg',
  png: 'image/png',
};

/** The reason of the refusal for a file of this extension, or `accepted`. */
export async function reasonOf(
  extension: string,
  bytes: Uint8Array | string,
  limits?: InspectionLimits,
): Promise<string> {
  const mediaType = MEDIA_TYPES[extension] ?? '';
  const source = sourceOf(Buffer.from(bytes));
  const verdict = await inspectUpload(
    { fileName: `a.${extension}`, mediaType, source },
    UPLOAD_POLICY_DEFAULTS,
    limits,
  );
  return verdict.accepted ? 'accepted' : verdict.reason;
}
