import createError from '@fastify/error';
import { SetupError } from '@sallyport/plugin-kit/options';

/** Mode REQUIRED: the route is not exempt, and the request has no header `Api-Encryption`. */
export const EnvelopeRequiredError = createError('ENVELOPE_REQUIRED', 'This endpoint needs an encrypted request', 400);
export type EnvelopeRequiredError = InstanceType<typeof EnvelopeRequiredError>;

/** The header `Api-Encryption` is not exactly one `v1`. */
export const EnvelopeVersionUnsupportedError = createError(
  'ENVELOPE_VERSION_UNSUPPORTED',
  'The encryption protocol version is not supported',
  400,
);
export type EnvelopeVersionUnsupportedError = InstanceType<typeof EnvelopeVersionUnsupportedError>;

/** The envelope, or the request around it, does not follow the protocol. `cause` tells the log why. */
export const EnvelopeMalformedError = createError('ENVELOPE_MALFORMED', 'The encrypted request is malformed', 400);
export type EnvelopeMalformedError = InstanceType<typeof EnvelopeMalformedError>;

/** The plaintext exceeds `maxPayloadBytes` (or `maxQueryBytes`), or the text is too long for such a plaintext. */
export const EnvelopeTooLargeError = createError('ENVELOPE_TOO_LARGE', 'The encrypted request is too large', 413);
export type EnvelopeTooLargeError = InstanceType<typeof EnvelopeTooLargeError>;

/** The envelope names a key that the service does not have. A client reads the bootstrap again, once. */
export const EnvelopeKeyUnknownError = createError(
  'ENVELOPE_KEY_UNKNOWN',
  'The encrypted request names an unknown key',
  400,
);
export type EnvelopeKeyUnknownError = InstanceType<typeof EnvelopeKeyUnknownError>;

const ExpiredOrReplayedError = createError(
  'ENVELOPE_EXPIRED_OR_REPLAYED',
  'Encrypted request expired or submitted twice',
  400,
);

/** The timestamp is outside the window, or the envelope was used before. One refusal for both. */
export class EnvelopeExpiredOrReplayedError extends ExpiredOrReplayedError {
  /** The service's clock, in milliseconds since the Unix epoch. A client corrects its own by it. */
  readonly serverTime: number;

  constructor(serverTime: number) {
    super();
    this.serverTime = serverTime;
  }
}

/** The envelope does not open. One refusal for all causes; `cause` tells the log which. */
export const EnvelopeRejectedError = createError('ENVELOPE_REJECTED', 'The encrypted request was rejected', 400);
export type EnvelopeRejectedError = InstanceType<typeof EnvelopeRejectedError>;

/** The replay store gave no answer, so the request is refused. Thrown by the replay guard. */
export const EnvelopeReplayStoreUnavailableError = createError(
  'ENVELOPE_REPLAY_STORE_UNAVAILABLE',
  'Encrypted requests cannot be checked at the moment',
  503,
);
export type EnvelopeReplayStoreUnavailableError = InstanceType<typeof EnvelopeReplayStoreUnavailableError>;

const KeyUnavailableError = createError(
  'ENVELOPE_KEY_UNAVAILABLE',
  'Encrypted requests cannot be opened at the moment',
  503,
  Error,
  // A flood creates many of these, and their stack is of no use.
  false,
);

/** The key provider is unreachable, or too many unwraps wait. `cause` tells the log which. */
export class EnvelopeKeyUnavailableError extends KeyUnavailableError {
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
export const EnvelopePlaintextInvalidError = createError(
  'ENVELOPE_PLAINTEXT_INVALID',
  'The decrypted request is not a query and a body',
  400,
);
export type EnvelopePlaintextInvalidError = InstanceType<typeof EnvelopePlaintextInvalidError>;

/** The decrypted body exceeds the route's `bodyLimit`. It has the code that Fastify gives such a body. */
export const RequestBodyTooLargeError = createError('FST_ERR_CTP_BODY_TOO_LARGE', 'Request body is too large', 413);
export type RequestBodyTooLargeError = InstanceType<typeof RequestBodyTooLargeError>;

/** An opened envelope reached a handler without being claimed or delivered: a fault of the set-up. */
export const EnvelopeNotDeliveredError = createError<'ENVELOPE_NOT_DELIVERED', 500, [string]>(
  'ENVELOPE_NOT_DELIVERED',
  '%s',
  500,
);
export type EnvelopeNotDeliveredError = InstanceType<typeof EnvelopeNotDeliveredError>;

/** Something read the raw URL of an encrypted request, whose route does not declare that: see `deliverRawUrl`. */
export const EnvelopeRawUrlUndeclaredError = createError<'ENVELOPE_RAW_URL_UNDECLARED', 500, [string]>(
  'ENVELOPE_RAW_URL_UNDECLARED',
  'route %s: the raw URL of an encrypted request has no query. Read request.query, or set config.deliverRawUrl: true',
  500,
);
export type EnvelopeRawUrlUndeclaredError = InstanceType<typeof EnvelopeRawUrlUndeclaredError>;

/** A handler took over a reply that has to be sealed, and its route does not declare that: see `allowHijack`. */
export const EnvelopeHijackUndeclaredError = createError<'ENVELOPE_HIJACK_UNDECLARED', 500, [string]>(
  'ENVELOPE_HIJACK_UNDECLARED',
  'route %s: a hijacked reply leaves in the clear. Send the reply, or set config.allowHijack: true',
  500,
);
export type EnvelopeHijackUndeclaredError = InstanceType<typeof EnvelopeHijackUndeclaredError>;

/** The response could not be sealed, so it is not sent. `cause` tells the log why. */
export const EnvelopeSealingFailedError = createError(
  'ENVELOPE_SEALING_FAILED',
  'The response could not be encrypted',
  500,
);
export type EnvelopeSealingFailedError = InstanceType<typeof EnvelopeSealingFailedError>;

/** Bad options, or a registration where the plugin can't work. `faults` lists every fault. */
export class EnvelopeSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('ENVELOPE_SETUP_INVALID', subject, faults);
  }
}
