import { callback, hasMethods, isRandomEnough, option, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { earlierRoutesRule, type PluginScope, scopeRule } from '@sallyport/plugin-kit/routes';
import { keyPrefixRule } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { IdempotencySetupError } from './errors.js';
import { nameRequestPrincipal } from './principal.js';
import { createTtlRecordStore, type IdempotencyStore, type RecordStore, type RecordTtlStore } from './records/index.js';

/** Options of the plugin. */
export interface IdempotencyOptions {
  /**
   * The store of the records: any `TtlStore`, or `createPostgresIdempotencyStore({ database })`, whose records commit
   * in the handler's own transaction. The reference compares their guarantees. Required.
   */
  readonly store: RecordTtlStore | IdempotencyStore;
  /**
   * Returns the sender of the request: a non-empty text, or null for a caller who is not signed in, on public routes
   * only. Anything else, such as undefined or a promise, is an `IdempotencySetupError`, and the handler doesn't run.
   * Two principals never share a key. Default: `audience:subject` of `request.principal`, as @sallyport/auth-tokens
   * sets it. A `:` or `%` of the audience is percent-encoded.
   */
  readonly principalOf?: (request: FastifyRequest) => string | null;
  /**
   * Whether a route needs no sign-in, by its `config`. Such a route may opt in only with `captcha: true` and a
   * `rateLimit`. Default: `config.access === 'public'`.
   */
  readonly isPublic?: (config: Readonly<Record<string, unknown>>) => boolean;
  /**
   * Whether a handler that failed with this error certainly had no effect, although the status is 5xx. The same key may
   * then run again. Default: `error.idempotencySafe === true`.
   */
  readonly isSafeFailure?: (error: unknown) => boolean;
  /**
   * How long a run may go without a renewal before it counts as dead, in seconds, 1 to 3600. It is renewed while the
   * handler runs. Default 30.
   */
  readonly leaseSeconds?: number;
  /**
   * How long a record is kept after its last change, in seconds, from twice the lease to 34 560 000 (400 days). Default
   * 86 400.
   */
  readonly retentionSeconds?: number;
  /**
   * The `Retry-After` of `IDEMPOTENCY_PROCESSING` and `IDEMPOTENCY_STORE_UNAVAILABLE`, in seconds, 1 to 3600. Default
   * 1.
   */
  readonly retryAfterSeconds?: number;
  /** The prefix of the keys in a `TtlStore`, 1 to 256 bytes. Default `idempotency:`. */
  readonly keyPrefix?: string;
  /**
   * Keys of 32 random bytes, such as `randomBytes(32)`, for the answers of routes with `result: 'body'`. The first one
   * seals, each of them opens; what an absent key has sealed is a 409 again. Keep them out of the store. Default: none.
   */
  readonly answerKeys?: readonly Uint8Array[];
  /**
   * The scope in which routes may opt in: the whole application (`app`), or the scope in which the plugin is registered
   * (`encapsulated`). Default `app`.
   */
  readonly scope?: PluginScope;
  /**
   * Whether routes that opt in may be registered before the plugin: their requests are refused. Default false: they
   * stop the start. Routes that don't opt in may always be.
   */
  readonly allowEarlierRoutes?: boolean;
}

/** The defaults of {@link IdempotencyOptions}. */
export const IDEMPOTENCY_DEFAULTS = {
  principalOf: nameRequestPrincipal,
  isPublic: (config: Readonly<Record<string, unknown>>) => config.access === 'public',
  isSafeFailure: (error: unknown) =>
    typeof error === 'object' && error !== null && 'idempotencySafe' in error && error.idempotencySafe === true,
  leaseSeconds: 30,
  retentionSeconds: 24 * 3600,
  retryAfterSeconds: 1,
  keyPrefix: 'idempotency:',
  answerKeys: [],
  scope: 'app',
  allowEarlierRoutes: false,
} as const;

/** Validated options. */
export interface CheckedOptions extends Omit<Required<IdempotencyOptions>, 'store' | 'keyPrefix'> {
  readonly records: RecordStore;
  /** Whether `principalOf` is the default, which needs `request.principal`. */
  readonly needsPrincipal: boolean;
}

const MAX_LEASE_SECONDS = 3600;
const MAX_RETENTION_SECONDS = 400 * 24 * 3600;
const MAX_RETRY_AFTER_SECONDS = 3600;

const ANSWER_KEY_BYTES = 32;

const TTL_VERBS = ['compareAndDelete', 'compareAndSet', 'get', 'set', 'setIfAbsent'] as const;

const rules = {
  store: option<RecordTtlStore | IdempotencyStore>({
    meaning: 'a TtlStore, such as one of @sallyport/ttl-store, or createPostgresIdempotencyStore(…)',
    accepts: (value) => isIdempotencyStore(value) || isTtlStore(value),
  }),
  principalOf: callback<Required<IdempotencyOptions>['principalOf']>({
    that: 'takes a request and returns a non-empty text or null',
    default: IDEMPOTENCY_DEFAULTS.principalOf,
  }),
  isPublic: callback<Required<IdempotencyOptions>['isPublic']>({
    that: "takes a route's config and returns a boolean",
    default: IDEMPOTENCY_DEFAULTS.isPublic,
  }),
  isSafeFailure: callback<Required<IdempotencyOptions>['isSafeFailure']>({
    that: 'takes an error and returns a boolean',
    default: IDEMPOTENCY_DEFAULTS.isSafeFailure,
  }),
  leaseSeconds: seconds(1, MAX_LEASE_SECONDS, IDEMPOTENCY_DEFAULTS.leaseSeconds),
  retentionSeconds: seconds(2, MAX_RETENTION_SECONDS, IDEMPOTENCY_DEFAULTS.retentionSeconds),
  retryAfterSeconds: seconds(1, MAX_RETRY_AFTER_SECONDS, IDEMPOTENCY_DEFAULTS.retryAfterSeconds),
  keyPrefix: keyPrefixRule({ default: IDEMPOTENCY_DEFAULTS.keyPrefix }),
  answerKeys: option<readonly Uint8Array[]>({
    meaning: 'a list of keys, each of 32 random bytes',
    accepts: (value) => Array.isArray(value) && value.every(isAnswerKey),
    default: IDEMPOTENCY_DEFAULTS.answerKeys,
  }),
  scope: scopeRule,
  allowEarlierRoutes: earlierRoutesRule,
};

function isAnswerKey(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === ANSWER_KEY_BYTES && isRandomEnough(value);
}

/** @throws IdempotencySetupError with every fault */
export function readIdempotencyOptions(given: IdempotencyOptions): CheckedOptions {
  const { store, keyPrefix, ...options } = readOptions<Required<IdempotencyOptions>>(
    { subject: 'idempotency', SetupError: IdempotencySetupError, isPlugin: true },
    given,
    rules,
    leaseFaults,
  );
  const terms = { leaseMillis: options.leaseSeconds * 1000, retentionMillis: options.retentionSeconds * 1000 };
  const records = isIdempotencyStore(store) ? store.openRecords(terms) : createTtlRecordStore(store, keyPrefix, terms);
  return { ...options, records, needsPrincipal: options.principalOf === rules.principalOf.defaultValue };
}

/** If a record expired before its lease, a second run could start. */
function leaseFaults({ leaseSeconds, retentionSeconds }: Partial<IdempotencyOptions>): readonly string[] {
  if (leaseSeconds === undefined || retentionSeconds === undefined || retentionSeconds >= 2 * leaseSeconds) return [];
  return ['retentionSeconds must be at least twice leaseSeconds'];
}

function seconds(min: number, max: number, byDefault: number) {
  return wholeNumber({ min, max, unit: 'seconds', default: byDefault });
}

function isIdempotencyStore(store: unknown): store is IdempotencyStore {
  return hasMethods(store, ['openRecords']);
}

function isTtlStore(store: unknown): boolean {
  return hasMethods(store, TTL_VERBS) && ['process', 'shared'].includes((store as RecordTtlStore).lifetime);
}
