import { MAX_KEY_PREFIX_BYTES, type TtlStore } from '@sallyport/ttl-store';

/** Options of the plugin and of the engine. */
export interface ReplayGuardOptions {
  /**
   * Where used nonces are remembered. A shared store (Redis, PostgreSQL) for more than one process; a memory store
   * (lifetime `process`) for one. Required. Requirements RPL-3, RPL-4.
   */
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'lifetime'>;
  /**
   * How long a nonce is remembered at least, in seconds. Default 300. A value below the timestamp window is safe, since
   * a nonce is always remembered for as long as its timestamp could be accepted; it is only without effect, and the
   * start logs a warning. Requirement RPL-2.
   */
  readonly replayTtlSeconds?: number;
  /**
   * How much longer than that a nonce is remembered, in seconds. It must be more than the greatest difference between
   * the clocks of two servers on one store, or a replay to the slower one can outlive the record. Default 60, the constant
   * of the wire format, and not less. Requirements RPL-2, REL-5.
   */
  readonly clockSkewSeconds?: number;
  /** What the guard's keys in the store begin with. Default `replay:`. */
  readonly keyPrefix?: string;
  /** Waits for an envelope that was stamped a moment ahead; see the README, Behaviour 7. Default: a timer. */
  readonly wait?: (millis: number) => Promise<void>;
}

/** Options of the plugin alone. */
export interface ReplayGuardPluginOptions extends ReplayGuardOptions {
  /** The clock that says when this process started, in milliseconds. Default `Date.now`; the clock of envelope-crypto. Requirement RPL-3. */
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

/** 30 days: beyond any use, and within every store's arithmetic. */
const MAX_REPLAY_TTL_SECONDS = 30 * 24 * 3600;

/** The constant of the wire format: implementations rely on it, so it is the floor. */
const MIN_CLOCK_SKEW_SECONDS = REPLAY_GUARD_DEFAULTS.clockSkewSeconds;
const MAX_CLOCK_SKEW_SECONDS = 24 * 3600;

/** @throws TypeError naming every fault at once. */
export function checkOptions(given: ReplayGuardPluginOptions): Required<ReplayGuardPluginOptions> {
  const options = { ...REPLAY_GUARD_DEFAULTS, ...withoutUndefined(given) };
  const faults = [
    ...(typeof options.store?.setIfAbsent === 'function' && ['process', 'shared'].includes(options.store.lifetime)
      ? []
      : [
          "store must be a store with setIfAbsent and lifetime ('process' or 'shared'), such as one of @sallyport/ttl-store",
        ]),
    ...secondsFault('replayTtlSeconds', options.replayTtlSeconds, 1, MAX_REPLAY_TTL_SECONDS),
    ...secondsFault('clockSkewSeconds', options.clockSkewSeconds, MIN_CLOCK_SKEW_SECONDS, MAX_CLOCK_SKEW_SECONDS),
    ...(isKeyPrefix(options.keyPrefix)
      ? []
      : [`keyPrefix must be a text of 1 to ${MAX_KEY_PREFIX_BYTES} bytes without U+0000, such as 'replay:'`]),
    ...(typeof options.wait === 'function' ? [] : ['wait must be a function that takes milliseconds']),
    ...(typeof options.now === 'function'
      ? []
      : ['now must be a function that returns milliseconds, such as Date.now']),
  ];
  if (faults.length > 0) throw new TypeError(`replay-guard: ${faults.join('; ')}`);
  return options;
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
