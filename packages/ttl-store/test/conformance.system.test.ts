import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { describeTtlStore, type OpenedTtlStore } from '../src/conformance/index.js';
import { createMemoryStore, type StoreLists, type TtlStore } from '../src/index.js';

/** Runs the suite with a test runner that only records the failed tests. */
async function failuresOf(open: () => OpenedTtlStore): Promise<string[]> {
  const tests: [string, () => Promise<void>][] = [];
  describeTtlStore('store', open, {
    describe: (_name, body) => body(),
    it: (name, body) => void tests.push([name, body]),
  });
  expect(tests.length).toBeGreaterThan(40);
  const failures: string[] = [];
  for (const [name, body] of tests) await body().catch(() => failures.push(name));
  return failures;
}

const listsOf = (store: TtlStore) => store.lists as StoreLists;

/** A correct store with one faulty verb or property. */
function sabotaged(breakStore: (good: TtlStore, clock: { time: number }) => Partial<TtlStore>): () => OpenedTtlStore {
  return () => {
    const clock = { time: 1_800_000_000_000 };
    const good = createMemoryStore({ now: () => clock.time });
    return {
      store: { ...good, ...breakStore(good, clock) },
      advance: (millis) => {
        clock.time += millis;
      },
    };
  };
}

describe('the conformance suite', () => {
  it('passes a correct store', async () => {
    expect(await failuresOf(sabotaged(() => ({})))).toEqual([]);
  });

  it.each<[string, RegExp, Parameters<typeof sabotaged>[0]]>([
    [
      'looks before it writes in setIfAbsent',
      /of concurrent setIfAbsent exactly one wins/,
      (good) => ({
        async setIfAbsent(key, value, ttlMillis) {
          if ((await good.get(key)) !== null) return false;
          await good.set(key, value, ttlMillis);
          return true;
        },
      }),
    ],
    [
      'gets before it deletes in take',
      /of concurrent take exactly one/,
      (good) => ({
        async take(key) {
          const value = await good.get(key);
          await nextTurn();
          await good.delete(key);
          return value;
        },
      }),
    ],
    [
      'leaves absent keys out of getAll',
      /getAll yields what get yields/,
      (good) => ({ getAll: async (keys) => ((await good.getAll?.(keys)) ?? []).filter((value) => value !== null) }),
    ],
    [
      'reads before it writes in increment',
      /concurrent increment loses no call/,
      (good) => ({
        async increment(key, ttlMillis, by = 1) {
          const value = Number((await good.get(key)) ?? 0) + by;
          await good.set(key, String(value), ttlMillis);
          return { value, remainingMillis: ttlMillis };
        },
      }),
    ],
    [
      'lengthens the TTL with every increment',
      /increment leaves the TTL of a counter alone/,
      (good) => ({
        async increment(key, ttlMillis, by) {
          const { value } = await good.increment(key, ttlMillis, by);
          await good.set(key, String(value), ttlMillis);
          return { value, remainingMillis: ttlMillis };
        },
      }),
    ],
    [
      'counts before all conditions of changeAll are checked',
      /changeAll changes nothing if one sum would exceed its most/,
      (good) => ({
        async changeAll(changes) {
          for (const change of changes.slice(0, -1)) await good.changeAll?.([change]);
          return (await good.changeAll?.(changes.slice(-1))) ?? { done: true, counters: [] };
        },
      }),
    ],
    [
      'looks before it writes in compareAndSet',
      /of concurrent compareAndSet from one value exactly one wins/,
      (good) => ({
        async compareAndSet(key, expected, value, ttlMillis) {
          if ((await good.get(key)) !== expected) return false;
          await good.set(key, value, ttlMillis);
          return true;
        },
      }),
    ],
    [
      'looks before it deletes in compareAndDelete',
      /of concurrent compareAndDelete exactly one wins/,
      (good) => ({
        compareAndDelete: async (key, expected) => {
          if ((await good.get(key)) !== expected) return false;
          await good.delete(key);
          return true;
        },
      }),
    ],
    [
      'always says that it has deleted',
      /delete resolves to whether/,
      (good) => ({ delete: (key) => good.delete(key).then(() => true) }),
    ],
    [
      'lengthens the TTL with every get',
      /what writes nothing leaves the TTL alone/,
      (good) => ({
        async get(key) {
          const value = await good.get(key);
          if (value !== null) await good.set(key, value, 60_000);
          return value;
        },
      }),
    ],
    [
      'forgets the TTL',
      /an entry is absent from get once its TTL has run out/,
      (good) => ({ set: (key, value) => good.set(key, value, 60_000) }),
    ],
    [
      'takes an empty value for an absent one',
      /an empty value is a value/,
      (good) => ({ get: async (key) => (await good.get(key)) || null }),
    ],
    [
      'normalises its keys',
      /keys that look alike/,
      (good) => ({
        setIfAbsent: (key, value, ttlMillis) => good.setIfAbsent(key.normalize(), value, ttlMillis),
        take: (key) => good.take(key.normalize()),
      }),
    ],
    [
      'trims its values',
      /hostile keys and values/,
      (good) => ({ get: async (key) => (await good.get(key))?.trim() ?? null }),
    ],
    [
      'counts on from what is no counter',
      /increment refuses a value that is not an integer/,
      (good) => ({
        increment: (key, ttlMillis, by) =>
          good.increment(key, ttlMillis, by).catch(() => ({ value: 1, remainingMillis: 1 })),
      }),
    ],
    [
      'throws instead of rejecting',
      /every verb refuses a key that is empty/,
      (good) => ({
        get(key) {
          if (key === '') throw new TypeError('empty');
          return good.get(key);
        },
      }),
    ],
    [
      'tells its time in seconds',
      /time is whole milliseconds since 1970/,
      (good) => ({ time: async () => Math.floor((await good.time()) / 1000) }),
    ],
    [
      'tells the time of another clock than that by which entries expire',
      /time is whole milliseconds since 1970/,
      () => ({ time: async () => 1_800_000_000_000 }),
    ],
    [
      'tells the time of a clock that goes back',
      /every opening returns the time of one clock/,
      (good, clock) => ({ time: async () => (await good.time()) - (clock.time++ % 2) * 10 }),
    ],
    [
      'says that it is shared, but can not be opened twice',
      /a shared one has been opened twice/,
      () => ({ lifetime: 'shared' }),
    ],
    [
      'forgets the TTL of items',
      /an item is absent once its TTL has run out/,
      (good) => ({ lists: { ...listsOf(good), put: (list, item) => listsOf(good).put(list, item, 60_000) } }),
    ],
    [
      'reads items in the order of a language',
      /items are read in the order of their bytes/,
      (good) => ({
        lists: {
          ...listsOf(good),
          async read(list) {
            const { items } = await listsOf(good).read(list, null, 1000);
            return { items: [...items].sort((one, other) => one.localeCompare(other)), next: null };
          },
        },
      }),
    ],
    [
      'pages its lists by number',
      /pages do not shift while items are put and removed/,
      (good) => ({
        lists: {
          ...listsOf(good),
          async read(list, after, limit) {
            const { items } = await listsOf(good).read(list, null, 1000);
            const from = Number(after ?? 0);
            const page = items.slice(from, from + limit);
            return { items: page, next: from + limit < items.length ? String(from + limit) : null };
          },
        },
      }),
    ],
  ])('catches a store that %s', async (_fault, expected, breakStore) => {
    expect(await failuresOf(sabotaged(breakStore))).toContainEqual(expect.stringMatching(expected));
  });

  it('catches a shared store whose openings do not see each other', async () => {
    const failures = await failuresOf(() => ({
      store: { ...createMemoryStore(), lifetime: 'shared' },
      openAgain: () => ({ ...createMemoryStore(), lifetime: 'shared' }),
      advance: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
    }));
    expect(failures).toContain('every opening sees at once what another one did');
    expect(failures).toContain('of concurrent setIfAbsent exactly one wins, and its value stays');
  });

  it('closes every store that it opened, also after a failure', async () => {
    let open = 0;
    await failuresOf(() => {
      open += 1;
      return {
        store: { ...createMemoryStore(), get: () => Promise.reject(new Error('broken')) },
        advance: () => {},
        close: () => {
          open -= 1;
        },
      };
    });
    expect(open).toBe(0);
  });
});
