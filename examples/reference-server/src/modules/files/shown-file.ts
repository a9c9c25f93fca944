import type { UploadPolicy } from '@sallyport/upload-policy';
import { Type } from 'typebox';
import type { FileRecord } from './file-records.js';

const facts = {
  id: Type.String(),
  fileName: Type.String(),
  extension: Type.String(),
  /** The verified type, with which the file is served. */
  mediaType: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  publicPreview: Type.Boolean(),
  createdAt: Type.Integer(),
};

/** A file in the view of administrators. */
export const storedFile = Type.Object(
  {
    ...facts,
    /** The id of the administrator or app user who uploaded it. */
    createdBy: Type.String(),
    createdByAudience: Type.Union([Type.Literal('admin'), Type.Literal('app')]),
  },
  { title: 'StoredFile' },
);

/** A file in the view of its owner. */
export const ownFile = Type.Object(facts, { title: 'OwnFile' });

export function showOwnFile({
  id,
  displayName,
  extension,
  mediaType,
  size,
  sha256,
  publicPreview,
  ...file
}: FileRecord) {
  const createdAt = file.createdAt.getTime();
  return { id, fileName: displayName, extension, mediaType, size, sha256, publicPreview, createdAt };
}

export function showFile(file: FileRecord) {
  const { createdBy, createdByAudience } = file;
  return { ...showOwnFile(file), createdBy, createdByAudience };
}

/** The values that the audit log records of an upload and of a deletion. */
export function recordedFile({ displayName, size, sha256, publicPreview }: FileRecord) {
  return { fileName: displayName, size, sha256, publicPreview };
}

/** The values that a simulation can try. */
export function showPolicy({ maxSizeMb, validationEnabled, allowedExtensions, allowedMimeTypes }: UploadPolicy) {
  return { maxSizeMb, validationEnabled, allowedExtensions, allowedMimeTypes };
}
