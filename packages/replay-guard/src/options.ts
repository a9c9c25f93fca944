import { callback, hasMethods, option, SetupError, wholeNumber } from '@sallyport/options';
import { keyPrefixRule, type TtlStore } from '@sallyport/ttl-store';

/** Options of the plugin and of the engine. */
export interface ReplayGuardOptions {
  /**
   * Where used nonces are remembered: a shared store (Redis, PostgreSQL) for several processes, a memory store
   * (lifetime `process`) for one. Required. Requirements RPL-3, RPL-4.
   */
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'lifetime'>;
  /**
   * Minimum time that a nonce is remembered, in seconds, 1 to 2592000. Default 300. A nonce is always remembered while
   * its timestamp is acceptable, so a value below the timestamp window has no effect, and the start logs a warning.
   * Requirement RPL-2.
   */
  readonly replayTtlSeconds?: number;
  /**
   * Additional time that a nonce is remembered, in seconds, 60 to 86400. It must exceed the greatest difference between
   * the clocks of two servers on one store, or the slower one can accept a replay after the record has expired. Default
   * 60, the constant of the wire format. Requirements RPL-2, REL-5.
   */
  readonly clockSkewSeconds?: number;
  /** Prefix of the guard's keys in the store. Default `replay:`. */
  readonly keyPrefix?: string;
  /** Waits for an envelope stamped up to a second ahead. See the README, Behaviour 7. Default: a timer. */
  readonly wait?: (millis: number) => Promise<void>;
}

/** Options of the plugin alone. */
export interface ReplayGuardPluginOptions extends ReplayGuardOptions {
  /**
   * The clock of envelope-crypto, in milliseconds. It tells when this process started, and whether an envelope was
   * still in time when it was claimed. Default `Date.now`. Requirements RPL-2, RPL-3.
   */
  readonly now?: () => number;
}

/** The defaults of {@link ReplayGuardPluginOptions}. */
export const REPLAY_GUARD_DEFAULTS = {
  replayTtlSeconds: 300,
  clockSkewSeconds: 60,
  keyPrefix: 'replay:',
  wait: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
  now: () => Date.now(),
} as const satisfies Required<Omit<ReplayGuardPluginOptions, 'store'>>;

/** Bad options of the plugin or of `createReplayGuard`. `faults` lists every fault. */
export class ReplayGuardSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('REPLAY_GUARD_SETUP_INVALID', subject, faults);
  }
}

/** 30 days: beyond any use, and within every store's arithmetic. */
const MAX_REPLAY_TTL_SECONDS = 30 * 24 * 3600;

/** The constant of the wire format. Other implementations rely on it. */
const MIN_CLOCK_SKEW_SECONDS = REPLAY_GUARD_DEFAULTS.clockSkewSeconds;
const MAX_CLOCK_SKEW_SECONDS = 24 * 3600;

/** The rules of `createReplayGuard`. */
export const engineRules = {
  store: option<ReplayGuardOptions['store']>({
    meaning: "a store with setIfAbsent and lifetime ('process' or 'shared'), such as one of @sallyport/ttl-store",
    accepts: isNonceStore,
  }),
  replayTtlSeconds: wholeNumber({
    min: 1,
    max: MAX_REPLAY_TTL_SECONDS,
    unit: 'seconds',
    default: REPLAY_GUARD_DEFAULTS.replayTtlSeconds,
  }),
  clockSkewSeconds: wholeNumber({
    min: MIN_CLOCK_SKEW_SECONDS,
    max: MAX_CLOCK_SKEW_SECONDS,
    unit: 'seconds',
    default: REPLAY_GUARD_DEFAULTS.clockSkewSeconds,
  }),
  keyPrefix: keyPrefixRule({ default: REPLAY_GUARD_DEFAULTS.keyPrefix }),
  wait: callback<(millis: number) => Promise<void>>({
    that: 'takes milliseconds and returns a promise',
    default: REPLAY_GUARD_DEFAULTS.wait,
  }),
};

/** The rules of the plugin. */
export const pluginRules = {
  ...engineRules,
  now: callback<() => number>({
    that: 'returns milliseconds, such as Date.now',
    default: REPLAY_GUARD_DEFAULTS.now,
  }),
};

function isNonceStore(value: unknown): boolean {
  if (!hasMethods(value, ['setIfAbsent'])) return false;
  return ['process', 'shared'].includes((value as ReplayGuardOptions['store']).lifetime);
}
