import { randomBytes } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import { DAY_MILLIS } from '../counters.js';

/**
 * The class of messages that share an interval. A code for another purpose, or one that is too short to be accepted, is
 * useless to the owner. Strangers who request such codes must not delay the code that the owner needs.
 */
export interface TurnClass {
  readonly purpose: string | null;
  /** Whether the code is long, because guesses are in progress. */
  readonly isLong: boolean;
}

/** The interval in which a recipient gets no other message of a class. */
export interface Turn {
  readonly sentAt: number;
  /** Ends the interval, if it is still the present one. */
  giveBack(): Promise<unknown>;
}

export interface Turns {
  /** Begins an interval, atomically. Null if the last message of the class was sent less than the interval ago. */
  take(tag: string, turnClass: TurnClass, intervalMillis: number): Promise<Turn | null>;
  /** Ends the intervals of all classes. */
  reset(tag: string): Promise<void>;
  /** The time of the newest message of these purposes, if its interval runs. Null if none runs. */
  newest(tag: string, purposes: readonly (string | null)[]): Promise<number | null>;
}

export interface TurnsOptions {
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'get' | 'set' | 'compareAndDelete'>;
  readonly keyPrefix: string;
  readonly now: () => number;
}

/** Longer than every interval, which is a day at most. */
const GENERATION_MILLIS = 2 * DAY_MILLIS;

export function createTurns({ store, keyPrefix, now }: TurnsOptions): Turns {
  const generationKey = (tag: string) => `${keyPrefix}turns:${tag}`;

  /** The purposes of a recipient are not known, so a new name ends all intervals. */
  async function namesOf(tag: string): Promise<(turnClass: TurnClass) => string> {
    const generation = (await store.get(generationKey(tag))) ?? '';
    return ({ purpose, isLong }) =>
      `${keyPrefix}turn:${tag}:${generation}:${isLong ? 'long' : ''}${purpose === null ? '' : `:${purpose}`}`;
  }

  return {
    async take(tag, turnClass, intervalMillis) {
      const name = (await namesOf(tag))(turnClass);
      const sentAt = now();
      if (!(await store.setIfAbsent(name, String(sentAt), intervalMillis))) return null;
      return { sentAt, giveBack: () => store.compareAndDelete(name, String(sentAt)) };
    },

    async reset(tag) {
      await store.set(generationKey(tag), randomBytes(8).toString('base64url'), GENERATION_MILLIS);
    },

    async newest(tag, purposes) {
      const nameOf = await namesOf(tag);
      const names = [...new Set(purposes)].flatMap((purpose) =>
        [false, true].map((isLong) => nameOf({ purpose, isLong })),
      );
      const found = (await Promise.all(names.map((name) => store.get(name)))).filter((sentAt) => sentAt !== null);
      return found.length === 0 ? null : Math.max(...found.map(Number));
    },
  };
}
