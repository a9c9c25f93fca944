import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRedisProcess, type RedisProcess } from '../../../scripts/redis-process.js';
import { lacks } from '../../../scripts/test-needs.js';
import { createRedisStore, evictionWarning, type RedisStoreOptions } from '../src/redis/index.js';

describe('opening a Redis store', () => {
  it('ADP-1 lists every bad option at once, and shows no value', () => {
    const bad = { client: {}, keyPrefix: '', timeoutMillis: 0 } as unknown as RedisStoreOptions;
    expect(() => createRedisStore(bad)).toThrow(
      /^createRedisStore:\n- client must be a client of ioredis.*\n- keyPrefix must be .*\n- timeoutMillis must be .*$/,
    );
    const secret = { ...bad, keyPrefix: 'secret\u0000', timeoutMillis: 'secret' } as unknown as RedisStoreOptions;
    expect(() => createRedisStore(secret)).toThrow(/^(?!.*secret)/);
    expect(() => createRedisStore({ ...bad, keyPrefix: 'a'.repeat(257) })).toThrow(/keyPrefix must be/);
  });
});

it('ADP-1 a client in place of the options is one fault, not one for each of its members', () => {
  const client = new Redis({ lazyConnect: true });
  expect(() => createRedisStore(client as never)).toThrow(
    'createRedisStore: a client is given instead of options: write { client, keyPrefix }',
  );
  client.disconnect();
});

describe('OPS-9 a client that reads from replicas', () => {
  const nodes = ['redis://127.0.0.1:1'];
  const lazyConnect = true;
  const open = (client: Redis | Cluster) => {
    onTestFinished(() => client.disconnect());
    return createRedisStore({ client, keyPrefix: 'replicas:' });
  };

  it.each<[string, () => Redis | Cluster, string]>([
    ['scaleReads: slave', () => new Cluster(nodes, { lazyConnect, scaleReads: 'slave' }), "scaleReads: 'master'"],
    ['scaleReads: all', () => new Cluster(nodes, { lazyConnect, scaleReads: 'all' }), "scaleReads: 'master'"],
    ['scaleReads: a function', () => new Cluster(nodes, { lazyConnect, scaleReads: () => [] }), "scaleReads: 'master'"],
    ['readOnly', () => new Redis({ lazyConnect, readOnly: true }), 'without readOnly'],
    ['role', () => new Redis({ lazyConnect, sentinels: [{ port: 1 }], name: 'a', role: 'slave' }), "role: 'master'"],
  ])('OPS-9 is refused, with the reason and the option: %s', (_, create, advice) => {
    const fault = new RegExp(`^client reads from replicas, which lag behind .*: make it .*${advice}$`);
    expect(() => open(create())).toThrow(
      expect.objectContaining({
        code: 'STORE_SETUP_INVALID',
        subject: 'createRedisStore',
        faults: [expect.stringMatching(fault)],
      }),
    );
  });

  it('OPS-9 is not a client that reads from masters', () => {
    const once = { lazyConnect, autoResendUnfulfilledCommands: false };
    const onceInCluster = { lazyConnect, retryDelayOnFailover: 0 };
    for (const client of [
      new Cluster(nodes, { ...onceInCluster, scaleReads: 'master' }),
      new Cluster(nodes, { ...onceInCluster, scaleReads: undefined }),
      new Redis({ ...once, readOnly: false }),
      new Redis({ ...once, sentinels: [{ port: 1 }], name: 'a', role: 'master' }),
    ]) {
      expect(open(client).lifetime).toBe('shared');
    }
  });
});

it('OPS-9 warns once of each client that would carry a command out twice, and says the option', async () => {
  const warnings: string[] = [];
  const listen = ({ code, message }: Error & { code?: string }) => {
    if (code === 'SALLYPORT_REDIS_RESENDS') warnings.push(message);
  };
  process.on('warning', listen);
  const clients = [
    new Redis({ lazyConnect: true }),
    new Redis({ lazyConnect: true, autoResendUnfulfilledCommands: false }),
    new Redis({ lazyConnect: true, maxRetriesPerRequest: 0 }),
    new Cluster(['redis://127.0.0.1:1'], { lazyConnect: true }),
    new Cluster(['redis://127.0.0.1:1'], { lazyConnect: true, retryDelayOnFailover: 0 }),
  ];
  for (const client of [...clients, ...clients]) createRedisStore({ client, keyPrefix: 'warned:' });
  await sleep(0);
  process.off('warning', listen);
  expect(warnings).toEqual([
    expect.stringContaining('{ autoResendUnfulfilledCommands: false }'),
    expect.stringContaining('{ retryDelayOnFailover: 0 }'),
  ]);
  for (const client of clients) client.disconnect();
});

