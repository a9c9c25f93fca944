import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import type { RefusedUpload, UploadRefusalReason } from './files/index.js';
import { refusals } from './refusals.js';

/** Options that can't be right. Thrown at registration; `faults` lists every fault. */
export class UploadPolicySetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('UPLOAD_POLICY_SETUP_INVALID', subject, faults);
  }
}

/** A fault, and its place in the form (RFC 6901). */
interface FormFault {
  readonly pointer: string;
  readonly detail: string;
}

const FILE = '/file';

/** A sentence for people that ends with the reason, as `message` and as `detail`. */
const withReason = (detail: string, reason: UploadRefusalReason) => `${detail} (${reason})`;

/** The file has no bytes. */
export class UploadEmptyError extends refusalError(refusals, 'UPLOAD_EMPTY') {
  readonly reason: UploadRefusalReason = 'EMPTY';
  readonly errors: readonly FormFault[] = [{ pointer: FILE, detail: this.message }];
}

/** The file is larger than the policy's `maxSizeMb`; nothing beyond that was read. */
export class UploadTooLargeError extends refusalError(refusals, 'UPLOAD_TOO_LARGE') {
  readonly reason: UploadRefusalReason = 'TOO_LARGE';
  readonly errors: readonly FormFault[];

  constructor(maxSizeMb: number) {
    super(withReason(`The file is larger than ${maxSizeMb} MB`, 'TOO_LARGE'));
    this.errors = [{ pointer: FILE, detail: this.message }];
  }
}

/** The time after which an uploader may try again, in seconds: an upload of usual size has ended by then. */
const RETRY_AFTER_SECONDS = 5;

/** The uploader has as many uploads under way as one may; nothing of this one was read. */
export class UploadTooManyError extends refusalError(refusals, 'UPLOAD_TOO_MANY') {
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;
  /** Fastify sends them. */
  readonly headers: Readonly<Record<string, string>> = { 'retry-after': String(RETRY_AFTER_SECONDS) };
}

/** The file failed a check of its type or contents; `reason` says which. */
export class UploadTypeRefusedError extends refusalError(refusals, 'UPLOAD_TYPE_REFUSED') {
  readonly reason: UploadRefusalReason;
  readonly errors: readonly FormFault[];

  constructor({ reason, detail }: RefusedUpload) {
    super(withReason(detail, reason));
    this.reason = reason;
    this.errors = [{ pointer: FILE, detail: this.message }];
  }
}

/** The body is not a multipart form, breaks off, or has not exactly one file. `cause` is the parser's error. */
export class UploadMalformedError extends refusalError(refusals, 'UPLOAD_MALFORMED') {
  readonly errors: readonly FormFault[];

  constructor(detail: string, options: { readonly cause?: unknown } = {}) {
    super(detail);
    this.errors = [{ pointer: '', detail }];
    if (options.cause !== undefined) this.cause = options.cause;
  }
}

/** Public preview is off, or not allowed for this extension. */
export const UploadPreviewRefusedError = refusalError(refusals, 'UPLOAD_PREVIEW_REFUSED');
export type UploadPreviewRefusedError = InstanceType<typeof UploadPreviewRefusedError>;

/** The policy can't be read, or has faults: uploads are refused until it is corrected. `cause` says why. */
export const UploadPolicyUnavailableError = refusalError(refusals, 'UPLOAD_POLICY_UNAVAILABLE');
export type UploadPolicyUnavailableError = InstanceType<typeof UploadPolicyUnavailableError>;

/**
 * The destination failed: its disk is full, or its store is away. Nothing of the file is kept, and it may be sent
 * again. `cause` says why, for the log.
 */
export const UploadNotStoredError = refusalError(refusals, 'UPLOAD_NOT_STORED');
export type UploadNotStoredError = InstanceType<typeof UploadNotStoredError>;
