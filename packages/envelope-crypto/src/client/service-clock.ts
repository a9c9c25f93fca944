/** A day: nobody's clock is that slow unnoticed, and an envelope stamped so far ahead would be good for as long. */
const MAX_UNCONFIRMED_AHEAD_MILLIS = 24 * 3600 * 1000;

/**
 * Asked before the client stamps envelopes more than a day ahead of this device: the service's time is not authenticated,
 * and an envelope with such a stamp could be held back and used later.
 */
export type ConfirmClock = (aheadMillis: number) => boolean | Promise<boolean>;

/** This device's clock, corrected by what the service says. */
export interface ServiceClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Takes over the service's time; false if it isn't believed, and nothing changed. */
  correct(serverTime: number): Promise<boolean>;
}

export function createServiceClock(deviceNow: () => number, confirm: ConfirmClock): ServiceClock {
  let aheadMillis = 0;
  return {
    // A stamp is a whole number; a device's clock needn't be one.
    now: () => Math.max(0, Math.round(deviceNow() + aheadMillis)),

    async correct(serverTime) {
      const ahead = serverTime - deviceNow();
      if (ahead > MAX_UNCONFIRMED_AHEAD_MILLIS && !(await confirm(ahead))) return false;
      aheadMillis = ahead;
      return true;
    },
  };
}