it('defines no command on the client of one server, which would copy it for every packet', () => {
  const client = new Redis({ lazyConnect: true, autoResendUnfulfilledCommands: false });
  createRedisStore({ client, keyPrefix: 'undefined:' });
  expect((client as unknown as { scriptsSet: object }).scriptsSet).toEqual({});
  client.disconnect();
});

it('REL-2 a script that Redis has lost is not sent again for a caller who was refused', async () => {
  const asked: string[] = [];
  let lose: (error: Error) => void = () => {};
  const answer = new Promise<never>((_, reject) => {
    lose = reject;
  });
  const client = {
    ...{ status: 'ready', options: { autoResendUnfulfilledCommands: false } },
    ...{ on() {}, off() {}, defineCommand() {} },
    async eval() {
      asked.push('eval');
      return ['1', 1000];
    },
    evalsha() {
      asked.push('evalsha');
      return answer;
    },
  };
  const store = createRedisStore({ client: client as unknown as Redis, keyPrefix: 'lost:', timeoutMillis: 50 });
  await store.increment('key', 1000);
  await expect(store.increment('key', 1000)).rejects.toThrow('The store is unavailable');
  lose(new Error('NOSCRIPT No matching script'));
  await sleep(20);
  expect(asked).toEqual(['eval', 'evalsha']);
});

