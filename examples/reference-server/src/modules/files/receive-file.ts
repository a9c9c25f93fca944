import { type ReceivedFile, UploadMalformedError } from '@sallyport/upload-policy';
import type { FastifyRequest } from 'fastify';
import { exactlyOnceByContent } from '../../http/exactly-once.js';
import type { App } from '../../http/module.js';
import { type Changes, runChangeOf } from '../../storage/changes.js';
import type { FileOwner, FileRecord } from './file-records.js';

export interface UploadDependencies {
  readonly changes: Changes;
}

/** The config of every route that stores a file. Uploads are never encrypted: no envelope can carry them. */
export const UPLOAD = {
  audit: { action: 'file.upload', changes: 'in-handler' },
  bypassEnvelope: true,
  ...exactlyOnceByContent,
} as const;

/** Stores the one file of the form, for this owner. */
export async function receiveFile(
  app: App,
  changes: Changes,
  request: FastifyRequest,
  owner: FileOwner,
): Promise<FileRecord> {
  const { storedFiles, uploadPolicy } = app;
  const { idempotency } = request;
  const destination = storedFiles.incoming({
    owner,
    uploadKey: idempotency?.key ?? null,
    confirm: () => app.confirmStillServed(request),
    begin: async (content) => idempotency?.begin(content),
    change: runChangeOf(changes, request),
    async choosePreview(file) {
      const isWanted = readPreviewField(file);
      if (isWanted) await uploadPolicy.assertPreviewable(file.extension);
      return isWanted;
    },
  });
  try {
    return (await uploadPolicy.receive(request, destination)).stored;
  } catch (error) {
    // A client whose session has ended in the meantime gets that refusal, not the fault of its file.
    await app.confirmStillServed(request);
    throw error;
  }
}

/** The only form field other than the file. Unknown fields are refused, as in every body (HTTP-4). */
function readPreviewField({ fields: { publicPreview = 'false', ...others } }: ReceivedFile): boolean {
  if (Object.keys(others).length > 0) throw new UploadMalformedError('The form has an unknown field');
  if (publicPreview !== 'true' && publicPreview !== 'false') {
    throw new UploadMalformedError('publicPreview must be true or false');
  }
  return publicPreview === 'true';
}
