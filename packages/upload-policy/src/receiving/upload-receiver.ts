import type { Readable } from 'node:stream';
import type { AnyRequest } from '@sallyport/plugin-kit/routes';
import type { UploadSource } from '../files/index.js';

/** A file that passed the checks. */
export interface ReceivedFile {
  /** The client's file name, safe to show: no path, no control or bidi characters, never empty. */
  readonly fileName: string;
  /** Lower case, without the dot; '' only if validation is off. */
  readonly extension: string;
  /** The type for serving the file; see `AcceptedUpload.mediaType`. */
  readonly mediaType: string;
  /** The encoding of a text, otherwise null; see `AcceptedUpload.charset`. */
  readonly charset: string | null;
  /** Whether it passed every check. False only while validation is off. */
  readonly verified: boolean;
  /** The size, in bytes. */
  readonly size: number;
  /** The digest, in lower-case hex. */
  readonly sha256: string;
  /** The texts of the form's other fields, both before and after the file. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A file that was stored. */
export interface ReceivedUpload<Stored = void> extends ReceivedFile {
  /** The result of the destination's `commit`. */
  readonly stored: Stored;
}

/**
 * The destination of one upload. `receive` calls `write` once, then either `commit` or `discard` once; it also calls
 * `discard` after a `write` or `commit` that rejected. The destination owns the temporary file.
 */
export interface UploadDestination<Stored = void> {
  /**
   * Reads the stream to its end into a temporary file that is not listed anywhere, and resolves to a source that reads
   * it there. The stream fails if the upload is too large or breaks off; reject in that case. Buffer no more than the
   * stream does.
   */
  write(stream: Readable): Promise<UploadSource>;
  /** The file passed the checks. Make it visible, atomically. `receive` returns the result as `stored`. */
  commit(file: ReceivedFile): Promise<Stored>;
  /** The file is refused or broken. Remove all of it, even if `write` never ran or failed. */
  discard(): Promise<void>;
}

/** The decorator `fastify.uploadPolicy`. */
export interface UploadReceiver {
  /**
   * Takes the one file of a multipart request through every check into the destination, and commits it there. On any
   * refusal or failure it calls `discard` of the destination and rejects. Call it once for a request, and await it.
   * Without `await`, a success answer waits for it, and becomes a refusal.
   *
   * @throws UploadTooManyError, UploadEmptyError, UploadTooLargeError, UploadTypeRefusedError, UploadMalformedError,
   * UploadPolicyUnavailableError, UploadNotStoredError, UploadPolicySetupError for an invalid call, and errors of the
   * destination that have a `statusCode`
   */
  receive<Stored>(request: AnyRequest, destination: UploadDestination<Stored>): Promise<ReceivedUpload<Stored>>;
  /**
   * Runs work that reads a body in another way, and counts it as a running upload until it settles. `receive` does not
   * need it.
   *
   * @throws UploadTooManyError, before the work starts
   */
  countWhile<Result>(request: AnyRequest, work: () => Promise<Result>): Promise<Result>;
  /**
   * Resolves if files of this extension may be previewed publicly now. Call it when an upload is marked for preview,
   * and again at each preview.
   *
   * @throws UploadPreviewRefusedError, UploadPolicyUnavailableError
   */
  assertPreviewable(extension: string): Promise<void>;
}
