import type { FastifyRequest } from 'fastify';
import type { UploadDestination } from './destination.js';
import type { ReceivedUpload } from './received-upload.js';

/** What the plugin decorates `fastify.uploadPolicy` with. */
export interface UploadReceiver {
  /**
   * Takes the one file of a multipart request through every check into the destination, and commits it there. On any
   * refusal or failure the destination is told to discard, and the call rejects.
   *
   * @throws UploadEmptyError, UploadTooLargeError, UploadTypeRefusedError, UploadMalformedError,
   * UploadPolicyUnavailableError, UploadNotStoredError, and what the destination rejects with if it has a `statusCode`.
   */
  receive<Stored>(request: FastifyRequest, destination: UploadDestination<Stored>): Promise<ReceivedUpload<Stored>>;
  /**
   * Resolves if files of this extension may be previewed publicly at this moment: to be asked when an upload is marked
   * for preview, and again at each preview. Requirement UPL-6.
   *
   * @throws UploadPreviewRefusedError, UploadPolicyUnavailableError
   */
  assertPreviewable(extension: string): Promise<void>;
}
