import createError from '@fastify/error';

/*
 * What a client is told. Each refusal carries `clientAction`, a word that a program can act on, and where waiting helps
 * `retryAfterSeconds`, also as the header Retry-After.
 */

/** Options, or routes, that can't be right; the message lists every fault. Thrown before the server listens. */
export const IdempotencySetupError = createError<'IDEMPOTENCY_SETUP_INVALID', 500, [string]>(
  'IDEMPOTENCY_SETUP_INVALID',
  'idempotency: %s',
  500,
);
export type IdempotencySetupError = InstanceType<typeof IdempotencySetupError>;

const KeyRequiredError = createError('IDEMPOTENCY_KEY_REQUIRED', 'The header Idempotency-Key is required', 400);

/** The route needs a key, and none came. Requirement IDM-1. */
export class IdempotencyKeyRequiredError extends KeyRequiredError {
  readonly clientAction = 'send-key';
}

const KeyInvalidError = createError('IDEMPOTENCY_KEY_INVALID', 'The header Idempotency-Key must be one UUID', 400);

/** Not one UUID of 36 characters. Requirement IDM-1. */
export class IdempotencyKeyInvalidError extends KeyInvalidError {
  readonly clientAction = 'send-key';
}

const BodyUnsupportedError = createError(
  'IDEMPOTENCY_BODY_UNSUPPORTED',
  'The request cannot be compared with its retries',
  400,
);

/** The body, query or path has no canonical form: a lone surrogate, a number beyond all bounds, nesting without end. Requirement IDM-4. */
export class IdempotencyBodyUnsupportedError extends BodyUnsupportedError {
  readonly clientAction = 'correct-request';
}

/** `Retry-After` for Fastify's own error handler, and for others as a number. */
interface Waiting {
  readonly retryAfterSeconds: number;
  readonly headers: Readonly<Record<'retry-after', string>>;
}

function waiting(retryAfterSeconds: number): Waiting {
  return { retryAfterSeconds, headers: { 'retry-after': String(retryAfterSeconds) } };
}

const ProcessingError = createError('IDEMPOTENCY_PROCESSING', 'The same request is being processed', 409);

/** Another request with this key and content is running. Requirement IDM-3. */
export class IdempotencyProcessingError extends ProcessingError implements Waiting {
  readonly clientAction = 'wait-then-retry';
  readonly retryAfterSeconds: number;
  readonly headers: Waiting['headers'];

  constructor(retryAfterSeconds: number) {
    super();
    ({ retryAfterSeconds: this.retryAfterSeconds, headers: this.headers } = waiting(retryAfterSeconds));
  }
}

const SubmittedError = createError(
  'IDEMPOTENCY_SUBMITTED',
  'The request was submitted already; refresh and view the result',
  409,
);

/** The write with this key and content has been done. Requirement IDM-3. */
export class IdempotencySubmittedError extends SubmittedError {
  readonly clientAction = 'refresh-and-view';
}

const DigestMismatchError = createError(
  'IDEMPOTENCY_DIGEST_MISMATCH',
  'The Idempotency-Key belongs to a request with other content',
  422,
);

/** The key was used for other content; the record is as it was. Requirement IDM-3. */
export class IdempotencyDigestMismatchError extends DigestMismatchError {
  readonly clientAction = 'new-key';
}

const OutcomeUnknownError = createError(
  'IDEMPOTENCY_OUTCOME_UNKNOWN',
  'Whether the request took effect is unknown; check, and if it did not, send it with a new key',
  409,
);

/** The first run failed in mid-way, died, or lost its lease. It is never run again by itself. Requirement IDM-6. */
export class IdempotencyOutcomeUnknownError extends OutcomeUnknownError {
  readonly clientAction = 'check-then-new-key';
}

const StoreUnavailableError = createError(
  'IDEMPOTENCY_STORE_UNAVAILABLE',
  'The request was not processed; send it again with the same key',
  503,
);

/** The store can't say whether the write was done, so it isn't begun. `cause` says why. Requirement IDM-9. */
export class IdempotencyStoreUnavailableError extends StoreUnavailableError implements Waiting {
  readonly clientAction = 'retry-same-key';
  readonly retryAfterSeconds: number;
  readonly headers: Waiting['headers'];

  constructor(retryAfterSeconds: number, cause: unknown) {
    super({ cause });
    ({ retryAfterSeconds: this.retryAfterSeconds, headers: this.headers } = waiting(retryAfterSeconds));
  }
}

/**
 * The handler of a transactional route succeeded without `request.idempotency.completeWithin(tx)`: what it did may be
 * there without a record of it. A mistake in the handler; the outcome counts as unknown. Requirement IDM-7.
 */
export const IdempotencyNotCompletedError = createError(
  'IDEMPOTENCY_NOT_COMPLETED',
  'The handler of a transactional route must call request.idempotency.completeWithin(tx)',
  500,
);
export type IdempotencyNotCompletedError = InstanceType<typeof IdempotencyNotCompletedError>;
