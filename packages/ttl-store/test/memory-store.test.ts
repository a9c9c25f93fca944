import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { createMemoryStore, type MemoryStoreOptions, type StoreLists, StoreUnavailableError } from '../src/index.js';

function openAt(options: MemoryStoreOptions = {}) {
  const clock = { time: 1_800_000_000_000 };
  return { clock, store: createMemoryStore({ now: () => clock.time, ...options }) };
}

describe('a full memory store', () => {
  it('RPL-3 rejects with 503 and never drops a live entry', async () => {
    const { store } = openAt({ maxEntries: 3 });
    for (const key of ['a', 'b', 'c']) await store.set(key, key, 1000);
    const refused = [
      store.setIfAbsent('d', 'd', 1000),
      store.set('d', 'd', 1000),
      store.increment('d', 1000),
      store.compareAndSet('d', null, 'd', 1000),
    ];
    for (const call of refused) {
      await expect(call).rejects.toThrow(StoreUnavailableError);
      await expect(call).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', statusCode: 503 });
    }
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key)))).toEqual(['a', 'b', 'c', null]);
  });

  it('RPL-3 still reads, changes and deletes its entries', async () => {
    const { store } = openAt({ maxEntries: 2 });
    await store.set('record', 'a', 1000);
    await store.increment('counter', 1000);
    expect(await store.setIfAbsent('record', 'b', 1000)).toBe(false);
    expect(await store.compareAndSet('record', 'a', 'b', 1000)).toBe(true);
    await store.set('record', 'c', 1000);
    expect((await store.increment('counter', 1000)).value).toBe(2);
    expect(await store.take('record')).toBe('c');
    expect(await store.setIfAbsent('room', 'again', 1000)).toBe(true);
  });

  it('RPL-3 has room again at the millisecond in which an entry expires', async () => {
    const { store, clock } = openAt({ maxEntries: 2 });
    await store.set('long', 'a', 1000);
    await store.set('short', 'b', 10);
    clock.time += 9;
    await expect(store.set('new', 'c', 1000)).rejects.toThrow(StoreUnavailableError);
    clock.time += 1;
    await store.set('new', 'c', 1000);
    expect([await store.get('long'), await store.get('short'), await store.get('new')]).toEqual(['a', null, 'c']);
  });

  it('RPL-3 has room again when an entry with a shortened TTL expires, at any position in the queue', async () => {
    for (const shortened of ['a', 'b', 'c', 'd', 'e']) {
      const { store, clock } = openAt({ maxEntries: 5 });
      for (const key of ['a', 'b', 'c', 'd', 'e']) await store.set(key, key, 100);
      await store.set(shortened, 'short', 10);
      clock.time += 10;
      expect(await store.setIfAbsent('new', 'value', 100)).toBe(true);
      await expect(store.set('one more', 'value', 100)).rejects.toThrow(StoreUnavailableError);
    }
  });

  it('RPL-3 bounds the bytes of keys and values too, in UTF-8', async () => {
    const { store } = openAt({ maxBytes: 20 });
    await store.set('key', 'あああ', 1000); // 3 + 9 bytes
    await expect(store.set('other', 'あ😀', 1000)).rejects.toThrow(StoreUnavailableError); // 5 + 7
    await store.set('other', 'あ', 1000); // 5 + 3: full to the byte
    await expect(store.set('key', 'ああああ', 1000)).rejects.toThrow(StoreUnavailableError);
    expect(await store.get('key')).toBe('あああ');
    await store.set('key', '', 1000);
    await store.set('other', 'あああ!!!', 1000);
    expect(await store.get('other')).toBe('あああ!!!');
  });

  it('RPL-3 frees the memory of expired entries during writes, without a timer', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { store, clock } = openAt({ maxEntries: 1_000_000, maxBytes: Number.MAX_SAFE_INTEGER });
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const timersBefore = timers();
    collectGarbage();
    const heapBefore = process.memoryUsage().heapUsed;
    for (let count = 0; count < 20_000; count += 1) {
      // 40 MB of values in total, with a hundred live entries at a time.
      await store.set(`key ${count}`, `${count}`.padEnd(2000, '.'), 100);
      clock.time += 1;
    }
    collectGarbage();
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(10_000_000);
    expect(timers()).toBe(timersBefore);
    expect(await store.get('key 19999')).not.toBeNull();
  });
});

