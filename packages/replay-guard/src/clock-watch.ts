export interface ClockWatchOptions {
  readonly now: () => number;
  readonly monotonic: () => number;
  /** Smaller steps are not reported. In milliseconds. */
  readonly allowedMillis: number;
}

export interface ClockReading {
  /** The time by the wall clock. */
  readonly time: number;
  /** The latest time that it must have shown since the last reading: later than `time` if it was set back since. */
  readonly latestTime: number;
  /** By how many milliseconds the wall clock was set since the last reported step, or 0 if by no more than allowed. */
  readonly stepMillis: number;
}

/**
 * Returns a function that reads the wall clock and compares it with the monotonic one. Slow corrections add up like
 * steps. Those of NTP stay below the limit for years.
 */
export function createClockWatch({ now, monotonic, allowedMillis }: ClockWatchOptions): () => ClockReading {
  // How far the wall clock is ahead of the monotonic one.
  let offset = now() - monotonic();
  let reportedOffset = offset;

  return function readClock() {
    const moment = monotonic();
    const time = now();
    // If the clock was set back just now, it showed `moment + offset` before.
    const latestTime = Math.max(moment + offset, time);
    offset = time - moment;
    const stepMillis = Math.round(offset - reportedOffset);
    // A comparison with NaN is false: a clock that returns NaN was not set.
    if (!(Math.abs(stepMillis) > allowedMillis)) return { time, latestTime, stepMillis: 0 };
    reportedOffset = offset;
    return { time, latestTime, stepMillis };
  };
}
