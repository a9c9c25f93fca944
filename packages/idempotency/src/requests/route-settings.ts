import { type KnownMembers, unknownNameFaults } from '@sallyport/plugin-kit/options';
import type { DescribedRoute, RouteReading } from '@sallyport/plugin-kit/routes';

/** The settings by which a route opts in: `config.idempotency`. */
export interface IdempotencyRouteOptions extends KnownMembers<IdempotencyRouteOptions> {
  /** Whether a request without the header is refused. Default true. */
  readonly required?: boolean;
  /**
   * Whether the handler commits all its effects in one database transaction, in which it calls
   * `request.idempotency.completeWithin(tx)`. A run that died then had no effect, and a retry runs, so that the effects
   * occur exactly once. Needs the PostgreSQL store. Default false.
   */
  readonly transactional?: boolean;
  /**
   * The content that the digest covers. `'as-sent'`: parameters, query and body before the route's schema coerces them
   * or fills in defaults, for schemas that make other values of the same request (`z.uuid().default(randomUUID)`), or
   * values that are not JSON (`z.coerce.bigint()`). `'in-handler'` is for a body that is a stream, such as an upload.
   * The run then begins when the handler calls `request.idempotency.begin(content)`, not before the handler. Default
   * `'request'`: query and body as the handler sees them.
   */
  readonly content?: 'request' | 'as-sent' | 'in-handler';
  /**
   * The part of the first answer that is kept. `'location'`: its status and its header `Location`. The 409 of a retry
   * has them, so that a client that lost the reply finds the resource that it created. `'body'`: a success (2xx) as a
   * whole, sealed under `answerKeys`. A retry gets it again, with `Idempotent-Replayed: true`. Where it is not kept, a
   * retry gets the 409. Not for secrets that are shown once. Default `'none'`.
   */
  readonly result?: 'none' | 'location' | 'body';
  /**
   * With `result: 'body'`: the headers that are kept with `Content-Type` and `Location`, such as `['etag']`. Never
   * `Set-Cookie`. Default: none.
   */
  readonly resultHeaders?: readonly string[];
}

/** The validated settings of a route. */
export interface RouteSettings {
  readonly isRequired: boolean;
  readonly isTransactional: boolean;
  /** Whether the digest covers what the client sent, before validation. */
  readonly isReadAsSent: boolean;
  /** Whether the handler begins the run. */
  readonly isBegunInHandler: boolean;
  /** The kept part of the first answer. */
  readonly keeps: 'none' | 'location' | 'body';
  /** The further headers that are kept, in lower case. */
  readonly keptHeaders: readonly string[];
}

export interface RouteRules {
  readonly isPublic: (config: Readonly<Record<string, unknown>>) => boolean;
  readonly hasTransactions: boolean;
  readonly hasAnswerKeys: boolean;
}

const SETTINGS = ['required', 'transactional', 'content', 'result', 'resultHeaders'];

const CONTENTS: readonly unknown[] = ['request', 'as-sent', 'in-handler'];

const RESULTS: readonly unknown[] = ['none', 'location', 'body'];

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** They belong to one connection or one session, or each reply has its own. */
const UNKEPT_HEADERS = ['connection', 'content-length', 'date', 'set-cookie', 'trailer', 'transfer-encoding'];

/** Safe methods change nothing, so they need no key (RFC 9110, 9.2.1). */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/** Whether a `config` opts in. */
export function declaresIdempotency({ idempotency }: DescribedRoute['config']): boolean {
  return idempotency !== undefined && idempotency !== false;
}

/** The settings and faults of a route that opts in; null for one that doesn't. */
export function readRouteSettings(
  { methods, config }: DescribedRoute,
  { isPublic, hasTransactions, hasAnswerKeys }: RouteRules,
): RouteReading<RouteSettings | null> {
  const given = config.idempotency;
  if (!declaresIdempotency(config)) return { decision: null, faults: [] };
  const isObject = typeof given === 'object' && given !== null;
  const {
    required = true,
    transactional = false,
    content = 'request',
    result = 'none',
    resultHeaders = [],
    ...unknown
  } = (isObject ? given : {}) as IdempotencyRouteOptions;

  const faults: string[] = [];
  if (given !== true && !isObject) {
    faults.push(
      'config.idempotency must be true, false or { required, transactional, content, result, resultHeaders }',
    );
  }
  for (const fault of unknownNameFaults(Object.keys(unknown), SETTINGS, { path: 'config.idempotency.' })) {
    faults.push(fault);
  }
  if (typeof required !== 'boolean') faults.push(`config.idempotency.required must be true or false`);
  if (typeof transactional !== 'boolean') faults.push(`config.idempotency.transactional must be true or false`);
  if (!CONTENTS.includes(content)) {
    faults.push(`config.idempotency.content must be 'request', 'as-sent' or 'in-handler'`);
  }
  if (!RESULTS.includes(result)) faults.push(`config.idempotency.result must be 'none', 'location' or 'body'`);
  if (!isHeaderList(resultHeaders)) {
    faults.push(`config.idempotency.resultHeaders must be a list of headers, and none of ${UNKEPT_HEADERS.join(', ')}`);
  } else if (resultHeaders.length > 0 && result !== 'body') {
    faults.push("config.idempotency.resultHeaders is for routes with result: 'body'");
  }
  if (result === 'body' && !hasAnswerKeys) faults.push("config.idempotency.result: 'body' needs the option answerKeys");
  if (result === 'body' && content === 'in-handler') {
    faults.push(
      "config.idempotency.result: 'body' needs content: 'request', since the plugin answers before the handler",
    );
  }
  if (methods.some((method) => SAFE_METHODS.includes(method))) {
    faults.push('config.idempotency is for routes that write: give the methods that read a route of their own');
  }
  if (transactional === true && !hasTransactions) {
    faults.push(`config.idempotency.transactional needs createPostgresIdempotencyStore(…) as the store`);
  }
  // IDM-8. Anonymous callers could fill the store with keys at no cost.
  if (isPublic(config)) {
    if (config.captcha !== true) faults.push(`a public route that opts in needs config.captcha: true`);
    if (!hasRateLimit(config.rateLimit)) faults.push(`a public route that opts in needs a config.rateLimit`);
  }
  const decision = {
    isRequired: required === true,
    isTransactional: transactional === true,
    isReadAsSent: content === 'as-sent',
    isBegunInHandler: content === 'in-handler',
    keeps: result,
    keptHeaders: isHeaderList(resultHeaders) ? resultHeaders.map((name) => name.toLowerCase()) : [],
  };
  return { decision, faults };
}

function isHeaderList(value: unknown): value is readonly string[] {
  const isKept = (name: unknown) =>
    typeof name === 'string' && HEADER_NAME.test(name) && !UNKEPT_HEADERS.includes(name.toLowerCase());
  return Array.isArray(value) && value.every(isKept);
}

/** Reads the setting as @fastify/rate-limit does: an object turns it on, `false` turns it off. */
function hasRateLimit(rateLimit: unknown): boolean {
  return typeof rateLimit === 'object' && rateLimit !== null;
}
