import { StoreUnavailableError } from '../errors.js';
import type { ClockEvent, ClockState } from './clock-state.js';
import { readStoreClockOptions, type StoreClockOptions } from './store-clock-options.js';
import { combine, errorAt, estimateOf, storeTimeAt, type TimeEstimate } from './time-estimate.js';

/**
 * The time by the store's clock, which all nodes share. The store is asked at intervals, and the monotonic clock
 * measures the time in between, so changes of this node's wall clock have no effect. It has no timer, and nothing to
 * close.
 */
export interface StoreClock {
  /**
   * The store's time, in whole milliseconds since 1970: a number if it is known, otherwise a promise that asks the
   * store and rejects with `StoreUnavailableError` if the store does not answer. A store in this process is always
   * asked.
   */
  read(): number | Promise<number>;
  /**
   * The store's time by the last answer, in whole milliseconds since 1970, for code that can't wait. Throws
   * `StoreUnavailableError` before the first answer, and `maxAgeMillis` after the last one: call `read` at the start.
   */
  now(): number;
  /** The difference between this node's wall clock and the store's. It asks the store and rejects as `read` does. */
  check(): Promise<ClockState>;
  /**
   * Calls the listener when this node's wall clock becomes wrong and when it is right again, once for each change, and
   * when the store's clock was set. The clock checks this when it is used. The listener must not throw. Returns a
   * function that removes the listener.
   */
  watch(listener: (event: ClockEvent) => void): () => void;
}

/**
 * The longest usable answer, in milliseconds. A slower one says too little about the time: the process may have been
 * paused in between.
 */
const MAX_ROUND_TRIP_MILLIS = 2000;

/** The number of attempts to get a usable answer. */
const MAX_QUESTIONS = 3;

/** The pause after a failed attempt in the background, in milliseconds. */
const RETRY_MILLIS = 1000;

/**
 * The two clocks of this node differ by more, in milliseconds, only if one of them was set or stood still, as while the
 * machine is suspended. Only the store can show which one it was.
 */
const MAX_PARTING_MILLIS = 250;

/** The two clocks of this node at one moment, in milliseconds. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** The state since the last answer. */
interface Known {
  readonly estimate: TimeEstimate;
  readonly at: Moment;
}

/**
 * A clock for all nodes: the time of their store, which a wrong clock of one node does not change.
 *
 * @example
 * ```ts
 * const clock = createStoreClock({ store, allowedSkewMillis: 5000, now: () => wall, monotonic: () => monotonic });
 * clock.watch((event) => console.log(event.kind));
 *
 * const start = await clock.read(); // asks the store
 * assert.equal(start, storeTime);
 * ```
 *
 * @throws StoreSetupError naming every fault of the options
 */
