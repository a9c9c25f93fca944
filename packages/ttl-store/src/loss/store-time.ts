/** The store's time from one answer, between two readings of the monotonic clock. All in milliseconds. */
export interface Contact {
  readonly time: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** How far two clocks may drift apart in a millisecond; see the store clock of @sallyport/ttl-store. */
const MAX_DRIFT = 0.001;

/** A store's clock was set back if it is behind its earliest time by more than this, in milliseconds. */
export const TOLERANCE_MILLIS = 1000;

/** The latest possible time of the store at a moment of the monotonic clock, unless its clock was set. */
export function latestTime({ time, sentAt }: Contact, moment: number): number {
  return Math.ceil(time + 1 + (moment - sentAt) * (1 + MAX_DRIFT));
}

/** The store's time at a moment of the monotonic clock. It may be some milliseconds too early. */
export function timeAt({ time, answeredAt }: Contact, moment: number): number {
  return Math.floor(time + Math.max(0, moment - answeredAt) * (1 - MAX_DRIFT));
}

/** The earliest possible time of the store at a moment of the monotonic clock, unless its clock was set back. */
export function earliestTime(contact: Contact, moment: number): number {
  return timeAt(contact, moment) - TOLERANCE_MILLIS;
}
