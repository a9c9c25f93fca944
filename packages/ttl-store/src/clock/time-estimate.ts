/** One reading of the store's clock, between two readings of the monotonic clock. All in milliseconds. */
export interface TimeSample {
  /** Before the question. */
  readonly sentAt: number;
  /** The answer, in whole milliseconds: the store's clock was less than a millisecond further. */
  readonly storeMillis: number;
  /** After the answer. */
  readonly answeredAt: number;
}

/** Between what bounds the store's clock is ahead of the monotonic clock. All in milliseconds. */
export interface TimeEstimate {
  readonly min: number;
  readonly max: number;
  /** When the last sample was taken, by the monotonic clock. */
  readonly sampledAt: number;
}

/** An answer is cut to whole milliseconds. */
const RESOLUTION_MILLIS = 1;

/**
 * How far two clocks may part in a millisecond. Oscillators stay below 0.0002, and NTP corrects a clock by at most
 * 0.0005.
 */
const MAX_DRIFT = 0.001;

/** What one sample tells: the store read its clock at some moment between question and answer. */
export function estimateOf({ sentAt, storeMillis, answeredAt }: TimeSample): TimeEstimate {
  return { min: storeMillis - answeredAt, max: storeMillis + RESOLUTION_MILLIS - sentAt, sampledAt: answeredAt };
}

/**
 * What two samples tell together: a slow answer never makes the estimate worse than the clocks can have drifted. Null
 * if they contradict each other: the store's clock was set, or another machine answers.
 */
export function combine(earlier: TimeEstimate, later: TimeEstimate): TimeEstimate | null {
  const drift = Math.max(0, later.sampledAt - earlier.sampledAt) * MAX_DRIFT;
  const min = Math.max(earlier.min - drift, later.min);
  const max = Math.min(earlier.max + drift, later.max);
  return min <= max ? { min, max, sampledAt: later.sampledAt } : null;
}

/** The store's time at a moment of the monotonic clock: the middle between the bounds. */
export function storeTimeAt({ min, max }: TimeEstimate, moment: number): number {
  return Math.floor(moment + (min + max) / 2);
}

/** How wrong {@link storeTimeAt} may be at a moment of the monotonic clock. */
export function errorAt({ min, max, sampledAt }: TimeEstimate, moment: number): number {
  return (max - min) / 2 + Math.max(0, moment - sampledAt) * MAX_DRIFT;
}
