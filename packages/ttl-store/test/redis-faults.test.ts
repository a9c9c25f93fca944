import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Redis, type RedisOptions } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedisProcess, type RedisProcess } from '../../../scripts/redis-process.js';
import { lacks } from '../../../scripts/test-needs.js';
import { StoreUnavailableError, type TtlStore } from '../src/index.js';
import { createRedisStore } from '../src/redis/index.js';
import { eventually } from './eventually.js';

const TIMEOUT = 200;
// On a busy machine a refusal may be late by this much.
const SLACK = 3000;
const KEY = 'secret-key';
const VALUE = 'secret-value';

const everyVerb: Readonly<Record<string, (store: TtlStore) => Promise<unknown>>> = {
  setIfAbsent: (store) => store.setIfAbsent(KEY, VALUE, 1000),
  get: (store) => store.get(KEY),
  set: (store) => store.set(KEY, VALUE, 1000),
  take: (store) => store.take(KEY),
  increment: (store) => store.increment(KEY, 1000),
  compareAndSet: (store) => store.compareAndSet(KEY, VALUE, VALUE, 1000),
  'compareAndSet of an absent key': (store) => store.compareAndSet(KEY, null, VALUE, 1000),
  compareAndDelete: (store) => store.compareAndDelete(KEY, VALUE),
  delete: (store) => store.delete(KEY),
  time: (store) => store.time(),
};

async function expectRefused(store: TtlStore, verbs = Object.values(everyVerb)): Promise<void> {
  const start = Date.now();
  for (const error of await Promise.all(verbs.map((verb) => verb(store).catch((reason: unknown) => reason)))) {
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', statusCode: 503, cause: expect.any(Error) });
    const everything = inspect(error, { depth: null, showHidden: true });
    expect(everything).not.toContain(KEY);
    expect(everything).not.toContain(VALUE);
  }
  expect(Date.now() - start).toBeLessThan(TIMEOUT + SLACK);
}

const answers = (store: TtlStore) =>
  store.set('probe', 'value', 1000).then(
    () => true,
    () => false,
  );

