import { isResponse } from '@sallyport/plugin-kit/routes';
import type { FastifyReply } from 'fastify';
import { IdempotencySetupError } from '../errors.js';
import type { KeptResult } from '../records/index.js';
import { readAnswer, writeAnswer } from './kept-answer.js';
import type { RouteSettings } from './route-settings.js';

/** Longer values are useless in a header: servers and proxies accept about 8 KiB for all headers together. */
const MAX_LOCATION_BYTES = 2048;

/** RFC 3986: a URI is written in visible ASCII. Anything else must be percent-encoded. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The part of an answer that is kept, and the reason if its `Location` can't be kept. */
export interface ResultReading {
  readonly result: KeptResult;
  readonly fault: string | null;
}

/** The status of an answer and its `Location`, not checked yet: undefined or null without one. */
export interface AnswerHead {
  readonly status: number;
  readonly location: unknown;
}

/**
 * The head that a reply will have with this payload. Fastify applies the status and the headers of a fetch `Response`
 * later, over those of the reply.
 *
 * @param status of any other payload
 */
export function headOf(reply: FastifyReply, payload?: unknown, status = reply.statusCode): AnswerHead {
  return isResponse(payload)
    ? { status: payload.status, location: payload.headers.get('location') ?? reply.getHeader('location') }
    : { status, location: reply.getHeader('location') };
}

function readResult({ status, location }: AnswerHead): ResultReading {
  const fault = location === undefined || location === null ? null : faultOf(location);
  return { result: { status, location: typeof location === 'string' && fault === null ? location : null }, fault };
}

function faultOf(location: unknown): string | null {
  if (typeof location !== 'string') return 'it is not one text';
  if (location.length > MAX_LOCATION_BYTES) return `it is longer than ${MAX_LOCATION_BYTES} bytes`;
  if (VISIBLE_ASCII.test(location)) return null;
  return location === '' ? 'it is empty' : 'it has characters other than visible ASCII; percent-encode them';
}

/** Options of `request.idempotency.completeWithin`. */
export interface CompleteWithinOptions {
  /**
   * A drizzle `SQL` of an insert, update or delete that is sent in the same statement: one round trip instead of two.
   * Make it depend on `isCompleted` of `@sallyport/idempotency/postgres`, so that it has no effect where the record is
   * not completed. Default null: nothing.
   */
  readonly also?: object | null;
  /**
   * On a route with `result: 'location'` or `'body'`: the `Location` that the reply will have, since the record commits
   * before the reply exists. Null: none. Default: the header that the reply has now.
   */
  readonly location?: string | null;
  /**
   * On a route with `result: 'location'` or `'body'`: the status that the reply will have, 100 to 399. Default: the
   * status that the reply has now, which is 200 until the handler sets one.
   */
  readonly status?: number;
  /**
   * On a route with `result: 'body'`: the JSON value that the reply will have, which commits with the record. Headers
   * are those that the reply has now. Default: no answer is kept, and a retry gets 409.
   */
  readonly body?: unknown;
}

/** @throws IdempotencySetupError for values that are never right, and on a route that keeps no result */
function refuseBadResult({ location, status, body }: CompleteWithinOptions, keeps: RouteSettings['keeps']): void {
  const faults: string[] = [];
  if (keeps === 'none' && (location !== undefined || status !== undefined)) {
    faults.push("location and status are for routes with config.idempotency.result: 'location' or 'body'");
  }
  if (keeps !== 'body' && body !== undefined) {
    faults.push("body is for routes with config.idempotency.result: 'body'");
  }
  if (location !== undefined && location !== null && typeof location !== 'string') {
    faults.push('location must be a string or null');
  }
  if (status !== undefined && !(Number.isInteger(status) && status >= 100 && status <= 399)) {
    faults.push('status must be a whole number from 100 to 399, the status of the answer');
  }
  if (faults.length > 0) throw new IdempotencySetupError('completeWithin', faults);
}

export interface RunResultOptions extends Pick<RouteSettings, 'keeps' | 'keptHeaders'> {
  readonly reply: FastifyReply;
  /** Seals the text of an answer for the record of the run. */
  readonly seal: (text: string) => string;
  /** Called if a part is not kept, and for an answer that differs from the kept one. */
  readonly warn: (message: string) => void;
}

