/** The reaction of a client to a refusal. Some errors carry it as `clientAction`. */
export type Retry =
  /** Nothing: the same client gets the same answer. */
  | 'never'
  /** Sends another request: this one breaks a rule. */
  | 'correct-request'
  /** Signs in, and sends the request again. */
  | 'sign-in'
  /** Sends the same request later: after `Retry-After`, if the answer has it. */
  | 'wait-then-retry'
  /** Finds out whether the request took effect, before it is sent again. */
  | 'check-then-retry'
  /** Reads what it wanted to change again. */
  | 'read-again'
  /** Shows what was found, and sends the request again with `confirm: true` if its user agrees. */
  | 'confirm'
  /** Answers a captcha, and asks again. */
  | 'answer-captcha'
  /** Has a new one-time code sent. */
  | 'request-new-code'
  /** Asks for a new ticket. */
  | 'new-ticket'
  /** Reads the public key and the time of the service again, and seals the request again, once. */
  | 'seal-again'
  /** Sends the request with an `Idempotency-Key`. */
  | 'send-key'
  /** Sends the same request with the same `Idempotency-Key`. */
  | 'retry-same-key'
  /** Sends the request with a new `Idempotency-Key`. */
  | 'new-key'
  /** Finds out whether the request took effect. If it did not, sends it with a new `Idempotency-Key`. */
  | 'check-then-new-key'
  /** Shows the result: the request has taken effect. */
  | 'refresh-and-view';

/** One way in which a client is refused. */
export interface Refusal {
  /** The HTTP status. 500: a fault of the program, not of the client. */
  readonly status: number;
  readonly retry: Retry;
  /**
   * The `message` of the error, for logs and for Fastify's own error handler. Each `%s` is an argument of the error's
   * constructor. Default: the first sentence of `en`, without its full stop.
   */
  readonly message?: string;
  /** The text for people: it says what happened and what to do. */
  readonly en: string;
  readonly 'zh-CN': string;
}

/** By the code, which is stable, for programs. */
export type Refusals = Readonly<Record<string, Refusal>>;

/**
 * The table of everything that a package refuses its clients with. `keyof typeof` the table is the union of its codes.
 * `refusalError` of `@sallyport/plugin-kit/refusal-errors` makes the error classes from it.
 *
 * @example
 * ```ts
 * export const refusals = defineRefusals({
 *   KEY_MISSING: { status: 401, retry: 'sign-in', en: 'Show your key.', 'zh-CN': '请出示密钥。' },
 *   ROOM_CLOSED: { status: 409, retry: 'never', message: '%s is closed', en: 'It is closed.', 'zh-CN': '已关闭。' },
 * });
 * export type RoomRefusalCode = keyof typeof refusals;
 * ```
 */
export function defineRefusals<const Table extends Refusals>(table: Table): Table {
  return table;
}
