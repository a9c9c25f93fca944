import { callback, nullable, objectWith, option, readOptions } from '@sallyport/plugin-kit/options';
import { keyPrefixRule, type TtlStore } from '@sallyport/ttl-store';
import { OneTimeCodesSetupError } from './errors.js';
import type { OneTimeCodeListener } from './events.js';
import { ONE_TIME_CODE_DEFAULTS, type OneTimeCodePolicy, policyRule } from './policy.js';

/** The verbs of the store that codes and their limits need. */
export type OneTimeCodeStore = Pick<
  TtlStore,
  'setIfAbsent' | 'get' | 'set' | 'increment' | 'compareAndDelete' | 'delete' | 'changeAll'
>;

/** The part of a logger that is needed; `app.log` and any pino logger have it. */
export interface OneTimeCodesLog {
  error(details: object, message: string): void;
}

/** The message that `send` delivers. */
export interface CodeMessage<Context> {
  readonly recipient: string;
  /** The digits. They are not stored. */
  readonly code: string;
  /** Identifies the code for {@link OneTimeCodes.isLive}. Not secret. */
  readonly id: string;
  /** Null: the code serves every purpose. */
  readonly purpose: string | null;
  /** The time until which the code is valid, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  /** The value that the caller passed to `send`, such as a language. */
  readonly context: Context;
}

/** Options of {@link createOneTimeCodes}. */
export interface OneTimeCodesOptions<Context = undefined> {
  /** The store of codes and counts. Several processes need a shared store. Required. */
  readonly store: OneTimeCodeStore;
  /**
   * The key that hashes recipients, codes and handles, so that the store does not reveal them. At least 32 bytes.
   * Required.
   */
  readonly key: Uint8Array;
  /**
   * Delivers a code, or queues it. Awaited. If it rejects, the code is withdrawn, nothing is counted, and `send`
   * rejects with its error. Required.
   */
  readonly send: (message: CodeMessage<Context>) => unknown;
  /**
   * The limits: an object, in which a missing value has its default; or a function that returns all values, called for
   * every operation, so that dynamic parameters fit. Default: {@link ONE_TIME_CODE_DEFAULTS}.
   */
  readonly policy?: Partial<OneTimeCodePolicy> | (() => OneTimeCodePolicy | Promise<OneTimeCodePolicy>);
  /** The region whose hourly budget a recipient uses, such as `CN`; null: none. Default: null. */
  readonly regionOf?: (recipient: string) => string | null;
  /**
   * A group of recipients that one fraudster may own, such as the leading digits of a number; null: none. The share of
   * used codes is judged for it and for the region. Default: null.
   */
  readonly prefixOf?: (recipient: string) => string | null;
  /** Receives security events, and is awaited. Default: none. */
  readonly onEvent?: OneTimeCodeListener;
  /** Receives, at `error`, failures of `onEvent` and of the work after a sent or used code. Default: null. */
  readonly log?: OneTimeCodesLog | null;
  /** Put before every key in the store, 1 to 256 bytes. Default `one-time-codes:`. */
  readonly keyPrefix?: string;
  /**
   * The clock, in milliseconds since the Unix epoch. Default `Date.now`. The store's clock decides what has expired.
   */
  readonly now?: () => number;
}

/** Validated options. */
export interface ValidOptions<Context> extends Required<Omit<OneTimeCodesOptions<Context>, 'policy'>> {
  readonly policy: OneTimeCodePolicy | (() => OneTimeCodePolicy | Promise<OneTimeCodePolicy>);
}

const MIN_KEY_BYTES = 32;

const rules = {
  store: objectWith<OneTimeCodeStore>({
    methods: ['setIfAbsent', 'get', 'set', 'increment', 'compareAndDelete', 'delete'],
    meaning:
      'a store with setIfAbsent, get, set, increment, compareAndDelete and delete, such as one of @sallyport/ttl-store',
  }),
  key: option<Uint8Array>({
    meaning: `a Uint8Array of at least ${MIN_KEY_BYTES} secret bytes`,
    accepts: (value) => value instanceof Uint8Array && value.length >= MIN_KEY_BYTES,
  }),
  send: callback<(message: CodeMessage<never>) => unknown>({ that: 'takes a message and delivers it' }),
  policy: option<ValidOptions<never>['policy']>({
    meaning: 'an object, or a function that returns one',
    accepts: (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
    faults: (value: unknown, name) => (typeof value === 'function' ? [] : policyRule.faults(value, name)),
    read: (value: unknown) =>
      typeof value === 'function' ? (value as () => OneTimeCodePolicy) : policyRule.read(value),
    default: ONE_TIME_CODE_DEFAULTS,
    members: policyRule.members ?? [],
  }),
  regionOf: callback<(recipient: string) => string | null>({
    that: 'takes a recipient and returns a region or null',
    default: () => null,
  }),
  prefixOf: callback<(recipient: string) => string | null>({
    that: 'takes a recipient and returns a prefix or null',
    default: () => null,
  }),
  onEvent: callback<OneTimeCodeListener>({ that: 'takes an event', default: () => {} }),
  log: nullable(objectWith<OneTimeCodesLog>({ methods: ['error'], meaning: 'a logger with error, such as app.log' })),
  keyPrefix: keyPrefixRule({ default: 'one-time-codes:' }),
  now: callback<() => number>({ that: 'returns milliseconds, such as Date.now', default: () => Date.now() }),
};

/** @throws OneTimeCodesSetupError naming every fault */
export function readOneTimeCodesOptions<Context>(given: OneTimeCodesOptions<Context>): ValidOptions<Context> {
  const owner = { subject: 'createOneTimeCodes', SetupError: OneTimeCodesSetupError };
  return readOptions<ValidOptions<never>>(owner, given, rules) as unknown as ValidOptions<Context>;
}