describe('the clock of a memory store', () => {
  it('keeps an entry until the last millisecond of its TTL', async () => {
    const { store, clock } = openAt();
    await store.set('key', 'value', 100);
    clock.time += 99;
    expect(await store.get('key')).toBe('value');
    clock.time += 1;
    expect(await store.get('key')).toBeNull();
  });

  it('returns a remaining time of whole milliseconds, at least 1, on a clock with fractions', async () => {
    const { store, clock } = openAt();
    await store.increment('key', 100);
    clock.time += 0.5;
    expect(await store.increment('key', 100)).toEqual({ value: 2, remainingMillis: 100 });
    clock.time += 99.25;
    expect(await store.increment('key', 100)).toEqual({ value: 3, remainingMillis: 1 });
  });

  it('does not restore an entry that was found expired when the clock is set back', async () => {
    const { store, clock } = openAt();
    await store.set('key', 'value', 100);
    clock.time += 100;
    expect(await store.get('key')).toBeNull();
    clock.time -= 50;
    expect(await store.get('key')).toBeNull();
  });

  it('RPL-3 expires and refuses by its bounds, for any order of writes, renewals and deletions', async () => {
    const maxEntries = 5;
    const maxBytes = 40;
    const step = fc.record({
      verb: fc.constantFrom('set', 'set', 'take', 'increment', 'compareAndSet', 'wait' as const),
      key: fc.constantFrom(...'abcdefgh'),
      value: fc.constantFrom('7', '8', '12345', '12345678901234'),
      millis: fc.integer({ min: 1, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
        const { store, clock } = openAt({ maxEntries, maxBytes });
        const model = new Map<string, { value: string; expiresAt: number }>();
        /** Writes to the model; returns false and writes nothing if that would exceed a bound. */
        const write = (key: string, entry: { value: string; expiresAt: number }): boolean => {
          const after = new Map(model).set(key, entry);
          const bytes = [...after].reduce((sum, [name, { value }]) => sum + name.length + value.length, 0);
          const grows = entry.value.length > (model.get(key)?.value.length ?? -1);
          if (grows && (after.size > maxEntries || bytes > maxBytes)) return false;
          model.set(key, entry);
          return true;
        };
        const outcome = (call: Promise<unknown>) =>
          call.catch((error: unknown) => (error instanceof StoreUnavailableError ? 'refused' : error));

        for (const { verb, key, value, millis } of steps) {
          for (const [name, entry] of model) if (entry.expiresAt <= clock.time) model.delete(name);
          const present = model.get(key);
          const expiresAt = clock.time + millis;
          if (verb === 'wait') clock.time += millis;
          if (verb === 'set') {
            const result = await outcome(store.set(key, value, millis));
            expect(result).toBe(write(key, { value, expiresAt }) ? undefined : 'refused');
          }
          if (verb === 'take') {
            expect(await store.take(key)).toBe(present?.value ?? null);
            model.delete(key);
          }
          if (verb === 'increment') {
            const entry = { value: `${Number(present?.value ?? 0) + 1}`, expiresAt: present?.expiresAt ?? expiresAt };
            const counter = { value: Number(entry.value), remainingMillis: entry.expiresAt - clock.time };
            const result = await outcome(store.increment(key, millis));
            expect(result).toEqual(write(key, entry) ? counter : 'refused');
          }
          if (verb === 'compareAndSet') {
            const result = await outcome(store.compareAndSet(key, '7', value, millis));
            if (present?.value !== '7') expect(result).toBe(false);
            else expect(result).toBe(write(key, { value, expiresAt }) ? true : 'refused');
          }
        }
        for (const key of 'abcdefgh') {
          const entry = model.get(key);
          const live = entry !== undefined && entry.expiresAt > clock.time;
          expect(await store.get(key)).toBe(live ? entry.value : null);
        }
      }),
      { numRuns: cases(300) },
    );
  });
});

describe('opening a memory store', () => {
  it('ADP-1 lists every bad option at once, by name and with what to give instead', () => {
    const bad = { maxEntries: 0, maxBytes: 1.5, now: 5 } as unknown as MemoryStoreOptions;
    expect(() => createMemoryStore(bad)).toThrow(
      /^createMemoryStore:\n- maxEntries must be .*\n- maxBytes must be .*\n- now must be a function .*Date\.now$/,
    );
    expect(() => createMemoryStore(bad)).toThrow(expect.objectContaining({ code: 'STORE_SETUP_INVALID' }));
  });

  it('refuses more entries than a Map of the engine can hold', () => {
    expect(() => createMemoryStore({ maxEntries: 2 ** 24 + 1 })).toThrow(/maxEntries/);
    expect(createMemoryStore({ maxEntries: 16_000_000 }).lifetime).toBe('process');
  });
});

describe('lists in memory', () => {
  it('RPL-3 API-4 items count as entries: a full store refuses another one, and expired ones make room', async () => {
    const { clock, store } = openAt({ maxEntries: 3 });
    const lists = store.lists as StoreLists;
    await store.set('entry', 'value', 10_000);
    for (const item of ['a', 'b']) await lists.put('list', item, 1000);
    await expect(lists.put('list', 'c', 1000)).rejects.toThrow(StoreUnavailableError);
    await lists.put('list', 'b', 1000);
    expect((await lists.read('list', null, 10)).items).toEqual(['a', 'b']);
    await expect(store.set('other', 'value', 1000)).rejects.toThrow(StoreUnavailableError);
    clock.time += 1000;
    await store.set('other', 'value', 1000);
    await lists.put('list', 'c', 1000);
    expect((await lists.read('list', null, 10)).items).toEqual(['c']);
  });

  it('RPL-3 API-4 keep their order, and nothing behind, through thousands of puts, removals and expiries', async () => {
    const { clock, store } = openAt();
    const lists = store.lists as StoreLists;
    const expected = new Map<string, number>();
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 6000; round += 1) {
      const item = String(random(3000));
      clock.time += 1;
      if (random(4) === 0) {
        expect(await lists.remove('list', item)).toBe((expected.get(item) ?? 0) > clock.time);
        expected.delete(item);
      } else {
        const ttlMillis = 1 + random(5000);
        await lists.put('list', item, ttlMillis);
        expected.set(item, clock.time + ttlMillis);
      }
    }
    const live = [...expected].flatMap(([item, expiresAt]) => (expiresAt > clock.time ? [item] : [])).sort();
    expect(live.length).toBeGreaterThan(600);
    const read: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await lists.read('list', after, 97);
      read.push(...page.items);
      after = page.next;
      if (after === null) break;
    }
    expect(read).toEqual(live);
  });
});