/** The kept part of the answer of one run. */
export class RunResult {
  readonly #options: RunResultOptions;
  /** The value that the handler gave to the reply, before hooks and the schema of the route. */
  #sent: { readonly body: unknown } | null = null;
  /** The same, if the handler itself sent it. */
  #sentByHandler: { readonly body: unknown } | null = null;
  #success: AnswerHead | null = null;
  #committed: KeptResult | null = null;
  /** The answer that was sealed last, as text. */
  #text: string | null = null;

  constructor(options: RunResultOptions) {
    this.#options = options;
  }

  /**
   * Fastify sends the value that a handler returns in the same way.
   *
   * @param isOfHandler whether it is the handler that sends now
   */
  noteSent(payload: unknown, isOfHandler: boolean): void {
    this.#sent = { body: payload };
    if (isOfHandler && !(payload instanceof Error)) this.#noteOfHandler(payload);
  }

  #noteOfHandler(payload: unknown): void {
    this.#sentByHandler = { body: payload };
    const sent = headOf(this.#options.reply, payload);
    if (sent.status < 400) this.#success = sent;
  }

  /** The success that the handler has sent, before hooks and the serializer. */
  get success(): AnswerHead | null {
    return this.#success;
  }

  /** Undefined if none was sent. */
  get sentPayload(): unknown {
    return this.#sent?.body;
  }

  /** The value of a handler that has returned: undefined after it has sent one. */
  noteReturned(value: unknown): unknown {
    if (value === undefined && this.#sentByHandler !== null) this.#sent = this.#sentByHandler;
    else this.#sent = { body: value };
    return this.#sent.body;
  }

  /** The result for `completeWithin`. Null: the route keeps none. */
  given(options: CompleteWithinOptions): KeptResult | null {
    const { keeps, reply } = this.#options;
    refuseBadResult(options, keeps);
    const now = headOf(reply);
    const { status = now.status, location = now.location, body } = options;
    return keeps === 'none' ? null : this.#read({ status, location }, body === undefined ? null : { body });
  }

  noteCommitted(result: KeptResult | null): void {
    this.#committed = result;
  }

  /** The result of a success. After `completeWithin` a retry gets the one that was committed. */
  final(head: AnswerHead, isCompletedWithin: boolean): KeptResult | null {
    if (this.#options.keeps === 'none') return null;
    return isCompletedWithin ? this.#compare(head) : this.#read(head, this.#sent);
  }

  #read(head: AnswerHead, answer: { readonly body: unknown } | null): KeptResult {
    const { keeps, seal, warn } = this.#options;
    const { result, fault } = readResult(head);
    if (fault !== null) warn(`The Location of an idempotent run is not kept: ${fault}`);
    if (keeps !== 'body' || answer === null || head.status < 200 || head.status > 299) return result;
    const reading = readAnswer({ headers: this.#headers(), ...answer });
    if ('fault' in reading) {
      warn(`The answer of an idempotent run is not kept: ${reading.fault}`);
      return result;
    }
    this.#text = reading.text;
    return { ...result, answer: seal(reading.text) };
  }

  #headers(): Record<string, string> {
    const { reply, keptHeaders } = this.#options;
    const values = ['content-type', ...keptHeaders].map((name) => [name, reply.getHeader(name)] as const);
    const kept = values.filter(([, value]) => typeof value === 'string' || typeof value === 'number');
    return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
  }

  #compare(head: AnswerHead): KeptResult | null {
    const { keeps, warn } = this.#options;
    const { result } = readResult(head);
    const committed = this.#committed;
    const isEqual = committed?.status === result.status && committed.location === result.location;
    if (!isEqual || !this.#hasSentKept(committed)) {
      const given = keeps === 'body' ? 'location, status and body' : 'location and status';
      warn(`The answer of an idempotent run differs from that of a retry: give completeWithin its ${given}`);
    }
    return committed;
  }

  #hasSentKept({ answer }: KeptResult): boolean {
    if (answer === undefined || this.#sent === null) return true;
    const sent = writeAnswer({ headers: this.#headers(), ...this.#sent });
    return 'text' in sent && sent.text === this.#text;
  }
}
