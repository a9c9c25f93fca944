import type { Counter, TtlStore } from '@sallyport/ttl-store';

export const HOUR_MILLIS = 3_600_000;
export const DAY_MILLIS = 24 * HOUR_MILLIS;

/** The verbs of the store that counting needs. */
export type CounterStore = Pick<TtlStore, 'get' | 'increment' | 'changeAll'>;

/** A count of the window that the first one opened. */
export interface Count {
  readonly name: string;
  readonly windowMillis: number;
  /** Default 1. */
  readonly by?: number;
  /** The largest sum. Default: any. */
  readonly most?: number;
}

/** Counts that can be reverted together. */
export interface Tally {
  /** Counts `by` in the window that the first count opened. */
  add(name: string, windowMillis: number, by?: number): Promise<Counter>;
  /** Takes in a count that {@link Counters.addTogether} made, to revert it with the others. */
  include(count: Count, counter: Counter): void;
  /** Reverts every count. Never rejects: a count that can't be reverted expires with its window. */
  undo(): Promise<void>;
}

export interface Counters {
  tally(): Tally;
  /** Adds and never reverts. */
  add(name: string, windowMillis: number, by?: number): Promise<Counter>;
  /**
   * Makes all counts in one call of the store, or none. Null: none, because the store can't do that, or because a sum
   * would exceed its `most`. The caller then makes them one after the other.
   */
  addTogether(counts: readonly Count[]): Promise<readonly Counter[] | null>;
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

    async addTogether(counts) {
      const changed = await store.changeAll?.(
        counts.map(({ name, windowMillis, by = 1, most }) => ({
          key: keyPrefix + name,
          by,
          ttlMillis: windowMillis,
          ...(most !== undefined && { most }),
        })),
      );
      return changed?.done ? changed.counters.flatMap((counter) => counter ?? []) : null;
    },

    tally() {
      const made: (() => Promise<unknown>)[] = [];
      function include({ name, windowMillis, by = 1 }: Count, { remainingMillis }: Counter): void {
        const endsAt = now() + remainingMillis;
        // If the window has ended, its count no longer exists. Decrementing the next window would raise its limit.
        made.push(async () => now() < endsAt && add(name, windowMillis, -by));
      }
      return {
        include,
        async add(name, windowMillis, by = 1) {
          const counter = await add(name, windowMillis, by);
          include({ name, windowMillis, by }, counter);
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
      if (by <= 0) return;
      const key = keyPrefix + name;
      const changed = await store.changeAll?.([{ key, by: -by, ttlMillis: windowMillis, least: 0 }]);
      if (changed?.done) return;
      const amount = Math.min(by, changed === undefined ? await peek(name) : Number(changed.values[0] ?? 0));
      if (amount > 0) await add(name, windowMillis, -amount);
    },
  };
}