describe.skipIf(lacks('redis-server')).each([
  { title: 'plain', enableAutoPipelining: false },
  { title: 'with automatic pipelining', enableAutoPipelining: true },
])('a Redis that fails, $title', ({ enableAutoPipelining }) => {
  let redis: RedisProcess;
  let client: Redis;

  function connect(options: Pick<RedisOptions, 'enableOfflineQueue' | 'lazyConnect'> = {}): TtlStore {
    client = new Redis({
      host: '127.0.0.1',
      port: redis.port,
      enableAutoPipelining,
      retryStrategy: () => 50,
      ...options,
    });
    client.on('error', () => {});
    return createRedisStore({ client, keyPrefix: 'test:', timeoutMillis: TIMEOUT });
  }

  beforeEach(async () => {
    redis = await createRedisProcess();
  });

  afterEach(async () => {
    client.disconnect();
    redis.resume();
    await redis.kill();
  });

  it('TOK-11 Redis away at the start is 503 within the limit, and works once Redis starts', async () => {
    const store = connect();
    await expectRefused(store);
    await redis.start();
    await eventually(() => answers(store));
  });

  it('TOK-11 Redis dying later is 503 within the limit, and works once Redis is back', async () => {
    await redis.start();
    const store = connect();
    await store.set(KEY, VALUE, 10_000);
    await redis.kill();
    await expectRefused(store);
    await expectRefused(store);
    await redis.start();
    await eventually(() => answers(store));
    expect(await store.get(KEY)).toBeNull();
  });

  it('TOK-11 Redis that hangs is 503 within the limit, and works once it continues', async () => {
    await redis.start();
    const store = connect();
    expect(await answers(store)).toBe(true);
    redis.pause();
    await expectRefused(store);
    redis.resume();
    await eventually(() => answers(store));
  });

  it('TOK-11 a verb refused without a connection is not carried out later', async () => {
    const store = connect();
    await expectRefused(store, [(one) => one.set(KEY, VALUE, 60_000), (one) => one.increment('counter', 60_000)]);
    await redis.start();
    await eventually(() => answers(store));
    expect(await store.get(KEY)).toBeNull();
    expect((await store.increment('counter', 60_000)).value).toBe(1);
  });

  it('TOK-11 an error reply is 503: a replica, no memory left, a foreign type, no permission', async () => {
    await redis.start();
    const store = connect();
    const writes = Object.entries(everyVerb).filter(([verb]) => verb !== 'get');
    expect(await answers(store)).toBe(true);

    await client.replicaof('127.0.0.1', '1');
    await expectRefused(store, [(one) => one.set(KEY, VALUE, 1000), (one) => one.increment(KEY, 1000)]);
    await client.replicaof('NO', 'ONE');

    await client.config('SET', 'maxmemory', '1');
    await expectRefused(store, [(one) => one.setIfAbsent(KEY, VALUE, 1000), (one) => one.increment(KEY, 1000)]);
    await client.config('SET', 'maxmemory', '0');

    await client.rpush(`test:${KEY}`, 'an element');
    await expectRefused(store, [(one) => one.get(KEY), (one) => one.take(KEY), (one) => one.increment(KEY, 1000)]);
    await client.del(`test:${KEY}`);

    await client.acl('SETUSER', 'default', '-@write', '-@scripting');
    await expectRefused(
      store,
      writes.map(([, verb]) => verb),
    );
    await client.acl('SETUSER', 'default', '+@all');
    expect(await answers(store)).toBe(true);
  });

  it('TOK-11 names the reason in the cause, and an unknown command without its arguments', async () => {
    await redis.kill();
    redis = await createRedisProcess('--rename-command', 'EVAL', '', '--rename-command', 'EVALSHA', '');
    await redis.start();
    const store = connect();
    await expectRefused(store, [(one) => one.take(KEY), (one) => one.compareAndDelete(KEY, VALUE)]);
    await expect(store.take(KEY)).rejects.toHaveProperty(
      'cause.message',
      expect.stringMatching(/^ERR unknown command/),
    );
    await redis.kill();
    await eventually(async () => client.status !== 'ready');
    await expect(store.get(KEY)).rejects.toHaveProperty('cause.message', `No answer within ${TIMEOUT} ms`);
  });

  it('TOK-11 a thousand callers waiting for a connection add no listeners and leave none', async () => {
    const store = connect();
    const before = client.listenerCount('ready');
    const calls = Array.from({ length: 1000 }, () => store.get(KEY).catch(() => null));
    await sleep(1);
    expect(client.listenerCount('ready')).toBeLessThan(before + 5);
    await Promise.all(calls);
    await redis.start();
    await eventually(() => answers(store));
    expect(client.listenerCount('ready')).toBe(before);
    expect(client.listenerCount('end')).toBeLessThanOrEqual(1);
  });

  it('REL-2 beyond ten thousand calls without an answer the next one is refused at once', async () => {
    connect();
    const store = createRedisStore({ client, keyPrefix: 'test:', timeoutMillis: 60_000 });
    const calls = Array.from({ length: 10_000 }, () => store.get(KEY).catch(() => null));
    await expect(store.get(KEY)).rejects.toHaveProperty('cause.message', '10000 calls are still without an answer');
    await redis.start();
    await Promise.all(calls);
    expect(await answers(store)).toBe(true);
  });

  it('REL-2 an answer that arrived while the process was busy beyond the limit is used', async () => {
    await redis.start();
    const store = connect();
    await store.set(KEY, VALUE, 60_000);
    const call = store.get(KEY);
    await sleep(20);
    const again = store.get(KEY);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const busyUntil = performance.now() + 2 * TIMEOUT;
    while (performance.now() < busyUntil);
    expect(await Promise.all([call, again])).toEqual([VALUE, VALUE]);
  });

  it('TOK-11 a closed client is 503 at once', async () => {
    await redis.start();
    const store = connect();
    expect(await answers(store)).toBe(true);
    await client.quit();
    await eventually(async () => client.status === 'end');
    const start = Date.now();
    await expect(store.get(KEY)).rejects.toThrow(StoreUnavailableError);
    expect(Date.now() - start).toBeLessThan(TIMEOUT + SLACK);
  });

  it('TOK-11 a client with lazyConnect or without an offline queue is connected by the first use', async () => {
    await redis.start();
    const lazy = connect({ lazyConnect: true });
    expect(await lazy.setIfAbsent(KEY, VALUE, 1000)).toBe(true);
    client.disconnect();
    const impatient = connect({ enableOfflineQueue: false });
    expect(await impatient.take(KEY)).toBe(VALUE);
  });
});
