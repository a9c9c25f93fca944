/** One reading of the store's clock, between two readings of the monotonic clock. All in milliseconds. */
export interface TimeSample {
  /** Before the question. */
  readonly sentAt: number;
  /** The answer, cut to whole milliseconds: the store's clock was ahead of it by less than a millisecond. */
  readonly storeMillis: number;
  /** After the answer. */
  readonly answeredAt: number;
}

/** Bounds of the store's clock minus the monotonic clock. All in milliseconds. */
export interface TimeEstimate {
  readonly min: number;
  readonly max: number;
  /** When the last sample was taken, by the monotonic clock. */
  readonly sampledAt: number;
}

/** An answer is cut to whole milliseconds. */
const RESOLUTION_MILLIS = 1;

/**
 * How far two clocks may drift apart in a millisecond. Oscillators stay below 0.0002, and NTP corrects a clock by at
 * most 0.0005.
 */
const MAX_DRIFT = 0.001;

/** The estimate from one sample: the store read its clock at some moment between question and answer. */
export function estimateOf({ sentAt, storeMillis, answeredAt }: TimeSample): TimeEstimate {
  return { min: storeMillis - answeredAt, max: storeMillis + RESOLUTION_MILLIS - sentAt, sampledAt: answeredAt };
}

/**
 * The estimate from two samples. A slow answer makes it worse by no more than the clocks can have drifted. Null if the
 * samples contradict each other: the store's clock was set, or another machine answers.
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

/** The error bound of {@link storeTimeAt} at a moment of the monotonic clock. */
export function errorAt({ min, max, sampledAt }: TimeEstimate, moment: number): number {
  return (max - min) / 2 + Math.max(0, moment - sampledAt) * MAX_DRIFT;
}
