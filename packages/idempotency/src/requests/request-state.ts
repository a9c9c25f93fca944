import { isClosed } from '@sallyport/plugin-kit/routes';
import {
  IdempotencyNotBegunError,
  IdempotencyNotCompletedError,
  IdempotencyOutcomeUnknownError,
  isRefusalOfCompletion,
} from '../errors.js';
import type { KeptResult } from '../records/index.js';
import type { Outcome, Run, Settlement } from '../runs/index.js';
import {
  type AnswerHead,
  type CompleteWithinOptions,
  headOf,
  RunResult,
  type RunResultOptions,
} from './kept-result.js';
import { WatchedPromise } from './watched-promise.js';

/** The progress of the handler. `observed`: it returned a promise, so its end is seen even without a reply. */
type Progress =
  | { readonly kind: 'before' }
  | { readonly kind: 'running'; readonly observed: boolean }
  | { readonly kind: 'threw'; readonly error: unknown };

export interface RequestStateOptions extends RunResultOptions {
  readonly run: Run;
  /** Method and pattern, such as `POST /payments`. */
  readonly route: string;
  readonly isTransactional: boolean;
  readonly isSafeFailure: (error: unknown) => boolean;
}

/** The code for `handlerTimeout` of Fastify: the reply is sent while the handler continues. */
const HANDLER_TIMEOUT = 'FST_ERR_HANDLER_TIMEOUT';

/** The state of one request and its run. It determines how the handler ended, and settles the run once. */
export class RequestState {
  readonly #options: RequestStateOptions;
  #progress: Progress = { kind: 'before' };
  #failure: unknown = null;
  #statusOfTimeout: number | null = null;
  #settling: Promise<void> | null = null;
  #fault: Error | null = null;
  #isFaultThrown = false;
  #isCut = false;
  /** Whether `completeWithin` was called outside of a transaction, so that other writes may be outside as well. */
  #isOutside = false;
  readonly #result: RunResult;
  readonly #completions: WatchedPromise<void>[] = [];

