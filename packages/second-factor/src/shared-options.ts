import { createHash } from 'node:crypto';
import { callback, nullable, objectWith, option } from '@sallyport/plugin-kit/options';
import { keyPrefixRule, type TtlStore } from '@sallyport/ttl-store';
import type { FactorListener, SecondFactorLog } from './events.js';
import type { FactorRecords } from './records/index.js';

/** The verbs of the store that second factors need. */
export type SecondFactorStore = Pick<
  TtlStore,
  'setIfAbsent' | 'get' | 'set' | 'take' | 'compareAndSet' | 'compareAndDelete'
>;

/** Options of both factories. */
export interface SharedOptions {
  /** The store of used steps, enrolments and challenges. Several processes need a shared store. Required. */
  readonly store: SecondFactorStore;
  /** The records of the factors of each account. Required. */
  readonly records: FactorRecords;
  /** Receives each refusal, for a security log, and is awaited. Default: none. */
  readonly onEvent?: FactorListener;
  /** Receives, at `error`, failures of `onEvent`. Default: null. */
  readonly log?: SecondFactorLog | null;
  /** Put before every key in the store, 1 to 256 bytes. Default `second-factor:`. */
  readonly keyPrefix?: string;
  /** The clock, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

export const sharedRules = {
  store: objectWith<SecondFactorStore>({
    methods: ['setIfAbsent', 'get', 'set', 'take', 'compareAndSet', 'compareAndDelete'],
    meaning:
      'a store with setIfAbsent, get, set, take, compareAndSet and compareAndDelete, such as one of @sallyport/ttl-store',
  }),
  records: objectWith<FactorRecords>({
    methods: ['read', 'replace'],
    meaning: 'an object with read and replace, such as createMemoryFactorRecords()',
  }),
  onEvent: callback<FactorListener>({ that: 'takes an event', default: () => {} }),
  log: nullable(objectWith<SecondFactorLog>({ methods: ['error'], meaning: 'a logger with error, such as app.log' })),
  keyPrefix: keyPrefixRule({ default: 'second-factor:' }),
  now: callback<() => number>({ that: 'returns milliseconds, such as Date.now', default: () => Date.now() }),
};

const MAX_PRINCIPAL_LENGTH = 256;

/** The account, as the program names it. */
export const principalRule = option<string>({
  meaning: `the id of the account, a text of 1 to ${MAX_PRINCIPAL_LENGTH} characters`,
  accepts: (value) =>
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_PRINCIPAL_LENGTH &&
    // Ill-formed texts would share a hash, because UTF-8 has one replacement for all of them.
    !/[\0\p{Surrogate}]/u.test(value),
});

/** The name that the owner gives to a factor. */
export const factorNameRule = nullable(
  option<string>({
    meaning: 'a well-formed text of 1 to 100 characters, or null',
    // A store may refuse others, or fail to read the record of which they are a part.
    accepts: (value) =>
      typeof value === 'string' && value.length > 0 && value.length <= 100 && !/[\0\p{Surrogate}]/u.test(value),
  }),
);

/** The name of an account in the store: of fixed length. */
export function tagOf(principal: string): string {
  return createHash('sha256').update(principal).digest('base64url');
}
