import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../../../scripts/redis-cluster.js';
import { lacks } from '../../../scripts/test-needs.js';
import { createRedisNotifier } from '../src/redis/index.js';

const patiently = { timeout: 60_000, interval: 20 };

describe.skipIf(lacks('redis-cluster'))('a notifier on a Redis Cluster of three', { timeout: 120_000 }, () => {
  let redis: RedisCluster;
  const clients: Cluster[] = [];
  beforeAll(async () => {
    redis = await startRedisCluster(3);
  }, 120_000);
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await redis?.close();
  });

  function connect(): Cluster {
    const client = new Cluster([redis.url], { clusterRetryStrategy: () => 100 });
    client.on('error', () => {});
    clients.push(client);
    return client;
  }

  it('OPS-9 SYS-3 notifies across the nodes of the Cluster, and again after all of them were away', async () => {
    const channel = 'cluster-test:system-parameters';
    const [one, other] = [connect(), connect()];
    await Promise.all([one, other].map((client) => client.ping()));
    const publisher = createRedisNotifier({ client: one, channel });
    let notified = 0;
    const attempts = vi.spyOn(other, 'nodes');
    const subscription = createRedisNotifier({ client: other, channel }).subscribe(() => {
      notified += 1;
    });
    await subscription.active;
    const atFirst = notified;
    await publisher.publish();
    await vi.waitFor(() => expect(notified).toBeGreaterThan(atFirst), patiently);

    const began = performance.now();
    attempts.mockClear();
    await Promise.all(redis.nodes.map((node) => node.kill()));
    await vi.waitFor(() => expect(attempts.mock.calls.length).toBeGreaterThan(3), patiently);
    // The pauses grow (50 ms, 100 ms, …), so this many attempts take at least this long.
    const tried = attempts.mock.calls.length;
    expect(25 * tried * (tried - 1)).toBeLessThanOrEqual(performance.now() - began + 50);
    const meanwhile = notified;
    await Promise.all(redis.nodes.map((node) => node.start()));
    await redis.agreed();

    // Subscribing again calls the listener, since a message may have been missed.
    await vi.waitFor(() => expect(notified).toBeGreaterThan(meanwhile), patiently);
    const again = notified;
    await vi.waitFor(() => publisher.publish(), patiently);
    await vi.waitFor(() => expect(notified).toBeGreaterThan(again), patiently);
    await subscription.end();
    expect(one.status).not.toBe('end');
  });
});