  constructor(options: RequestStateOptions) {
    this.#options = options;
    this.#result = new RunResult(options);
    options.reply.raw.once('finish', () => this.#noteEnd('finished'));
    options.reply.raw.once('close', () => this.#noteEnd('cut'));
  }

  /**
   * Whether it is the handler that sends now. The reply to a failure, such as a timeout, is not from it. Once that has
   * ended, only the handler is left.
   */
  #isSending(): boolean {
    return this.#progress.kind === 'running' && (this.#failure === null || this.#options.reply.sent);
  }

  /** The handler has hijacked the reply. A response whose client has left before has no more events. */
  noteHijacked(): void {
    if (isClosed(this.#options.reply.raw)) this.#noteEnd('cut');
  }

  /** The reply is sent with this value. */
  noteSent(payload: unknown): void {
    this.#result.noteSent(payload, this.#isSending());
  }

  /** Runs the handler and watches it. Fastify receives its result unchanged. */
  observe(handle: () => unknown): unknown {
    this.#progress = { kind: 'running', observed: false };
    let result: unknown;
    try {
      result = handle();
    } catch (error) {
      this.#noteThrown(error);
      throw error;
    }
    if (result === undefined || result === this.#options.reply) return result;
    if (!isThenable(result)) {
      this.#noteReturned(result);
      return result;
    }
    this.#progress = { kind: 'running', observed: true };
    result.then(
      (value) => {
        if (this.#isObserved()) this.#noteReturned(value);
      },
      (error: unknown) => this.#noteThrown(error),
    );
    return result;
  }

  /**
   * A promise that is resolved with the reply follows the reply. It ends when the connection does, even if the
   * connection was cut while the handler is still running. In that case the reply that is sent counts, not the promise.
   */
  noteFollowed(): void {
    if (this.#isObserved() && !this.#options.reply.sent) this.#progress = { kind: 'running', observed: false };
  }

  #isObserved(): boolean {
    return this.#progress.kind === 'running' && this.#progress.observed;
  }

  /** Completes the record in the handler's transaction, with the result if the route keeps one. */
  completeWithin(transaction: object, options?: CompleteWithinOptions): Promise<void> {
    // Only this line detects a handler that did not wait for its transaction. The call fails; the outcome is recorded.
    if (this.#settling !== null)
      this.#options.warn(new IdempotencyNotCompletedError(this.#options.route, 'awaited').message);
    const completion = WatchedPromise.watch(this.#completeWithin(transaction, options));
    this.#completions.push(completion);
    return completion;
  }

  async #completeWithin(transaction: object, options: CompleteWithinOptions = {}): Promise<void> {
    const result = this.#result.given(options);
    try {
      await this.#options.run.completeWithin(transaction, { also: options.also ?? null, result });
    } catch (error) {
      this.#isOutside ||= isRefusalOfCompletion(error);
      throw error;
    }
    this.#result.noteCommitted(result);
  }

  /** Called with any error that goes to the error handler. */
  noteFailure(error: unknown): void {
    this.#failure = error;
  }

  /**
   * Records the outcome before the reply is sent. Rejects if the handler succeeded without a committed completion, or
   * without the `begin` that it should have called. Resolves to false for the reply of the error handler to that.
   *
   * @param payload of the reply. Default: what was given to it last
   */
  async completeBeforeReply(payload: unknown = this.#result.sentPayload): Promise<boolean> {
    const { reply } = this.#options;
    // The value is read now, so that a handler that sends two replies gets the fault for both.
    const isReplyToFault = this.#isFaultThrown;
    const isOver = this.#settling === null && !this.#continues();
    if (isOver) {
      // A hook, or the serializer, refused what the handler had sent: what it did stands.
      const head = headOf(reply, payload);
      const refused = head.status >= 400 ? this.#result.success : null;
      this.#settleAnswer(refused ?? head);
    }
    await this.#settling;
    if (this.#fault === null || isReplyToFault) return !isReplyToFault;
    this.#isFaultThrown = true;
    // The resource that it names may have been rolled back.
    reply.removeHeader('location');
    throw this.#fault;
  }

  /**
   * The same, for a plugin that asks whether the success stands. For a reply that the handler took over, it asks when
   * the last part is about to be sent, or the connection has ended.
   */
  confirmReply(): Promise<boolean> {
    return this.#options.reply.sent ? this.#confirmTakenOver() : this.completeBeforeReply();
  }

  async #confirmTakenOver(): Promise<boolean> {
    const { run } = this.#options;
    // Others may hear of the end of the response first.
    await null;
    this.#noteEnd('finished');
    await this.#settling;
    if (this.#fault !== null) throw this.#fault;
    if (!this.#isCut) return true;
    return run.isCompletedWithin && (await run.settle('submitted')) === 'settled';
  }

  /** A handler that timed out is still at work, and its end counts. If it can't be observed, the outcome is unknown. */
  #continues(): boolean {
    if (this.#progress.kind !== 'running' || !hasCode(this.#failure, HANDLER_TIMEOUT)) return false;
    if (this.#isObserved()) this.#statusOfTimeout = this.#options.reply.statusCode;
    else this.#settle('unknown');
    return true;
  }

  #noteReturned(value: unknown): void {
    if (this.#settling !== null || value === this.#options.reply) return;
    // Fastify treats a returned error like a thrown one.
    if (value instanceof Error) {
      this.#noteThrown(value);
      return;
    }
    const { reply } = this.#options;
    // For a hijacked reply the end of the response counts.
    if (reply.sent && !reply.raw.writableEnded) return;
    this.#settleAnswer(headOf(reply, this.#result.noteReturned(value), this.#statusOfHandler()));
  }

  #noteThrown(error: unknown): void {
    this.#progress = { kind: 'threw', error };
    // The error handler decides the status. If the reply was already sent, the error does.
    if (this.#settling === null && this.#options.reply.sent) this.#settle(this.#outcomeOf(statusOf(error)));
  }

  /**
   * Settles a reply that the handler, or a hook before it, hijacked. Other replies are already settled, or continue.
   */
  #noteEnd(end: 'finished' | 'cut'): void {
    const { reply } = this.#options;
    if (this.#settling !== null || !reply.sent || hasCode(this.#failure, HANDLER_TIMEOUT)) return;
    this.#isCut = end === 'cut';
    if (this.#isCut) this.#settle('unknown');
    else this.#settleAnswer({ status: reply.raw.statusCode, location: reply.raw.getHeader('location') });
  }

  /**
   * If the handler set no status after a timeout, the status is still that of the timeout, and the handler has
   * succeeded.
   */
  #statusOfHandler(): number {
    const { statusCode } = this.#options.reply;
    return statusCode === this.#statusOfTimeout ? 200 : statusCode;
  }

  #outcomeOf(status: number): Outcome {
    if (status < 400) return 'submitted';
    // A hook before the handler or the handler refused the request, or its transaction was rolled back.
    if (this.#progress.kind === 'before') return 'nothing-done';
    if (this.#isOutside) return 'unknown';
    if (status < 500 || this.#options.isTransactional) return 'nothing-done';
    const error = this.#progress.kind === 'threw' ? this.#progress.error : this.#failure;
    return this.#options.isSafeFailure(error) ? 'nothing-done' : 'unknown';
  }

  #settleAnswer(head: AnswerHead): void {
    const outcome = this.#outcomeOf(head.status);
    const { isCompletedWithin } = this.#options.run;
    this.#settle(outcome, outcome === 'submitted' ? this.#result.final(head, isCompletedWithin) : null);
  }

  #settle(outcome: Outcome, result: KeptResult | null = null): void {
    this.#settling = this.#record(outcome, result);
  }

  async #record(outcome: Outcome, result: KeptResult | null): Promise<void> {
    const { run, warn } = this.#options;
    const seen = outcome === 'submitted' ? this.#mistakeOfHandler() : null;
    const settlement = await run.settle(seen === null ? outcome : 'unknown', result);
    const mistake = seen ?? this.#mistakeShownBy(settlement);
    // The error handler of the application may not log it, and is not called after a timeout.
    if (mistake !== null) warn(mistake.message);
    this.#fault = mistake ?? (settlement === 'unconfirmed' ? new IdempotencyOutcomeUnknownError() : null);
  }

  #mistakeShownBy(settlement: Settlement): Error | null {
    const { route } = this.#options;
    if (settlement === 'rolled-back') return new IdempotencyNotCompletedError(route, 'committed');
    return settlement === 'open' ? new IdempotencyNotCompletedError(route, 'awaited') : null;
  }

  /** The mistake of a handler that has succeeded, if its calls show one. */
  #mistakeOfHandler(): Error | null {
    const { run, isTransactional, route } = this.#options;
    if (!run.isBegun) return new IdempotencyNotBegunError();
    if (!this.#completions.every(({ hasBeenAwaited }) => hasBeenAwaited)) {
      return new IdempotencyNotCompletedError(route, 'awaited');
    }
    if (run.isCompletedWithin) return null;
    if (this.#completions.length > 0) return new IdempotencyNotCompletedError(route, 'heeded');
    return isTransactional ? new IdempotencyNotCompletedError(route, 'called') : null;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : 500;
}
