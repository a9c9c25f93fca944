import { MAX_KEY_PREFIX_BYTES } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { IdempotencySetupError } from './errors.js';
import type { RecordStore, RecordTerms } from './records/index.js';
import { createTtlRecordStore, type RecordTtlStore } from './records/index.js';

/** A store made for idempotency records, such as `createPostgresIdempotencyStore` of `@sallyport/idempotency/postgres`. */
export interface IdempotencyStore {
  /** Opens it with the plugin's terms. */
  openRecords(terms: RecordTerms): RecordStore;
}

/** Options of the plugin. */
export interface IdempotencyOptions {
  /**
   * Where records live: any `TtlStore`, or `createPostgresIdempotencyStore({ database })`, whose records commit in the
   * handler's own transaction. The README says which guarantees what. Required. Requirements IDM-7, IDM-9.
   */
  readonly store: RecordTtlStore | IdempotencyStore;
  /**
   * Who sends the request; null for a caller who didn't sign in. Two principals never share a key. Default:
   * `audience:subject` of `request.principal`, as @sallyport/auth-tokens sets it. Requirement IDM-2.
   */
  readonly principalOf?: (request: FastifyRequest) => string | null;
  /**
   * Whether callers of a route needn't sign in, by its `config`. Such a route may opt in only with `captcha: true` and a
   * `rateLimit`. Default: `config.access === 'public'`. Requirement IDM-8.
   */
  readonly isPublic?: (config: Readonly<Record<string, unknown>>) => boolean;
  /**
   * Whether a handler that failed with this error has surely done nothing, although the status is 5xx: the same key may
   * then run again. Default: `error.idempotencySafe === true`. Requirement IDM-6.
   */
  readonly isSafeFailure?: (error: unknown) => boolean;
  /** How long a run may be silent before it counts as dead, in seconds, 1 to 3600. It is renewed while the handler runs. Default 30. Requirement IDM-6. */
  readonly leaseSeconds?: number;
  /** How long a record is kept from its last change on, in seconds, twice the lease to 34 560 000 (400 days). Default 86 400. Requirement IDM-5. */
  readonly retentionSeconds?: number;
  /** The `Retry-After` of `IDEMPOTENCY_PROCESSING` and `IDEMPOTENCY_STORE_UNAVAILABLE`, in seconds, 1 to 3600. Default 1. Requirement IDM-3. */
  readonly retryAfterSeconds?: number;
  /** What the keys in a `TtlStore` begin with. 1 to 256 bytes. Default `idempotency:`. */
  readonly keyPrefix?: string;
}

/** The defaults of {@link IdempotencyOptions}. */
export const IDEMPOTENCY_DEFAULTS = {
  principalOf: ({ principal }: { principal?: { audience: string; subject: string } | null }) =>
    principal == null ? null : `${principal.audience}:${principal.subject}`,
  isPublic: (config: Readonly<Record<string, unknown>>) => config.access === 'public',
  isSafeFailure: (error: unknown) =>
    typeof error === 'object' && error !== null && 'idempotencySafe' in error && error.idempotencySafe === true,
  leaseSeconds: 30,
  retentionSeconds: 24 * 3600,
  retryAfterSeconds: 1,
  keyPrefix: 'idempotency:',
} as const;

/** Options with nothing left to doubt. */
export interface CheckedOptions extends Omit<Required<IdempotencyOptions>, 'store' | 'keyPrefix'> {
  readonly records: RecordStore;
}

const MAX_LEASE_SECONDS = 3600;
const MAX_RETENTION_SECONDS = 400 * 24 * 3600;

const TTL_VERBS = ['compareAndDelete', 'compareAndSet', 'get', 'set', 'setIfAbsent'] as const;

/** @throws IdempotencySetupError naming every fault at once. */
export function checkOptions(given: IdempotencyOptions): CheckedOptions {
  const options = { ...IDEMPOTENCY_DEFAULTS, ...withoutUndefined(given) };
  const { store, leaseSeconds, retentionSeconds, keyPrefix } = options;
  const faults = [
    ...unknownNames(given),
    ...(isIdempotencyStore(store) || isTtlStore(store)
      ? []
      : ['store must be a TtlStore, such as one of @sallyport/ttl-store, or createPostgresIdempotencyStore(…)']),
    ...functionFault('principalOf', options.principalOf, 'takes a request and returns a text or null'),
    ...functionFault('isPublic', options.isPublic, "takes a route's config"),
    ...functionFault('isSafeFailure', options.isSafeFailure, 'takes an error'),
    ...secondsFault('leaseSeconds', leaseSeconds, 1, MAX_LEASE_SECONDS),
    // A record that could go before its lease would let a second run in.
    ...secondsFault('retentionSeconds', retentionSeconds, 2 * (Number(leaseSeconds) || 1), MAX_RETENTION_SECONDS),
    ...secondsFault('retryAfterSeconds', options.retryAfterSeconds, 1, 3600),
    ...(isKeyPrefix(keyPrefix)
      ? []
      : [`keyPrefix must be a text of 1 to ${MAX_KEY_PREFIX_BYTES} bytes without U+0000, such as 'idempotency:'`]),
  ];
  if (faults.length > 0) throw new IdempotencySetupError(faults.join('; '));
  const terms = { leaseMillis: leaseSeconds * 1000, retentionMillis: retentionSeconds * 1000 };
  const records = isIdempotencyStore(store) ? store.openRecords(terms) : createTtlRecordStore(store, keyPrefix, terms);
  return { ...options, principalOf: options.principalOf as CheckedOptions['principalOf'], records };
}

function isIdempotencyStore(store: unknown): store is IdempotencyStore {
  return hasMethods(store, ['openRecords']);
}

function isTtlStore(store: unknown): boolean {
  return hasMethods(store, TTL_VERBS) && ['process', 'shared'].includes((store as RecordTtlStore).lifetime);
}

function hasMethods(owner: unknown, names: readonly string[]): boolean {
  if (typeof owner !== 'object' || owner === null) return false;
  return names.every((name) => typeof Reflect.get(owner, name) === 'function');
}

/** A misspelt name would leave its option at the default, unseen. */
function unknownNames(given: object | undefined): string[] {
  const known = ['store', ...Object.keys(IDEMPOTENCY_DEFAULTS)];
  return Object.keys(given ?? {})
    .filter((name) => !known.includes(name) && name !== 'prefix')
    .map((name) => `${name} is no option; there are ${known.join(', ')}`);
}

function functionFault(name: string, value: unknown, meant: string): string[] {
  return typeof value === 'function' ? [] : [`${name} must be a function that ${meant}`];
}

function secondsFault(name: string, value: unknown, least: number, most: number): string[] {
  const isRight = typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
  return isRight ? [] : [`${name} must be a whole number of seconds from ${least} to ${most}`];
}

function isKeyPrefix(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return Buffer.byteLength(value) <= MAX_KEY_PREFIX_BYTES && !/[\0\p{Surrogate}]/u.test(value);
}

/** An option that is there as undefined is one that wasn't given. */
function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as T;
}
