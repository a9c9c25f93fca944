import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import type { KeptResult } from './records/index.js';
import { refusals } from './refusals.js';

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

/** The route needs a key, and the request has none. */
export class IdempotencyKeyRequiredError extends refusalError(refusals, 'IDEMPOTENCY_KEY_REQUIRED') {
  readonly clientAction = refusals.IDEMPOTENCY_KEY_REQUIRED.retry;
}

/** Not one UUID of 36 characters. */
export class IdempotencyKeyInvalidError extends refusalError(refusals, 'IDEMPOTENCY_KEY_INVALID') {
  readonly clientAction = refusals.IDEMPOTENCY_KEY_INVALID.retry;
}

/**
 * The body, query or path has no canonical form: a lone surrogate, a number beyond the doubles, nesting too deep for
 * the stack.
 */
export class IdempotencyBodyUnsupportedError extends refusalError(refusals, 'IDEMPOTENCY_BODY_UNSUPPORTED') {
  readonly clientAction = refusals.IDEMPOTENCY_BODY_UNSUPPORTED.retry;
}

/** `Retry-After`, which the plugin sets on the reply with any error handler, and the same as a number. */
interface Waiting {
  readonly retryAfterSeconds: number;
  readonly headers: Readonly<Record<'retry-after', string>>;
}

function waiting(retryAfterSeconds: number): Waiting {
  return { retryAfterSeconds, headers: { 'retry-after': String(retryAfterSeconds) } };
}

/** Another request with this key and content is running. */
export class IdempotencyProcessingError extends refusalError(refusals, 'IDEMPOTENCY_PROCESSING') implements Waiting {
  readonly clientAction = refusals.IDEMPOTENCY_PROCESSING.retry;
  readonly retryAfterSeconds: number;
  readonly headers: Waiting['headers'];

  constructor(retryAfterSeconds: number) {
    super();
    ({ retryAfterSeconds: this.retryAfterSeconds, headers: this.headers } = waiting(retryAfterSeconds));
  }
}

/**
 * The write with this key and content is done. On a route with `result: 'location'` or `'body'` it says what the first
 * answer was; the plugin sends `location` as the header of that name.
 */
export class IdempotencySubmittedError extends refusalError(refusals, 'IDEMPOTENCY_SUBMITTED') {
  readonly clientAction = refusals.IDEMPOTENCY_SUBMITTED.retry;
  /** The status of the first answer. Null: none was kept. */
  readonly originalStatus: number | null;
  /** The `Location` of the first answer. Null: it had none, or none was kept. */
  readonly location: string | null;
  /** Private, so that no log prints it. */
  readonly #answer: string | null;

  constructor(result: KeptResult | null = null) {
    super();
    this.#answer = result?.answer ?? null;
    this.originalStatus = result?.status ?? null;
    this.location = result?.location ?? null;
  }

  /** @internal The sealed answer. */
  static answerOf(error: IdempotencySubmittedError): string | null {
    return error.#answer;
  }
}

/** The key was used for other content; its record is unchanged. */
export class IdempotencyDigestMismatchError extends refusalError(refusals, 'IDEMPOTENCY_DIGEST_MISMATCH') {
  readonly clientAction = refusals.IDEMPOTENCY_DIGEST_MISMATCH.retry;
}

/** The first run failed midway, died, or lost its lease. The key never runs again. */
export class IdempotencyOutcomeUnknownError extends refusalError(refusals, 'IDEMPOTENCY_OUTCOME_UNKNOWN') {
  readonly clientAction = refusals.IDEMPOTENCY_OUTCOME_UNKNOWN.retry;
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

/** The store can't say whether the write was done, so it was not started. `cause` says why. */
export class IdempotencyStoreUnavailableError
  extends refusalError(refusals, 'IDEMPOTENCY_STORE_UNAVAILABLE')
  implements Waiting
{
  readonly clientAction = refusals.IDEMPOTENCY_STORE_UNAVAILABLE.retry;
  readonly retryAfterSeconds: number;
  readonly headers: Waiting['headers'];

  constructor(retryAfterSeconds: number, cause: unknown) {
    super({ cause });
    ({ retryAfterSeconds: this.retryAfterSeconds, headers: this.headers } = waiting(retryAfterSeconds));
  }
}

/** The advice for the handler, by the step of the call that is missing. */
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
export class IdempotencyNotCompletedError extends refusalError(refusals, 'IDEMPOTENCY_NOT_COMPLETED') {
  /** @param missing what did not become of the call of `completeWithin` */
  constructor(route: string, missing: keyof typeof COMPLETION_ADVICE) {
    super(route, COMPLETION_ADVICE[missing]);
  }
}

/**
 * The handler of a route with `content: 'in-handler'` succeeded without `request.idempotency.begin(content)`: a retry
 * would run again. A bug in the handler.
 */
export const IdempotencyNotBegunError = refusalError(refusals, 'IDEMPOTENCY_NOT_BEGUN');
export type IdempotencyNotBegunError = InstanceType<typeof IdempotencyNotBegunError>;
