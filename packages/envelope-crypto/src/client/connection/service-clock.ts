/** A day. A clock that is so slow would be noticed, and an envelope stamped so far ahead stays usable for a day. */
const MAX_UNCONFIRMED_AHEAD_MILLIS = 24 * 3600 * 1000;

/**
 * Called before the client stamps envelopes more than a day ahead of this device. The service's time is not
 * authenticated, and an attacker could withhold an envelope with such a stamp and use it later.
 */
export type ConfirmClock = (aheadMillis: number) => boolean | Promise<boolean>;

/** This device's clock, corrected by the service's time. */
export interface ServiceClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Adopts the service's time. Returns false without a change if the time is not accepted. */
  correct(serverTime: number): Promise<boolean>;
}

export function createServiceClock(deviceNow: () => number, confirm: ConfirmClock): ServiceClock {
  let aheadMillis = 0;
  return {
    // A stamp is a whole number, but a device's clock may return a fraction.
    now: () => Math.max(0, Math.round(deviceNow() + aheadMillis)),

    async correct(serverTime) {
      const ahead = serverTime - deviceNow();
      if (ahead > MAX_UNCONFIRMED_AHEAD_MILLIS && !(await confirm(ahead))) return false;
      aheadMillis = ahead;
      return true;
    },
  };
}
