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
  /** Resolves when so many minutes have passed since it resolved before. */
  pass(minutes: number): Promise<void>;
}

/** A step takes as long as it says: the real time that its requests took, minutes on a busy machine, is part of it. */
export function movedClock(clock: Pick<MovedClock, 'now' | 'advance'>): Clock {
  let passedAt = clock.now();
  return {
    kind: 'moved',
    now: clock.now,
    someMoment: async () => {},
    async pass(minutes) {
      await clock.advance(Math.max(0, passedAt + minutes * MINUTE_MILLIS - clock.now()));
      passedAt = clock.now();
    },
  };
}

export function realClock(): Clock {
  let passedAt = Date.now();
  return {
    kind: 'real',
    now: Date.now,
    someMoment: () => sleep(Math.random() * ARRIVAL_MILLIS),
    async pass(minutes) {
      passedAt += minutes * MINUTE_MILLIS;
      await sleep(Math.max(0, passedAt - Date.now()));
    },
  };
}

/** The part of a long run in which each minute is a step, and the length of the steps after it, in minutes. */
const FINE_MINUTES = 120;
const COARSE_STEP = 5;

/** How many minutes the step takes that begins with the given minute. */
export const stepAt = (minute: number): number => (minute < FINE_MINUTES ? 1 : COARSE_STEP);
