import { setTimeout as sleep } from 'node:timers/promises';
import type { MovedClock } from '../moved-clock.js';

const MINUTE_MILLIS = 60_000;

/** The time of a run. */
export interface Clock {
  /** As the report calls it. */
  readonly kind: 'moved' | 'real';
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves a minute after the one before began. */
  nextMinute(): Promise<void>;
}

export function movedClock(clock: MovedClock): Clock {
  return { kind: 'moved', now: clock.now, nextMinute: () => clock.advance(MINUTE_MILLIS) };
}

export function realClock(): Clock {
  let minuteEndsAt = Date.now();
  return {
    kind: 'real',
    now: Date.now,
    async nextMinute() {
      minuteEndsAt += MINUTE_MILLIS;
      await sleep(Math.max(0, minuteEndsAt - Date.now()));
    },
  };
}
