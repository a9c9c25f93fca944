/**
 * Ten minutes. What nobody authenticated moves the clock no further ahead of the device's own: an attacker could keep
 * an envelope that is stamped ahead, and deliver it later.
 */
export const MAX_UNSEALED_AHEAD_MILLIS = 600_000;

/** This device's clock, corrected by the service's time. */
export interface ServiceClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Adopts the service's time. False, without a change, if it is further ahead of this device than allowed. */
  correct(serverTime: number, maxAheadMillis?: number): boolean;
  /** Whether it is so far ahead of this device as only a sealed time can move it. */
  isFarAhead(): boolean;
}

export function createServiceClock(deviceNow: () => number): ServiceClock {
  let aheadMillis = 0;
  return {
    // A stamp is a whole number, but a device's clock may return a fraction.
    now: () => Math.max(0, Math.round(deviceNow() + aheadMillis)),

    correct(serverTime, maxAheadMillis = MAX_UNSEALED_AHEAD_MILLIS) {
      const ahead = serverTime - deviceNow();
      if (ahead > maxAheadMillis) return false;
      aheadMillis = ahead;
      return true;
    },

    isFarAhead: () => aheadMillis > MAX_UNSEALED_AHEAD_MILLIS,
  };
}
