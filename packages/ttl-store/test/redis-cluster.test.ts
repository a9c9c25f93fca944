import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../../../scripts/redis-cluster.js';
import { lacks } from '../../../scripts/test-needs.js';
import { describeTtlStore } from '../src/conformance/index.js';
import { createRedisStore, evictionWarning } from '../src/redis/index.js';

describe.skipIf(lacks('redis-cluster'))('a Redis Cluster of three', () => {
  let redis: RedisCluster;
  const clusters: Cluster[] = [];

  function connect(enableAutoPipelining: boolean): Cluster {
    const cluster = new Cluster([{ host: '127.0.0.1', port: redis.nodes[0]!.port }], { enableAutoPipelining });
    clusters.push(cluster);
    return cluster;
  }

  beforeAll(async () => {
    redis = await startRedisCluster(3);
  });

  afterAll(async () => {
    for (const cluster of clusters) cluster.disconnect();
    await redis.close();
  });

  describe.each([false, true])('automatic pipelining %s', (enableAutoPipelining) => {
    let one: Cluster | null = null;
    let other: Cluster | null = null;
    const keyPrefix = `ttl-store-test:${randomUUID()}:`;

    describeTtlStore(
      'OPS-9 the Redis store keeps the contract on a Cluster',
      () => {
        one ??= connect(enableAutoPipelining);
        other ??= connect(enableAutoPipelining);
        const again = createRedisStore({ client: other, keyPrefix, timeoutMillis: 10_000 });
        return {
          store: createRedisStore({ client: one, keyPrefix, timeoutMillis: 10_000 }),
          openAgain: () => again,
          advance: (millis) => sleep(millis),
        };
      },
      { describe, it: it.concurrent },
    );
  });

  it('OPS-9 a command whose answer was lost is refused, and is not carried out again', async () => {
    const cluster = new Cluster([{ host: '127.0.0.1', port: redis.nodes[0]!.port }], { retryDelayOnFailover: 0 });
    clusters.push(cluster);
    const store = createRedisStore({ client: cluster, keyPrefix: 'lost:' });
    expect((await store.increment('count', 60_000)).value).toBe(1);
    const nodes = cluster.nodes('master');
    // Redis carries out what comes from these connections, and answers nothing.
    for (const node of nodes) node.call('CLIENT', 'REPLY', 'OFF').catch(() => {});
    const lost = store.increment('count', 60_000);
    lost.catch(() => {});
    const other = connect(false);
    await expect.poll(() => other.get('lost:count')).toBe('2');
    for (const node of nodes) node.stream.destroy();
    await expect(lost).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect.poll(() => store.increment('other', 60_000).then(({ value }) => value > 0)).toBe(true);
    await sleep(300);
    expect(await other.get('lost:count')).toBe('2');
  });

  it('OPS-9 spreads the keys over all nodes of the Cluster', async () => {
    const cluster = connect(true);
    const store = createRedisStore({ client: cluster, keyPrefix: 'spread:', timeoutMillis: 10_000 });
    const keys = Array.from({ length: 200 }, (_, index) => `key ${index}`);
    await Promise.all(keys.map((key) => store.increment(key, 60_000)));
    expect(await Promise.all(keys.map((key) => store.take(key)))).toEqual(keys.map(() => '1'));
    await Promise.all(keys.map((key) => store.set(key, 'value', 60_000)));
    const found = await Promise.all(cluster.nodes('master').map((node) => node.keys('spread:*')));
    expect(found.map((held) => held.length).every((held) => held > 20)).toBe(true);
  });

  it('TOK-12 asks one master of the Cluster for the time, whichever connection asks', async () => {
    const stores = [false, true].map((enableAutoPipelining) =>
      createRedisStore({ client: connect(enableAutoPipelining), keyPrefix: 'time:', timeoutMillis: 10_000 }),
    );
    const nodes = clusters[0]!.nodes('master');
    await Promise.all(nodes.map((node) => node.config('RESETSTAT')));
    for (let round = 0; round < 10; round += 1) await Promise.all(stores.map((store) => store.time()));
    const stats = await Promise.all(nodes.map((node) => node.info('commandstats')));
    const asked = stats.map((text) => Number(/^cmdstat_time:calls=(\d+)/m.exec(text)?.[1] ?? 0));
    expect(asked.sort()).toEqual([0, 0, 20]);
  });

  it('RPL-4 warns if one master of the Cluster may evict', async () => {
    const cluster = connect(false);
    expect(await evictionWarning(cluster)).toBeNull();
    const last = cluster.nodes('master').at(-1) as Redis;
    await last.config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-random');
    expect(await evictionWarning(cluster)).toMatch(/allkeys-random/);
    await last.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
  });
});
