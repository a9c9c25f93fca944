import createError from '@fastify/error';

/** Mode REQUIRED, the route isn't exempt, and the request came without the header. */
export const EnvelopeRequiredError = createError('ENVELOPE_REQUIRED', 'This endpoint needs an encrypted request', 400);
export type EnvelopeRequiredError = InstanceType<typeof EnvelopeRequiredError>;

/** The header `Api-Encryption` is there, and isn't exactly `v1`, once. */
export const EnvelopeVersionUnsupportedError = createError(
  'ENVELOPE_VERSION_UNSUPPORTED',
  'The encryption protocol version is not supported',
  400,
);
export type EnvelopeVersionUnsupportedError = InstanceType<typeof EnvelopeVersionUnsupportedError>;

/** The envelope, or what stands beside it, hasn't the shape of the protocol. `cause` says what is wrong, for the log. */
export const EnvelopeMalformedError = createError('ENVELOPE_MALFORMED', 'The encrypted request is malformed', 400);
export type EnvelopeMalformedError = InstanceType<typeof EnvelopeMalformedError>;

/** The envelope carries more than `maxPayloadBytes` (or `maxQueryBytes`), or its text is longer than that can need. */
export const EnvelopeTooLargeError = createError('ENVELOPE_TOO_LARGE', 'The encrypted request is too large', 413);
export type EnvelopeTooLargeError = InstanceType<typeof EnvelopeTooLargeError>;

/** The envelope was made for a key that the service doesn't hold. A client reads the bootstrap again, once. */
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

/** The envelope's timestamp is outside the window, or it was used before: one refusal for both. */
export class EnvelopeExpiredOrReplayedError extends ExpiredOrReplayedError {
  /** The service's clock, in milliseconds since the Unix epoch, so that a client can correct its own. */
  readonly serverTime: number;

  constructor(serverTime: number) {
    super();
    this.serverTime = serverTime;
  }
}

/** The envelope doesn't open: one refusal for all causes. `cause` says which, for the log. */
export const EnvelopeRejectedError = createError('ENVELOPE_REJECTED', 'The encrypted request was rejected', 400);
export type EnvelopeRejectedError = InstanceType<typeof EnvelopeRejectedError>;

/** The replay store can't say whether the envelope is new: refused, never let through. Thrown by the replay guard. */
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
);

/** The key provider is unreachable, or as many unwraps are waiting as may. `cause` says which, for the log. */
export class EnvelopeKeyUnavailableError extends KeyUnavailableError {
  /** When to try again: a full queue is worked off in about a second. */
  readonly retryAfterSeconds = 1;
}

/** The envelope opened, and what it carries isn't UTF-8, or has no line feed between query and body. */
export const EnvelopePlaintextInvalidError = createError(
  'ENVELOPE_PLAINTEXT_INVALID',
  'The decrypted request is not a query and a body',
  400,
);
export type EnvelopePlaintextInvalidError = InstanceType<typeof EnvelopePlaintextInvalidError>;

/** The decrypted body is over the route's `bodyLimit`: Fastify's own refusal of such a body, by its own code. */
export const RequestBodyTooLargeError = createError('FST_ERR_CTP_BODY_TOO_LARGE', 'Request body is too large', 413);
export type RequestBodyTooLargeError = InstanceType<typeof RequestBodyTooLargeError>;

/** An opened envelope came to a handler's door without having been claimed or delivered: a fault of the set-up. */
export const EnvelopeNotDeliveredError = createError<'ENVELOPE_NOT_DELIVERED', 500, [string]>(
  'ENVELOPE_NOT_DELIVERED',
  '%s',
  500,
);
export type EnvelopeNotDeliveredError = InstanceType<typeof EnvelopeNotDeliveredError>;

/** The response couldn't be sealed, so it isn't sent. `cause` says why, for the log. */
export const EnvelopeSealingFailedError = createError(
  'ENVELOPE_SEALING_FAILED',
  'The response could not be encrypted',
  500,
);
export type EnvelopeSealingFailedError = InstanceType<typeof EnvelopeSealingFailedError>;

/** The plugin was registered with bad options, or in a place where it can't work; the message lists every fault. */
export const EnvelopeSetupInvalidError = createError<'ENVELOPE_SETUP_INVALID', 500, [string]>(
  'ENVELOPE_SETUP_INVALID',
  '%s',
  500,
);
export type EnvelopeSetupInvalidError = InstanceType<typeof EnvelopeSetupInvalidError>;
