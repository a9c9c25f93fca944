import { setTimeout as sleep } from 'node:timers/promises';
import type { MovedClock } from '../moved-clock.js';

const MINUTE_MILLIS = 60_000;

/** The part of a minute in which people and attackers come. The rest is for what they began. */
const ARRIVAL_MILLIS = 45_000;

/** The time of a run. */
export interface Clock {
  /** As the report calls it. */
  readonly kind: 'moved' | 'real';
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves at some moment of the minute, so that not everybody comes at once. */
  someMoment(): Promise<void>;
  /** Resolves a minute after the one before began. */
  nextMinute(): Promise<void>;
}

export function movedClock(clock: MovedClock): Clock {
  return { kind: 'moved', now: clock.now, someMoment: async () => {}, nextMinute: () => clock.advance(MINUTE_MILLIS) };
}

export function realClock(): Clock {
  let minuteEndsAt = Date.now();
  return {
    kind: 'real',
    now: Date.now,
    someMoment: () => sleep(Math.random() * ARRIVAL_MILLIS),
    async nextMinute() {
      minuteEndsAt += MINUTE_MILLIS;
      await sleep(Math.max(0, minuteEndsAt - Date.now()));
    },
  };
}
