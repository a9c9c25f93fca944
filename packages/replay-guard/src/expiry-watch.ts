export interface ExpiryWatchOptions {
  /** The clock by which records expire. */
  readonly now: () => number;
  readonly monotonic: () => number;
  /** A record lives until this long after the stamp of its envelope, or longer. In milliseconds. */
  readonly keptMillis: number;
}

/**
 * Returns a function that returns the latest stamp of which the record may have expired. Only the latest time that the
 * clock ever showed matters: a clock that is set back does not bring a record back. While the clock is never set, such
 * stamps are older than the window.
 */
export function createExpiryWatch({ now, monotonic, keptMillis }: ExpiryWatchOptions): () => number {
  let reading = now();
  let readAt = monotonic();
  let latest = reading;

  return function expiredThrough() {
    const moment = monotonic();
    // If the clock was set back just now, it showed this time before.
    const expected = reading + (moment - readAt);
    reading = now();
    readAt = moment;
    latest = Math.max(latest, expected, reading);
    return latest - keptMillis;
  };
}
