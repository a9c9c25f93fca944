import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/free-port.mjs';
import { createRedisProcess, type RedisProcess, redisServerMajor } from '../../../scripts/redis-process.js';
import { describeTtlStore } from '../src/conformance.js';
import { createRedisStore, evictionWarning } from '../src/redis.js';
import { eventually } from './eventually.js';

const SLOTS = 16_384;

async function startCluster(): Promise<RedisProcess[]> {
  const nodes = await Promise.all(
    Array.from({ length: 3 }, async () =>
      createRedisProcess(
        '--cluster-enabled',
        'yes',
        '--cluster-port',
        `${await freePort()}`,
        '--cluster-node-timeout',
        '2000',
      ),
    ),
  );
  await Promise.all(nodes.map((node) => node.start()));
  const admins = nodes.map(({ port }) => new Redis({ host: '127.0.0.1', port }));
  const share = Math.ceil(SLOTS / nodes.length);
  for (const [index, admin] of admins.entries()) {
    await admin.cluster('ADDSLOTSRANGE', index * share, Math.min((index + 1) * share, SLOTS) - 1);
    await admin.cluster('SET-CONFIG-EPOCH', index + 1);
  }
  for (const { port } of nodes.slice(1)) {
    const busPort = await (admins[nodes.findIndex((node) => node.port === port)] as Redis).config(
      'GET',
      'cluster-port',
    );
    await admins[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port, (busPort as string[])[1] as string);
  }
  await eventually(async () => {
    const states = await Promise.all(admins.map((admin) => admin.cluster('INFO')));
    return states.every((state) => /cluster_state:ok/.test(state) && /cluster_known_nodes:3/.test(state));
  }, 20_000);
  for (const admin of admins) admin.disconnect();
  return nodes;
}

// From Redis 7 on a node takes a port for its bus, and slots by range.
describe.skipIf(redisServerMajor === null || redisServerMajor < 7)('a Redis Cluster of three', () => {
  let nodes: RedisProcess[] = [];
  const clusters: Cluster[] = [];

  function connect(enableAutoPipelining: boolean): Cluster {
    const cluster = new Cluster([{ host: '127.0.0.1', port: nodes[0]?.port as number }], { enableAutoPipelining });
    clusters.push(cluster);
    return cluster;
  }

  beforeAll(async () => {
    nodes = await startCluster();
  });

  afterAll(async () => {
    for (const cluster of clusters) cluster.disconnect();
    await Promise.all(nodes.map((node) => node.kill()));
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
      { describe, it },
    );
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

  it('RPL-4 warns when one master of the Cluster may evict', async () => {
    const cluster = connect(false);
    expect(await evictionWarning(cluster)).toBeNull();
    const last = cluster.nodes('master').at(-1) as Redis;
    await last.config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'allkeys-random');
    expect(await evictionWarning(cluster)).toMatch(/allkeys-random/);
    await last.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
  });
});
