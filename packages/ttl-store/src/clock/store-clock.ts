import { StoreUnavailableError } from '../errors.js';
import type { ClockEvent, ClockState } from './clock-state.js';
import { readStoreClockOptions, type StoreClockOptions } from './store-clock-options.js';
import { combine, errorAt, estimateOf, storeTimeAt, type TimeEstimate } from './time-estimate.js';

/**
 * The time by the store's clock, which all nodes share. It is asked now and then, and goes on by the monotonic clock in
 * between: what happens to this node's wall clock changes nothing. It has no timer, and nothing to close.
 */
export interface StoreClock {
  /**
   * The store's time, in whole milliseconds since 1970: a number if it is known, else a promise that asks the store,
   * and rejects with `StoreUnavailableError` if the store does not answer. A store in this process is always asked.
   */
  read(): number | Promise<number>;
  /**
   * The store's time as it was known last, in whole milliseconds since 1970, for code that can't wait. Throws
   * `StoreUnavailableError` before the first answer, and `maxAgeMillis` after the last one: call `read` at the start.
   */
  now(): number;
  /** How this node's wall clock stands to the store's. Asks as `read` does, and rejects as it does. */
  check(): Promise<ClockState>;
  /**
   * Tells the listener when this node's wall clock goes off and when it is right again, once for each change, and when
   * the store's clock was set. The clock looks when it is used. The listener must not throw. Returns a function that
   * ends it.
   */
  watch(listener: (event: ClockEvent) => void): () => void;
}

/** Slower answers tell too little about the time: a process that was paused in between would take it for its own. */
const MAX_ROUND_TRIP_MILLIS = 2000;

/** How often the store is asked for one usable answer. */
const MAX_QUESTIONS = 3;

/** The pause after a failed question in the background, in milliseconds. */
const RETRY_MILLIS = 1000;

/**
 * The two clocks of this node part by more, in milliseconds, only if one of them was set or stood still, as it does
 * while the machine is suspended. Which one it was, only the store can tell.
 */
const MAX_PARTING_MILLIS = 250;

/** The two clocks of this node at one moment, in milliseconds. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** What is known since the last answer. */
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

  /** The state, of which the listeners are told if it has changed. */
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
      // A step that the wall clock shows as well is none: the monotonic clock stood still while the machine slept.
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
      if (!Number.isFinite(storeMillis)) throw unavailable('The store told no time');
      const isSlow = answered.monotonic - sent.monotonic > MAX_ROUND_TRIP_MILLIS;
      // The last answer may be slow beside an earlier one, and one across a step: of a wall clock that is set all the
      // time, nothing can be told.
      const isUsable = remaining === 0 ? !isSlow || known !== null : !isSlow && !hasParted(sent, answered);
      const times = { sentAt: sent.monotonic, storeMillis, answeredAt: answered.monotonic };
      if (isUsable) return learn(estimateOf(times), answered);
      if (remaining === 0) throw unavailable(`The store told its time later than after ${MAX_ROUND_TRIP_MILLIS} ms`);
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

  /** What is known, if it is good enough for this moment. */
  function trusted(at: Moment): Known | null {
    if (known === null || isOwn) return null;
    if (at.monotonic - known.at.monotonic > maxAgeMillis || hasParted(known.at, at)) return null;
    return known;
  }

  function refreshIfDue(of: Known, at: Moment): void {
    const isDue = at.monotonic - of.at.monotonic > refreshMillis || hasParted(of.at, at);
    // A failure is seen when the time is too old.
    if (isDue && at.monotonic - askedAt > RETRY_MILLIS) ask().catch(() => {});
  }

  async function readOwn(): Promise<number> {
    const storeMillis = await store.time();
    if (!Number.isFinite(storeMillis)) throw unavailable('The store told no time');
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
      if (at.monotonic - known.at.monotonic > maxAgeMillis) throw unavailable('The time of the store is known no more');
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

/** By how many milliseconds the wall clock went further than the monotonic one between two moments. */
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
