import {
  callback,
  flag,
  hasMethods,
  nullable,
  objectWith,
  option,
  SetupError,
  wholeNumber,
} from '@sallyport/plugin-kit/options';
import { keyPrefixRule, type TtlStore } from '@sallyport/ttl-store';
import type { ReplayGuardEvent, Witness } from './loss/index.js';

/** Options of the plugin and of the engine. */
export interface ReplayGuardOptions {
  /**
   * The store of used nonces: a shared store (Redis, PostgreSQL) for several processes, a memory store (lifetime
   * `process`) for one. Required. A shared store without `marks` is refused, unless `allowUnmarkedStore`.
   */
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'lifetime' | 'marks'>;
  /**
   * Minimum time that a nonce is remembered, in seconds, 1 to 2592000. Default 300. A nonce is always remembered while
   * its timestamp is acceptable, so a value below the timestamp window has no effect, and the start logs a warning.
   */
  readonly replayTtlSeconds?: number;
  /**
   * Additional time that a nonce is remembered, in seconds, 60 to 86400. It must exceed the greatest difference between
   * the clocks of two servers on one store, or the slower one can accept a replay after the record has expired. Default
   * 60, the constant of the wire format.
   */
  readonly clockSkewSeconds?: number;
  /** Prefix of the guard's keys in the store. Default `replay:`. */
  readonly keyPrefix?: string;
  /**
   * A second store that does not lose its data together with `store`. It remembers across a restart of all servers that
   * envelopes stamped far ahead were accepted. Default null: the servers alone remember it.
   */
  readonly witness?: Witness | null;
  /**
   * Whether the store was created for this process and has never held a nonce, so that an absent mark is no loss.
   * Otherwise the first process that opens a store without a mark refuses envelopes stamped before. Default false.
   */
  readonly isNewStore?: boolean;
  /**
   * Whether a shared store without `marks` is allowed. It is trusted to lose nothing: a loss is not noticed, and
   * replays are accepted after it. Default false.
   */
  readonly allowUnmarkedStore?: boolean;
  /**
   * Called for losses and for clocks that were set. It must not throw. Default: no listener; the plugin writes to the
   * log.
   */
  readonly onEvent?: (event: ReplayGuardEvent) => void;
  /** Waits until an envelope stamped ahead is due. See the reference, Behaviour 7 and 8. Default: a timer. */
  readonly wait?: (millis: number) => Promise<void>;
  /** A clock that is never set, in milliseconds since the start of this process. Default `performance.now`. */
  readonly monotonic?: () => number;
}

/** Options of the plugin alone. */
export interface ReplayGuardPluginOptions extends ReplayGuardOptions {
  /**
   * The clock of envelope-crypto, in milliseconds. With a store in this process or without marks, this clock gives the
   * start time of the process and decides whether a claimed envelope is still in time. With any other store, the
   * store's clock decides, and this one is only compared with it. Default `Date.now`.
   */
  readonly now?: () => number;
}

/** The defaults of {@link ReplayGuardPluginOptions}. */
export const REPLAY_GUARD_DEFAULTS = {
  replayTtlSeconds: 300,
  clockSkewSeconds: 60,
  keyPrefix: 'replay:',
  witness: null,
  isNewStore: false,
  allowUnmarkedStore: false,
  onEvent: () => {},
  monotonic: () => performance.now(),
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
  witness: nullable(
    objectWith<NonNullable<ReplayGuardOptions['witness']>>({
      methods: ['get', 'setIfAbsent', 'compareAndSet'],
      meaning: 'a store with get, setIfAbsent and compareAndSet, such as one of @sallyport/ttl-store',
    }),
  ),
  isNewStore: flag({ default: REPLAY_GUARD_DEFAULTS.isNewStore }),
  allowUnmarkedStore: flag({ default: REPLAY_GUARD_DEFAULTS.allowUnmarkedStore }),
  onEvent: callback<(event: ReplayGuardEvent) => void>({
    that: 'takes an event',
    default: REPLAY_GUARD_DEFAULTS.onEvent,
  }),
  monotonic: callback<() => number>({
    that: 'returns milliseconds and never goes back, such as performance.now',
    default: REPLAY_GUARD_DEFAULTS.monotonic,
  }),
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

const MARK_METHODS = ['keep', 'replace', 'setIfAbsent'];

/** A shared store that cannot report a loss is used only by an explicit decision. */
export function unmarkedFaults(options: Partial<ReplayGuardOptions>): readonly string[] {
  const { store, allowUnmarkedStore, witness = null } = options;
  if (store === undefined || store.lifetime === 'process') return [];
  if (store.marks === undefined) {
    if (allowUnmarkedStore === true) {
      return witness === null ? [] : ['witness has no effect with a store without `marks`, which detects no loss'];
    }
    return [
      'store has no `marks`, so a loss of used nonces goes unnoticed: use a store of @sallyport/ttl-store, ' +
        'give yours `marks`, or set allowUnmarkedStore: true if it can lose nothing',
    ];
  }
  if (hasMethods(store.marks, MARK_METHODS) && Number.isSafeInteger(store.marks.parts) && store.marks.parts > 0)
    return [];
  return [`store.marks must be an object with parts and the methods ${MARK_METHODS.join(', ')}`];
}
