import { randomUUID } from 'node:crypto';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { type RedisWatch, startRedisWatch } from '../../faults/redis-watch.js';
import type { StoredValue } from '../../faults/state-changes.js';

const redisUrl = inject('redisUrl');

describe.skipIf(lacks('redis'))('the watch of Redis', () => {
  const keyPrefix = `${randomUUID()}:`;
  const key = 'auth-tokens:session:admin:a1';
  let client: Redis;
  let watch: RedisWatch;
  beforeAll(async () => {
    client = new Redis(redisUrl!);
    await client.set(`${keyPrefix}${key}`, 'before the watch', 'PX', 60_000);
    watch = await startRedisWatch(redisUrl!, keyPrefix);
  });
  afterAll(async () => {
    watch?.close();
    await client?.quit();
  });

  const values = (taken: readonly StoredValue[]) => taken.map(({ before, after }) => [before, after]);

  /** The next values, once there are as many. */
  async function taken(count: number): Promise<unknown[]> {
    const all: StoredValue[] = [];
    await vi.waitFor(
      () => {
        all.push(...watch.take());
        expect(all.length).toBeGreaterThanOrEqual(count);
      },
      { timeout: 10_000 },
    );
    return values(all);
  }

  it('REL-12 notes what scripts write, with the value before; not what they refuse, and no other key', async () => {
    const store = createRedisStore({ client, keyPrefix });
    expect(await taken(1)).toEqual([[null, 'before the watch']]);
    expect(await store.setIfAbsent(key, 'refused', 60_000)).toBe(false);
    expect(await store.compareAndSet(key, 'before the watch', '{"live":[{"id":"a b"}]}', 60_000)).toBe(true);
    expect(await store.compareAndSet(key, 'wrong', 'refused', 60_000)).toBe(false);
    await store.set('captcha:x', 'no business', 60_000);
    await store.delete(key);
    expect(await taken(2)).toEqual([
      ['before the watch', '{"live":[{"id":"a b"}]}'],
      ['{"live":[{"id":"a b"}]}', null],
    ]);
  });

  it('REL-12 notes after a pause what has changed meanwhile', async () => {
    watch.pause();
    await client.set(`${keyPrefix}${key}`, 'first', 'PX', 60_000);
    await client.set(`${keyPrefix}${key}`, 'second', 'PX', 60_000);
    await watch.resume();
    expect(await taken(1)).toEqual([[null, 'second']]);
  });
});
