import { callback, objectWith, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import type { TtlStore } from '../contract/index.js';
import { StoreSetupError } from '../store-options.js';

export interface StoreClockOptions {
  /** The store that gives the time. Required. */
  readonly store: Pick<TtlStore, 'time' | 'lifetime'>;
  /**
   * The age of the last answer from which a use of the clock asks the store again in the background, in milliseconds,
   * 100 to 3 600 000. Default 10 000.
   */
  readonly refreshMillis?: number;
  /**
   * How long the clock runs without an answer of the store, in milliseconds, from `refreshMillis` to 86 400 000. After
   * that, `now` throws and `read` waits for the store. Default 300 000.
   */
  readonly maxAgeMillis?: number;
  /**
   * By how much this node's wall clock may differ from the store's, in milliseconds, 1 to 86 400 000. Default 5000:
   * clocks that NTP keeps differ by less.
   */
  readonly allowedSkewMillis?: number;
  /** This node's wall clock, in milliseconds since 1970. It is only compared. Default `Date.now`. */
  readonly now?: () => number;
  /** A clock of this node that is never set, in milliseconds. Default `performance.now`. */
  readonly monotonic?: () => number;
}

export const STORE_CLOCK_DEFAULTS = {
  refreshMillis: 10_000,
  maxAgeMillis: 300_000,
  allowedSkewMillis: 5000,
} as const satisfies Partial<StoreClockOptions>;

/** The longest `maxAgeMillis` and `allowedSkewMillis`: a day. */
const MAX_MILLIS = 86_400_000;

const rules = {
  store: objectWith<StoreClockOptions['store']>({
    methods: ['time'],
    meaning: 'a store with time, such as one of @sallyport/ttl-store',
  }),
  refreshMillis: wholeNumber({
    min: 100,
    max: 3_600_000,
    unit: 'milliseconds',
    default: STORE_CLOCK_DEFAULTS.refreshMillis,
  }),
  maxAgeMillis: wholeNumber({
    min: 100,
    max: MAX_MILLIS,
    unit: 'milliseconds',
    default: STORE_CLOCK_DEFAULTS.maxAgeMillis,
  }),
  allowedSkewMillis: wholeNumber({
    min: 1,
    max: MAX_MILLIS,
    unit: 'milliseconds',
    default: STORE_CLOCK_DEFAULTS.allowedSkewMillis,
  }),
  // Looked up at each call: test runners replace `Date`.
  now: callback<() => number>({ that: 'returns milliseconds, such as Date.now', default: () => Date.now() }),
  monotonic: callback<() => number>({
    that: 'returns milliseconds and never goes back, such as performance.now',
    default: () => performance.now(),
  }),
};

/** @throws StoreSetupError naming every fault */
export function readStoreClockOptions(options: StoreClockOptions): Required<StoreClockOptions> {
  return readOptions<Required<StoreClockOptions>>(
    { subject: 'createStoreClock', SetupError: StoreSetupError },
    options,
    rules,
    ({ refreshMillis = 0, maxAgeMillis = refreshMillis }) =>
      maxAgeMillis < refreshMillis ? ['maxAgeMillis must not be less than refreshMillis'] : [],
  );
}