describe.skipIf(lacks('redis-server'))('a Redis of its own', () => {
  let redis: RedisProcess;
  let client: Redis;

  beforeAll(async () => {
    redis = await createRedisProcess();
    await redis.start();
    client = new Redis({ host: '127.0.0.1', port: redis.port });
    client.on('error', () => {});
  });

  afterAll(async () => {
    client.disconnect();
    await redis.kill();
  });

  beforeEach(async () => {
    await client.flushall();
  });

  it('RPL-4 every verb is one command, one round trip, on one key', async () => {
    const store = createRedisStore({ client, keyPrefix: 'nonces:' });
    const verbs = {
      setIfAbsent: () => store.setIfAbsent('key', 'value', 10_000),
      get: () => store.get('key'),
      set: () => store.set('key', '1', 10_000),
      increment: () => store.increment('key', 10_000),
      compareAndSet: () => store.compareAndSet('key', '2', 'value', 10_000),
      compareAndDelete: () => store.compareAndDelete('key', 'value'),
      'compareAndSet of an absent key': () => store.compareAndSet('key', null, 'value', 10_000),
      take: () => store.take('key'),
      delete: () => store.delete('key'),
      time: () => store.time(),
    };
    // A warm-up: the first use of a script on a connection sends the whole script.
    for (const verb of Object.values(verbs)) await verb();

    const monitor = await client.monitor();
    const seen: string[][] = [];
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (source !== 'lua') seen.push(args);
    });
    for (const verb of Object.values(verbs)) await verb();
    await client.echo('end');
    while (seen.at(-1)?.[0] !== 'echo') await sleep(5);
    monitor.disconnect();

    expect(seen.slice(0, -1).map(([command]) => command)).toEqual([
      ...['set', 'get', 'set', 'evalsha', 'evalsha', 'evalsha', 'set', 'evalsha', 'del', 'evalsha'],
    ]);
    for (const [index, [command, ...args]] of seen.slice(0, -1).entries()) {
      const keys = args.filter((argument) => argument.startsWith('nonces:'));
      // The time is that of the master of the bare prefix.
      expect(keys).toEqual([index === seen.length - 2 ? 'nonces:' : 'nonces:key']);
      if (command === 'evalsha') expect(args[1]).toBe('1');
    }
  });

  it('RPL-4 works after Redis has dropped the scripts', async () => {
    const store = createRedisStore({ client, keyPrefix: 'nonces:' });
    expect((await store.increment('key', 10_000)).value).toBe(1);
    await client.script('FLUSH');
    const counters = await Promise.all(Array.from({ length: 20 }, () => store.increment('key', 10_000)));
    expect(counters.map(({ value }) => value).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 2),
    );
  });

  it('RG-08 leaves no key outside its prefix, and none without a TTL', async () => {
    const store = createRedisStore({ client, keyPrefix: 'nonces:' });
    for (const key of ['*', 'a\nb', 'a:b', '😀', '{tag}']) {
      await store.setIfAbsent(`${key}1`, 'value', 10_000);
      await store.set(`${key}2`, 'value', 10_000);
      await store.increment(`${key}3`, 10_000);
      await store.increment(`${key}3`, 10_000);
      await store.compareAndSet(`${key}4`, null, 'value', 10_000);
      await store.compareAndSet(`${key}4`, 'value', 'other', 10_000);
    }
    const keys = await client.keys('*');
    expect(keys).toHaveLength(20);
    for (const key of keys) {
      expect(key).toMatch(/^nonces:/);
      expect(await client.pttl(key)).toBeGreaterThan(0);
    }
  });

  it('gives a counter that lost its TTL a new one', async () => {
    const store = createRedisStore({ client, keyPrefix: 'counters:' });
    await store.increment('key', 10_000);
    await client.persist('counters:key');
    expect((await store.increment('key', 10_000)).remainingMillis).toBe(10_000);
    expect(await client.pttl('counters:key')).toBeGreaterThan(0);
  });

  it('any number of stores share one client, each with its own keys, and none closes it', async () => {
    const stores = ['a:', 'b:', 'c:'].map((keyPrefix) => createRedisStore({ client, keyPrefix }));
    const methods = Object.keys(client).filter((name) => name.startsWith('ttlStore'));
    for (const store of stores) expect((await store.increment('key', 10_000)).value).toBe(1);
    createRedisStore({ client, keyPrefix: 'd:' });
    expect(Object.keys(client).filter((name) => name.startsWith('ttlStore'))).toEqual(methods);
    expect(client.status).toBe('ready');
  });

  it('reads numbers from a client that returns them as strings', async () => {
    const strings = new Redis({ host: '127.0.0.1', port: redis.port, stringNumbers: true });
    const store = createRedisStore({ client: strings, keyPrefix: 'strings:' });
    expect(await store.increment('key', 10_000)).toEqual({ value: 1, remainingMillis: 10_000 });
    expect(await store.compareAndSet('key', '1', '2', 10_000)).toBe(true);
    expect(await store.compareAndDelete('key', '2')).toBe(true);
    expect(await store.delete('key')).toBe(false);
    strings.disconnect();
  });

  it('RPL-4 warns if Redis may evict, and only then', async () => {
    expect(await evictionWarning(client)).toBeNull();
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await evictionWarning(client)).toBeNull(); // without a maxmemory nothing is evicted
    await client.config('SET', 'maxmemory', '100mb');
    expect(await evictionWarning(client)).toMatch(/may evict.*allkeys-lru.*104857600.*noeviction/);
    await client.config('SET', 'maxmemory-policy', 'volatile-ttl');
    expect(await evictionWarning(client)).toMatch(/volatile-ttl/);
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    expect(await evictionWarning(client)).toBeNull();
    await client.config('SET', 'maxmemory', '0');
  });

  it('RPL-4 says so if it could not determine whether Redis may evict', async () => {
    await client.acl('SETUSER', 'limited', 'on', '>password', '~*', '+@all', '-info');
    const limited = new Redis({
      host: '127.0.0.1',
      port: redis.port,
      username: 'limited',
      password: 'password',
      enableReadyCheck: false,
    });
    expect(await evictionWarning(limited)).toMatch(/could not be checked \(NOPERM .*noeviction/);
    limited.disconnect();
    await new Promise((resolve) => limited.once('end', resolve));
    expect(await evictionWarning(limited)).toMatch(/could not be checked \(.*closed/);
  });
});