export function createStoreClock(options: StoreClockOptions): StoreClock {
  const { store, refreshMillis, maxAgeMillis, allowedSkewMillis, now, monotonic } = readStoreClockOptions(options);
  const isOwn = store.lifetime === 'process';
  const listeners = new Set<(event: ClockEvent) => void>();
  let known: Known | null = null;
  let asking: Promise<Known> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let wasOff = false;

  const moment = (): Moment => ({ monotonic: monotonic(), wall: now() });

  function tell(event: ClockEvent): void {
    for (const listener of listeners) listener(event);
  }

  function stateAt({ estimate }: Known, at: Moment): ClockState {
    const skewMillis = Math.round(at.wall - storeTimeAt(estimate, at.monotonic));
    const errorMillis = Math.ceil(errorAt(estimate, at.monotonic));
    const isOff = !isOwn && Math.abs(skewMillis) - errorMillis > allowedSkewMillis;
    return { skewMillis, errorMillis, allowedSkewMillis, isOff };
  }

  /** Returns the state, and calls the listeners if it has changed. */
  function noteState(of: Known, at: Moment): ClockState {
    const state = stateAt(of, at);
    if (state.isOff !== wasOff) {
      wasOff = state.isOff;
      tell({ kind: state.isOff ? 'off' : 'right', ...state });
    }
    return state;
  }

  function learn(sample: TimeEstimate, at: Moment): Known {
    const earlier = known;
    const combined = earlier === null || isOwn ? sample : combine(earlier.estimate, sample);
    const learned = { estimate: combined ?? sample, at };
    known = learned;
    if (earlier !== null && combined === null) {
      const stepMillis = storeTimeAt(sample, at.monotonic) - storeTimeAt(earlier.estimate, at.monotonic);
      // A step that the wall clock shows as well is not a step of the store: the monotonic clock stood still while the
      // machine was suspended.
      const isSeen = Math.abs(stepMillis - parting(earlier.at, at)) <= MAX_PARTING_MILLIS;
      if (!isSeen) tell({ kind: 'store-step', stepMillis });
    }
    noteState(learned, at);
    return learned;
  }

  async function question(): Promise<Known> {
    for (let remaining = MAX_QUESTIONS - 1; ; remaining -= 1) {
      const sent = moment();
      const storeMillis = await store.time();
      const answered = moment();
      if (!Number.isFinite(storeMillis)) throw unavailable('The store returned no time');
      const isSlow = answered.monotonic - sent.monotonic > MAX_ROUND_TRIP_MILLIS;
      // The last answer may be slower than an earlier one, or may span a step. If the wall clock is set all the time,
      // its difference cannot be measured.
      const isUsable = remaining === 0 ? !isSlow || known !== null : !isSlow && !hasParted(sent, answered);
      const times = { sentAt: sent.monotonic, storeMillis, answeredAt: answered.monotonic };
      if (isUsable) return learn(estimateOf(times), answered);
      if (remaining === 0)
        throw unavailable(`The store took longer than ${MAX_ROUND_TRIP_MILLIS} ms to return its time`);
    }
  }

  /** Concurrent callers share one question. */
  function ask(): Promise<Known> {
    if (asking === null) {
      askedAt = monotonic();
      asking = question().finally(() => {
        asking = null;
      });
    }
    return asking;
  }

  /** The known estimate, if it is good enough for this moment. */
  function trusted(at: Moment): Known | null {
    if (known === null || isOwn) return null;
    if (at.monotonic - known.at.monotonic > maxAgeMillis || hasParted(known.at, at)) return null;
    return known;
  }

  function refreshIfDue(of: Known, at: Moment): void {
    const isDue = at.monotonic - of.at.monotonic > refreshMillis || hasParted(of.at, at);
    // A failure shows when the time has become too old.
    if (isDue && at.monotonic - askedAt > RETRY_MILLIS) ask().catch(() => {});
  }

  async function readOwn(): Promise<number> {
    const storeMillis = await store.time();
    if (!Number.isFinite(storeMillis)) throw unavailable('The store returned no time');
    const at = moment();
    known = { estimate: estimateOf({ sentAt: at.monotonic, storeMillis, answeredAt: at.monotonic }), at };
    return storeMillis;
  }

  async function readAnew(): Promise<number> {
    const { estimate } = await ask();
    return storeTimeAt(estimate, monotonic());
  }

  return {
    read() {
      if (isOwn) return readOwn();
      const at = moment();
      const trust = trusted(at);
      if (trust === null) return readAnew();
      refreshIfDue(trust, at);
      return storeTimeAt(trust.estimate, at.monotonic);
    },

    now() {
      const at = moment();
      if (known === null) throw unavailable('The time of the store is not known yet');
      if (at.monotonic - known.at.monotonic > maxAgeMillis)
        throw unavailable('The time of the store is no longer known');
      refreshIfDue(known, at);
      return storeTimeAt(known.estimate, at.monotonic);
    },

    async check() {
      const of = trusted(moment()) ?? (await ask());
      const at = moment();
      refreshIfDue(of, at);
      return noteState(of, at);
    },

    watch(listener) {
      listeners.add(listener);
      return function unwatch() {
        listeners.delete(listener);
      };
    },
  };
}

/** How many milliseconds more than the monotonic clock the wall clock advanced between two moments. */
function parting(earlier: Moment, later: Moment): number {
  return later.wall - earlier.wall - (later.monotonic - earlier.monotonic);
}

/** The condition is positive, so that a clock that returns NaN is not trusted. */
function hasParted(earlier: Moment, later: Moment): boolean {
  return !(Math.abs(parting(earlier, later)) <= MAX_PARTING_MILLIS);
}

function unavailable(message: string): Error {
  return new StoreUnavailableError({ cause: new Error(message) });
}
