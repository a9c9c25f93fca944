import { randomBytes } from 'node:crypto';
import type { RequiredValue, TtlStore, WrittenValue } from '@sallyport/ttl-store';
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
  /** Reads what the intervals of the recipient are called now. */
  look(tag: string): Promise<TurnNames>;
  /** The interval that is to begin, and the changes of the store that begin it unless another one runs. */
  plan(tag: string, names: TurnNames, turnClass: TurnClass, intervalMillis: number): PlannedTurn;
  /** Reads the marks of the last sends of the class. */
  read(tag: string, turnClass: TurnClass): Promise<LastSends>;
  /**
   * Marks a send that counts although it brings no message. Null: the last one of the class is less than
   * `intervalMillis` ago.
   */
  markQuiet(tag: string, turnClass: TurnClass, intervalMillis: number): Promise<QuietMark | null>;
  /** Begins an interval, atomically. Null if the last message of the class was sent less than the interval ago. */
  take(tag: string, turnClass: TurnClass, intervalMillis: number): Promise<Turn | null>;
  /** Ends the intervals of all classes. */
  reset(tag: string): Promise<void>;
  /** The same, as a change of the store that others may come with. */
  resetting(tag: string): WrittenValue;
  /** The time of the newest message of these purposes, if its interval runs. Null if none runs. */
  newest(tag: string, purposes: readonly (string | null)[]): Promise<number | null>;
}

export interface LastSends {
  /** When the running interval began, in milliseconds since the Unix epoch. Null: none runs. */
  readonly runningSince: number | null;
  /** Whether a {@link QuietMark} is set. */
  readonly isQuiet: boolean;
}

/** The mark of a counted send without a message. It keeps no message back. */
export interface QuietMark {
  remove(): Promise<unknown>;
}

/** The names of the intervals of a recipient. `reset` changes them. */
export interface TurnNames {
  /** Null: they were never reset. */
  readonly generation: string | null;
  nameOf(turnClass: TurnClass): string;
  /** The name of the {@link QuietMark} of the class. */
  quietNameOf(turnClass: TurnClass): string;
}

export interface PlannedTurn {
  readonly turn: Turn;
  readonly changes: readonly [RequiredValue, WrittenValue];
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
  async function look(tag: string): Promise<TurnNames> {
    const generation = await store.get(generationKey(tag));
    const nameIn = (kind: 'turn' | 'quiet', { purpose, isLong }: TurnClass) =>
      `${keyPrefix}${kind}:${tag}:${generation ?? ''}:${isLong ? 'long' : ''}${purpose === null ? '' : `:${purpose}`}`;
    return {
      generation,
      nameOf: (turnClass) => nameIn('turn', turnClass),
      quietNameOf: (turnClass) => nameIn('quiet', turnClass),
    };
  }

  function resetting(tag: string): WrittenValue {
    const value = randomBytes(8).toString('base64url');
    return { key: generationKey(tag), value, ttlMillis: GENERATION_MILLIS };
  }

  const turnOf = (name: string, sentAt: number): Turn => ({
    sentAt,
    giveBack: () => store.compareAndDelete(name, String(sentAt)),
  });

  return {
    look,
    resetting,

    plan(tag, names, turnClass, intervalMillis) {
      const name = names.nameOf(turnClass);
      const sentAt = now();
      return {
        turn: turnOf(name, sentAt),
        changes: [
          { key: generationKey(tag), expected: names.generation },
          { key: name, expected: null, value: String(sentAt), ttlMillis: intervalMillis },
        ],
      };
    },

    async read(tag, turnClass) {
      const { nameOf, quietNameOf } = await look(tag);
      const [sentAt, mark] = await Promise.all([store.get(nameOf(turnClass)), store.get(quietNameOf(turnClass))]);
      return { runningSince: sentAt === null ? null : Number(sentAt), isQuiet: mark !== null };
    },

    async markQuiet(tag, turnClass, intervalMillis) {
      const name = (await look(tag)).quietNameOf(turnClass);
      const value = randomBytes(8).toString('base64url');
      if (!(await store.setIfAbsent(name, value, intervalMillis))) return null;
      return { remove: () => store.compareAndDelete(name, value) };
    },

    async take(tag, turnClass, intervalMillis) {
      const name = (await look(tag)).nameOf(turnClass);
      const sentAt = now();
      return (await store.setIfAbsent(name, String(sentAt), intervalMillis)) ? turnOf(name, sentAt) : null;
    },

    async reset(tag) {
      const { key, value, ttlMillis } = resetting(tag);
      await store.set(key, value, ttlMillis);
    },

    async newest(tag, purposes) {
      const { nameOf } = await look(tag);
      const names = [...new Set(purposes)].flatMap((purpose) =>
        [false, true].map((isLong) => nameOf({ purpose, isLong })),
      );
      const found = (await Promise.all(names.map((name) => store.get(name)))).filter((sentAt) => sentAt !== null);
      return found.length === 0 ? null : Math.max(...found.map(Number));
    },
  };
}
