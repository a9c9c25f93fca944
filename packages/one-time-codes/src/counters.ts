import type { Counter, TtlStore } from '@sallyport/ttl-store';

export const HOUR_MILLIS = 3_600_000;
export const DAY_MILLIS = 24 * HOUR_MILLIS;

/** The verbs of the store that counting needs. */
export type CounterStore = Pick<TtlStore, 'get' | 'increment'>;

/** Counts that can be reverted together. */
export interface Tally {
  /** Counts `by` in the window that the first count opened. */
  add(name: string, windowMillis: number, by?: number): Promise<Counter>;
  /** Reverts every count. Never rejects: a count that can't be reverted expires with its window. */
  undo(): Promise<void>;
}

export interface Counters {
  tally(): Tally;
  /** Adds and never reverts. */
  add(name: string, windowMillis: number, by?: number): Promise<Counter>;
  peek(name: string): Promise<number>;
  /** Value and remaining time. Null if nothing is counted. Changes nothing. */
  read(name: string): Promise<Counter | null>;
  /** Subtracts up to `by`, not below zero. Parallel calls may leave a small negative value. */
  giveBack(name: string, windowMillis: number, by: number): Promise<void>;
}

export function createCounters(store: CounterStore, keyPrefix: string, now: () => number): Counters {
  const add: Counters['add'] = (name, windowMillis, by = 1) => store.increment(keyPrefix + name, windowMillis, by);
  const peek = async (name: string) => Number((await store.get(keyPrefix + name)) ?? 0);
  return {
    add,
    peek,

    tally() {
      const made: (() => Promise<unknown>)[] = [];
      return {
        async add(name, windowMillis, by = 1) {
          const counter = await add(name, windowMillis, by);
          const endsAt = now() + counter.remainingMillis;
          // If the window has ended, its count no longer exists. Decrementing the next window would raise its limit.
          made.push(async () => now() < endsAt && add(name, windowMillis, -by));
          return counter;
        },
        async undo() {
          await Promise.allSettled(made.splice(0).map((revert) => revert()));
        },
      };
    },

    async read(name) {
      if ((await store.get(keyPrefix + name)) === null) return null;
      // Adding zero is the only way to read the remaining time.
      return add(name, 1, 0);
    },

    async giveBack(name, windowMillis, by) {
      const amount = Math.min(by, await peek(name));
      if (amount > 0) await add(name, windowMillis, -amount);
    },
  };
}
