import { randomBytes } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import { DAY_MILLIS } from '../counters.js';

/**
 * Which messages share an interval. A code of another purpose, and one that is too short to be accepted, is of no use
 * to its owner: strangers who ask for such codes must not hold up the one that he needs.
 */
export interface TurnClass {
  readonly purpose: string | null;
  /** Whether the code is long, because guesses are under way. */
  readonly isLong: boolean;
}

/** The interval in which a recipient gets no other message of a class. */
export interface Turn {
  readonly sentAt: number;
  /** Ends the interval, if it is still this one. */
  giveBack(): Promise<unknown>;
}

export interface Turns {
  /** Null: the last message of the class was sent less than the interval ago. Atomic. */
  take(tag: string, turnClass: TurnClass, intervalMillis: number): Promise<Turn | null>;
  /** Ends the intervals of all classes. */
  reset(tag: string): Promise<void>;
  /** When the newest message of these purposes was sent, if its interval runs; null: none runs. */
  newest(tag: string, purposes: readonly (string | null)[]): Promise<number | null>;
}

export interface TurnsOptions {
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'get' | 'set' | 'compareAndDelete'>;
  readonly keyPrefix: string;
  readonly now: () => number;
}

/** Outlives every interval, which is a day at most. */
const GENERATION_MILLIS = 2 * DAY_MILLIS;

export function createTurns({ store, keyPrefix, now }: TurnsOptions): Turns {
  const generationKey = (tag: string) => `${keyPrefix}turns:${tag}`;

  /** The purposes of a recipient are not known, so all intervals end by a new name. */
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
