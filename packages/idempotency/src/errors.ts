import createError from '@fastify/error';
import { SetupError } from '@sallyport/plugin-kit/options';
import type { KeptResult } from './records/index.js';

/*
 * The refusals that a client receives. Each carries `clientAction`, a word for programs, and where waiting helps
 * `retryAfterSeconds`, also as the header Retry-After.
 */

/**
 * Options, routes or calls that can't be right. Bad options and routes refuse the start; `faults` lists every fault.
 */
export class IdempotencySetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('IDEMPOTENCY_SETUP_INVALID', subject, faults);
  }
}

const KeyRequiredError = createError('IDEMPOTENCY_KEY_REQUIRED', 'The header Idempotency-Key is required', 400);

/** The route needs a key, and the request has none. */
export class IdempotencyKeyRequiredError extends KeyRequiredError {
  readonly clientAction = 'send-key';
}

const KeyInvalidError = createError('IDEMPOTENCY_KEY_INVALID', 'The header Idempotency-Key must be one UUID', 400);

/** Not one UUID of 36 characters. */
export class IdempotencyKeyInvalidError extends KeyInvalidError {
  readonly clientAction = 'send-key';
}

const BodyUnsupportedError = createError(
  'IDEMPOTENCY_BODY_UNSUPPORTED',
  'The request cannot be compared with its retries',
  400,
);

/**
 * The body, query or path has no canonical form: a lone surrogate, a number beyond the doubles, nesting too deep for
 * the stack.
 */
export class IdempotencyBodyUnsupportedError extends BodyUnsupportedError {
  readonly clientAction = 'correct-request';
}

/** `Retry-After`, which the plugin sets on the reply whatever the error handler does, and the same as a number. */
interface Waiting {
  readonly retryAfterSeconds: number;
  readonly headers: Readonly<Record<'retry-after', string>>;
}

function waiting(retryAfterSeconds: number): Waiting {
  return { retryAfterSeconds, headers: { 'retry-after': String(retryAfterSeconds) } };
}

const ProcessingError = createError('IDEMPOTENCY_PROCESSING', 'The same request is being processed', 409);

/** Another request with this key and content is running. */
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

/**
 * The write with this key and content is done. On a route with `result: 'location'` it says what the first answer was;
 * the plugin sends `location` as the header of that name.
 */
export class IdempotencySubmittedError extends SubmittedError {
  readonly clientAction = 'refresh-and-view';
  /** The status of the first answer. Null: none was kept. */
  readonly originalStatus: number | null;
  /** The `Location` of the first answer. Null: it had none, or none was kept. */
  readonly location: string | null;

  constructor(result: KeptResult | null = null) {
    super();
    this.originalStatus = result?.status ?? null;
    this.location = result?.location ?? null;
  }
}

const DigestMismatchError = createError(
  'IDEMPOTENCY_DIGEST_MISMATCH',
  'The Idempotency-Key belongs to a request with other content',
  422,
);

/** The key was used for other content; its record is unchanged. */
export class IdempotencyDigestMismatchError extends DigestMismatchError {
  readonly clientAction = 'new-key';
}

const OutcomeUnknownError = createError(
  'IDEMPOTENCY_OUTCOME_UNKNOWN',
  'Whether the request took effect is unknown; check, and if it did not, send it with a new key',
  409,
);

/** The first run failed midway, died, or lost its lease. The key never runs again. */
export class IdempotencyOutcomeUnknownError extends OutcomeUnknownError {
  readonly clientAction = 'check-then-new-key';
}

/**
 * Whether `completeWithin` refused this itself: it was given no transaction, the transaction has ended, or another run
 * holds the record. False for errors of the database, which roll the transaction back.
 */
export function isRefusalOfCompletion(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof IdempotencyProcessingError ||
    error instanceof IdempotencyOutcomeUnknownError
  );
}

const StoreUnavailableError = createError(
  'IDEMPOTENCY_STORE_UNAVAILABLE',
  'The request was not processed; send it again with the same key',
  503,
);

/** The store can't say whether the write was done, so it was not started. `cause` says why. */
export class IdempotencyStoreUnavailableError extends StoreUnavailableError implements Waiting {
  readonly clientAction = 'retry-same-key';
  readonly retryAfterSeconds: number;
  readonly headers: Waiting['headers'];

  constructor(retryAfterSeconds: number, cause: unknown) {
    super({ cause });
    ({ retryAfterSeconds: this.retryAfterSeconds, headers: this.headers } = waiting(retryAfterSeconds));
  }
}

const NotCompletedError = createError('IDEMPOTENCY_NOT_COMPLETED', 'The handler of %s must %s', 500);

/** What to do in the handler, by what did not become of the call. */
const COMPLETION_ADVICE = {
  called:
    'call request.idempotency.completeWithin(tx) in its transaction; for createAuditedChanges of @sallyport/audit-log: ' +
    'complete: (tx, { idempotency }) => idempotency?.completeWithin(tx)',
  awaited:
    'wait for request.idempotency.completeWithin(tx) and for the transaction before it replies: put await before both',
  heeded: 'let the error of request.idempotency.completeWithin(tx) through, so that the transaction is rolled back',
  committed:
    'commit what request.idempotency.completeWithin(tx) has completed: the transaction, or a savepoint around the call, ' +
    'was rolled back; let errors through, and call completeWithin last, outside of savepoints',
} as const;

/**
 * The handler of a transactional route succeeded without `request.idempotency.completeWithin(tx)`; or the handler of
 * any route did not wait for it, ignored its error, or succeeded although it was rolled back. Its write may have
 * committed without a record. A bug in the handler; the outcome counts as unknown, unless the record has committed.
 */
export class IdempotencyNotCompletedError extends NotCompletedError {
  /** @param missing what did not become of the call of `completeWithin` */
  constructor(route: string, missing: keyof typeof COMPLETION_ADVICE) {
    super(route, COMPLETION_ADVICE[missing]);
  }
}

/**
 * The handler of a route with `content: 'in-handler'` succeeded without `request.idempotency.begin(content)`: a retry
 * would run again. A bug in the handler.
 */
export const IdempotencyNotBegunError = createError(
  'IDEMPOTENCY_NOT_BEGUN',
  'The handler must call request.idempotency.begin(content) before it writes',
  500,
);
export type IdempotencyNotBegunError = InstanceType<typeof IdempotencyNotBegunError>;
