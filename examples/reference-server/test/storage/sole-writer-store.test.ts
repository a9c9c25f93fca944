import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { describeTtlStore } from '@sallyport/ttl-store/conformance';
import { describe, expect, it, vi } from 'vitest';
import { createSoleWriterStore } from '../../src/storage/sole-writer-store.js';

const MINUTE = 60_000;

describeTtlStore(
  'OPS-9 the sole-writer store passes the conformance suite',
  () => {
    let time = 1_800_000_000_000;
    const now = () => time;
    return {
      store: createSoleWriterStore(createMemoryStore({ now }), { now }),
      advance: (millis) => {
        time += millis;
      },
    };
  },
  { describe, it },
);

describe('the cache of the sole-writer store', () => {
  function watched() {
    const inner = createMemoryStore();
    const get = vi.fn(inner.get);
    const store = createSoleWriterStore({ ...inner, get });
    return { inner, get, store };
  }

  it('OPS-9 holds what this process wrote, and answers without asking the store', async () => {
    const { get, store } = watched();
    await store.set('a', '1', MINUTE);
    expect(await store.get('a')).toBe('1');
    expect(await store.compareAndSet('a', '1', '2', MINUTE)).toBe(true);
    expect(await store.get('a')).toBe('2');
    expect(get).not.toHaveBeenCalled();
  });

  it('TOK-14 answers several keys from the cache, and asks the store for the others in one call', async () => {
    const inner = createMemoryStore();
    const getAll = vi.fn(inner.getAll);
    const store = createSoleWriterStore({ ...inner, getAll });
    await inner.set('earlier', '1', MINUTE);
    await store.set('own', '2', MINUTE);
    await store.set('empty', '', MINUTE);
    expect(await store.getAll?.(['absent', 'own', 'earlier', 'empty'])).toEqual([null, '2', '1', '']);
    expect(await store.getAll?.(['own', 'empty'])).toEqual(['2', '']);
    expect(getAll.mock.calls).toEqual([[['absent', 'earlier']]]);
  });

  it('OPS-9 does not hold earlier entries: the store is asked each time', async () => {
    const { inner, get, store } = watched();
    await inner.set('a', '1', MINUTE);
    expect([await store.get('a'), await store.get('a'), get.mock.calls.length]).toEqual(['1', '1', 2]);
  });

  it.each<[string, (store: TtlStore) => Promise<unknown>, string | null]>([
    ['took it', (store) => store.take('a'), null],
    ['deleted it', (store) => store.delete('a'), null],
    ['deleted it by its value', (store) => store.compareAndDelete('a', '1'), null],
    ['added to it', (store) => store.increment('a', MINUTE), '2'],
    ['did not get to write it', (store) => store.setIfAbsent('a', '9', MINUTE), '1'],
    ['compared it wrongly', (store) => store.compareAndSet('a', '9', '8', MINUTE), '1'],
  ])('TOK-3 is nothing once a verb %s', async (_what, run, expected) => {
    const { get, store } = watched();
    await store.set('a', '1', MINUTE);
    await run(store);
    expect(await store.get('a')).toBe(expected);
    expect(get).toHaveBeenCalledTimes(1);
  });

  it('TOK-3 drops an entry whose write failed, because the write may have taken effect', async () => {
    const { inner, store } = watched();
    await store.set('a', 'live', MINUTE);
    const failing = createSoleWriterStore({
      ...inner,
      async set(key, value, ttlMillis) {
        await inner.set(key, value, ttlMillis);
        throw new Error('no answer in time');
      },
    });
    await expect(failing.set('a', 'revoked', MINUTE)).rejects.toThrow('no answer in time');
    expect(await failing.get('a')).toBe('revoked');
  });

  it('TOK-3 drops an entry with overlapping writes, whatever the order of their answers', async () => {
    const inner = createMemoryStore();
    const answers: (() => void)[] = [];
    const store = createSoleWriterStore({
      ...inner,
      // Takes effect at once, and resolves when the test releases it.
      async set(key, value, ttlMillis) {
        await inner.set(key, value, ttlMillis);
        await new Promise<void>((resolve) => answers.push(resolve));
      },
    });
    const first = store.set('a', 'live', MINUTE);
    const second = store.set('a', 'revoked', MINUTE);
    await vi.waitFor(() => expect(answers).toHaveLength(2), 10_000);
    answers[1]!();
    await second;
    answers[0]!();
    await first;
    expect(await store.get('a')).toBe('revoked');
  });

  it('RPL-3 is bounded: for many keys and for long values the store is asked', async () => {
    const { get, store } = watched();
    await store.set('long', 'x'.repeat(10_000), MINUTE);
    await store.set('first', '1', MINUTE);
    for (let i = 0; i < 10_000; i += 1) await store.set(`k${i}`, '1', MINUTE);
    for (const key of ['long', 'first']) expect(await store.get(key)).not.toBeNull();
    expect(get).toHaveBeenCalledTimes(2);
    expect(await store.get('k9999')).toBe('1');
    expect(get).toHaveBeenCalledTimes(2);
  });
});
