import type { ApiRequest } from './api-client.js';

/** What requests are prepared with, before the fault. */
export interface LoadContext {
  readonly origin: string;
  /** A token of the development account, which has every permission. */
  readonly token: string;
}

/** A request that is valid once, with fixtures of its own. */
export interface PreparedRequest {
  readonly path: string;
  readonly request: ApiRequest;
}

export interface WritingOperation {
  /**
   * Whether clients repeat it with the same `Idempotency-Key` until they have a definite answer. Not with a captcha: an
   * attempt that died has used it up, so that a retry needs another one.
   */
  readonly hasKey?: boolean;
  /** Null: this operation can't be prepared on this database. */
  prepare(context: LoadContext): Promise<PreparedRequest | null>;
}
