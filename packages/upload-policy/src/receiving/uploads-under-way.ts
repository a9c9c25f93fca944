import type { FastifyRequest } from 'fastify';
import { UploadPolicySetupError, UploadTooManyError } from '../errors.js';

/** The uploads that are being received or inspected, by uploader. */
export interface UploadsUnderWay {
  /**
   * Counts one upload until the returned function is called. Calling it twice has no effect.
   *
   * @throws UploadTooManyError if the uploader has reached the maximum
   */
  begin(uploader: string): () => void;
}

/**
 * Kept in memory, with an entry for each uploader with a running upload, so there are never more entries than requests.
 */
export function countUploadsUnderWay(maxPerUploader: number): UploadsUnderWay {
  const underWay = new Map<string, number>();

  return {
    begin(uploader) {
      const others = underWay.get(uploader) ?? 0;
      if (others >= maxPerUploader) throw new UploadTooManyError();
      underWay.set(uploader, others + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (underWay.get(uploader) ?? 1) - 1;
        if (left === 0) underWay.delete(uploader);
        else underWay.set(uploader, left);
      };
    },
  };
}

/**
 * Counts an upload of the request's uploader.
 *
 * @throws UploadTooManyError, what `uploaderOf` throws, and UploadPolicySetupError if it names nobody
 */
export function beginUploadOf(
  request: FastifyRequest,
  uploaderOf: (request: FastifyRequest) => string,
  underWay: UploadsUnderWay,
): () => void {
  const uploader: unknown = uploaderOf(request);
  // All requests without a name would count as one uploader's.
  if (typeof uploader !== 'string' || uploader === '') {
    throw new UploadPolicySetupError('upload-policy', [
      'uploaderOf must return a text that is not empty, such as String(request.user.id); it may not be asynchronous',
    ]);
  }
  return underWay.begin(uploader);
}
