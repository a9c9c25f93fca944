/** The store's time as it was told, between two readings of the monotonic clock. All in milliseconds. */
export interface Contact {
  readonly time: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** How far two clocks may part in a millisecond; see the store clock of @sallyport/ttl-store. */
const MAX_DRIFT = 0.001;

/** A store's clock that is behind its earliest time by more was set back, in milliseconds. */
export const TOLERANCE_MILLIS = 1000;

/** The store's time at a moment of the monotonic clock is not later than this, unless its clock was set. */
export function latestTime({ time, sentAt }: Contact, moment: number): number {
  return Math.ceil(time + 1 + (moment - sentAt) * (1 + MAX_DRIFT));
}

/** The store's time at a moment of the monotonic clock, or some milliseconds less. */
export function timeAt({ time, answeredAt }: Contact, moment: number): number {
  return Math.floor(time + Math.max(0, moment - answeredAt) * (1 - MAX_DRIFT));
}

/** The store's time at a moment of the monotonic clock is not before this, unless its clock was set back. */
export function earliestTime(contact: Contact, moment: number): number {
  return timeAt(contact, moment) - TOLERANCE_MILLIS;
}
