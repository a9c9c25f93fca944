import type { FastifyReply } from 'fastify';
import { IdempotencyNotCompletedError } from '../errors.js';
import type { Outcome, Run } from '../runs/index.js';

/** How far the handler came. `observed`: it returned a promise of its end, which is seen whether or not a reply is sent. */
type Progress =
  | { readonly kind: 'before' }
  | { readonly kind: 'running'; readonly observed: boolean }
  | { readonly kind: 'threw'; readonly error: unknown };

export interface ExchangeOptions {
  readonly run: Run;
  readonly reply: FastifyReply;
  readonly isTransactional: boolean;
  readonly isSafeFailure: (error: unknown) => boolean;
}

/** Error code of Fastify for `handlerTimeout`: the reply goes, the handler runs on. */
const HANDLER_TIMEOUT = 'FST_ERR_HANDLER_TIMEOUT';

/** One request with its run: finds out how the handler ended, and settles the run once. */
export class Exchange {
  readonly #options: ExchangeOptions;
  #progress: Progress = { kind: 'before' };
  #failure: unknown = null;
  #statusOfTimeout: number | null = null;
  #settling: Promise<void> | null = null;
  #fault: Error | null = null;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    options.reply.raw.once('finish', () => this.#noteEnd('finished'));
    options.reply.raw.once('close', () => this.#noteEnd('cut'));
  }

  /** Runs the handler and watches it. Its result goes on to Fastify as it is. */
  observe(handle: () => unknown): unknown {
    this.#progress = { kind: 'running', observed: false };
    this.#watchReply();
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
   * A promise that was resolved with the reply follows it: it ends when the connection does, be it cut, while the handler
   * may still be at work. What counts is then what it sends.
   */
  #watchReply(): void {
    const { reply } = this.#options;
    const { then } = reply;
    // biome-ignore lint/suspicious/noThenProperty: a reply has one, and promises ask for no other
    reply.then = (...listeners) => {
      if (this.#isObserved() && !reply.sent) this.#progress = { kind: 'running', observed: false };
      then.apply(reply, listeners);
    };
  }

  #isObserved(): boolean {
    return this.#progress.kind === 'running' && this.#progress.observed;
  }

  /** Any error on its way to the error handler. */
  noteFailure(error: unknown): void {
    this.#failure = error;
  }

  /** Before a reply leaves: the outcome is recorded first. Rejects, once, when the handler broke its promise. */
  async completeBeforeReply(): Promise<void> {
    if (this.#settling === null && !this.#goesOn()) this.#settle(this.#outcomeOf(this.#options.reply.statusCode));
    await this.#settling;
    const fault = this.#fault;
    this.#fault = null;
    if (fault !== null) throw fault;
  }

  /** A handler that timed out is still at work, and its end is what counts; one that can't be observed is lost sight of. */
  #goesOn(): boolean {
    if (this.#progress.kind !== 'running' || !hasCode(this.#failure, HANDLER_TIMEOUT)) return false;
    if (this.#isObserved()) this.#statusOfTimeout = this.#options.reply.statusCode;
    else this.#settle('unknown');
    return true;
  }

  #noteReturned(value: unknown): void {
    if (this.#settling !== null || value === this.#options.reply) return;
    // Fastify takes an error that is returned for one that was thrown.
    if (value instanceof Error) {
      this.#noteThrown(value);
      return;
    }
    const { reply } = this.#options;
    if (reply.sent && !reply.raw.writableEnded) return; // Hijacked: the end of the response is what counts.
    // A `Response` sets its status later.
    this.#settle(this.#outcomeOf(value instanceof Response ? value.status : this.#statusOfHandler()));
  }

  #noteThrown(error: unknown): void {
    this.#progress = { kind: 'threw', error };
    // With a reply on its way, the error handler decides the status; without one, the error.
    if (this.#settling === null && this.#options.reply.sent) this.#settle(this.#outcomeOf(statusOf(error)));
  }

  /** A hijacked reply, by the handler or a hook before it, is settled when it ends. Others have been settled, or go on. */
  #noteEnd(end: 'finished' | 'cut'): void {
    const { reply } = this.#options;
    if (this.#settling !== null || !reply.sent || hasCode(this.#failure, HANDLER_TIMEOUT)) return;
    this.#settle(end === 'finished' ? this.#outcomeOf(reply.raw.statusCode) : 'unknown');
  }

  /** After a timeout the status is that of the timeout, unless the handler set another: else it has succeeded. */
  #statusOfHandler(): number {
    const { statusCode } = this.#options.reply;
    return statusCode === this.#statusOfTimeout ? 200 : statusCode;
  }

  #outcomeOf(status: number): Outcome {
    if (status < 400) return 'submitted';
    // A hook refused before the handler; or the handler refused; or all that it did was rolled back with its transaction.
    if (this.#progress.kind === 'before' || status < 500 || this.#options.isTransactional) return 'nothing-done';
    const error = this.#progress.kind === 'threw' ? this.#progress.error : this.#failure;
    return this.#options.isSafeFailure(error) ? 'nothing-done' : 'unknown';
  }

  #settle(outcome: Outcome): void {
    const { run, isTransactional } = this.#options;
    if (outcome === 'submitted' && isTransactional && !run.isCompletedWithin) {
      this.#fault = new IdempotencyNotCompletedError();
      this.#settling = run.settle('unknown');
    } else {
      this.#settling = run.settle(outcome);
    }
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
