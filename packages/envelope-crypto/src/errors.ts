import createError from '@fastify/error';
import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/** Mode REQUIRED: the route is not exempt, and the request has no header `Api-Encryption`. */
export const EnvelopeRequiredError = refusalError(refusals, 'ENVELOPE_REQUIRED');
export type EnvelopeRequiredError = InstanceType<typeof EnvelopeRequiredError>;

/** The header `Api-Encryption` is not exactly one `v1`. */
export const EnvelopeVersionUnsupportedError = refusalError(refusals, 'ENVELOPE_VERSION_UNSUPPORTED');
export type EnvelopeVersionUnsupportedError = InstanceType<typeof EnvelopeVersionUnsupportedError>;

/** The envelope, or the request around it, does not follow the protocol. `cause` says why, for the log. */
export const EnvelopeMalformedError = refusalError(refusals, 'ENVELOPE_MALFORMED');
export type EnvelopeMalformedError = InstanceType<typeof EnvelopeMalformedError>;

/** The plaintext exceeds `maxPayloadBytes` (or `maxQueryBytes`), or the text is too long for such a plaintext. */
export const EnvelopeTooLargeError = refusalError(refusals, 'ENVELOPE_TOO_LARGE');
export type EnvelopeTooLargeError = InstanceType<typeof EnvelopeTooLargeError>;

/** The envelope names a key that the service does not have. A client reads the bootstrap again, once. */
export const EnvelopeKeyUnknownError = refusalError(refusals, 'ENVELOPE_KEY_UNKNOWN');
export type EnvelopeKeyUnknownError = InstanceType<typeof EnvelopeKeyUnknownError>;

/** The timestamp is outside the window, or the envelope was used before. One refusal for both. */
export class EnvelopeExpiredOrReplayedError extends refusalError(refusals, 'ENVELOPE_EXPIRED_OR_REPLAYED') {
  /** The service's clock, in milliseconds since the Unix epoch. A client corrects its own by it. */
  readonly serverTime: number;

  constructor(serverTime: number) {
    super();
    this.serverTime = serverTime;
  }
}

/** The envelope does not open. One refusal for all causes; `cause` says which, for the log. */
export const EnvelopeRejectedError = refusalError(refusals, 'ENVELOPE_REJECTED');
export type EnvelopeRejectedError = InstanceType<typeof EnvelopeRejectedError>;

/** The replay store gave no answer, so the request is refused. Thrown by the replay guard. */
export const EnvelopeReplayStoreUnavailableError = refusalError(refusals, 'ENVELOPE_REPLAY_STORE_UNAVAILABLE');
export type EnvelopeReplayStoreUnavailableError = InstanceType<typeof EnvelopeReplayStoreUnavailableError>;

/** The key provider is unreachable, or too many unwraps wait. `cause` says which, for the log. */
export class EnvelopeKeyUnavailableError extends refusalError(refusals, 'ENVELOPE_KEY_UNAVAILABLE', {
  // A flood creates many of these, and their stack is of no use.
  hasStack: false,
}) {
  /** When to try again. A full queue takes about a second. */
  readonly retryAfterSeconds = 1;
}

/** A cause of {@link EnvelopeKeyUnavailableError} that a flood brings about, without a stack. */
export const EnvelopeQueueFullError = createError<'ENVELOPE_QUEUE_FULL', 503, [string]>(
  'ENVELOPE_QUEUE_FULL',
  '%s',
  503,
  Error,
  false,
);

/** The envelope opened, but its plaintext is not UTF-8, or has no line feed between query and body. */
export const EnvelopePlaintextInvalidError = refusalError(refusals, 'ENVELOPE_PLAINTEXT_INVALID');
export type EnvelopePlaintextInvalidError = InstanceType<typeof EnvelopePlaintextInvalidError>;

/** The decrypted body exceeds the route's `bodyLimit`. It has the code that Fastify gives such a body. */
export const RequestBodyTooLargeError = createError('FST_ERR_CTP_BODY_TOO_LARGE', 'Request body is too large', 413);
export type RequestBodyTooLargeError = InstanceType<typeof RequestBodyTooLargeError>;

/** A handler sends a fetch `Response` whose body was read before. It has the code that Fastify gives it. */
export const ResponseBodyConsumedError = createError(
  'FST_ERR_REP_RESPONSE_BODY_CONSUMED',
  'Response.body is already consumed.',
);

/** An opened envelope reached a handler without being claimed or delivered: a fault of the set-up. */
export const EnvelopeNotDeliveredError = refusalError(refusals, 'ENVELOPE_NOT_DELIVERED');
export type EnvelopeNotDeliveredError = InstanceType<typeof EnvelopeNotDeliveredError>;

/** Something read the raw URL of an encrypted request, whose route does not declare that: see `deliverRawUrl`. */
export const EnvelopeRawUrlUndeclaredError = refusalError(refusals, 'ENVELOPE_RAW_URL_UNDECLARED');
export type EnvelopeRawUrlUndeclaredError = InstanceType<typeof EnvelopeRawUrlUndeclaredError>;

/** A handler took over a reply that has to be sealed, and its route does not declare that: see `allowHijack`. */
export const EnvelopeHijackUndeclaredError = refusalError(refusals, 'ENVELOPE_HIJACK_UNDECLARED');
export type EnvelopeHijackUndeclaredError = InstanceType<typeof EnvelopeHijackUndeclaredError>;

/** The response could not be sealed, so it is not sent. `cause` says why, for the log. */
export const EnvelopeSealingFailedError = refusalError(refusals, 'ENVELOPE_SEALING_FAILED');
export type EnvelopeSealingFailedError = InstanceType<typeof EnvelopeSealingFailedError>;

/** Bad options, or a registration where the plugin can't work. `faults` lists every fault. */
export class EnvelopeSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('ENVELOPE_SETUP_INVALID', subject, faults);
  }
}
