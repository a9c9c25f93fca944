import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryStore, type StoreMarks, type TtlStore } from '@sallyport/ttl-store';
import { createPostgresStore, createTtlEntriesTable } from '@sallyport/ttl-store/postgres';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { drizzle } from 'drizzle-orm/pglite';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startRedisCluster } from '../../../../scripts/redis-cluster.js';
import { createTestDatabase } from '../../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../../scripts/test-embedded.js';
import { lacks, type Need } from '../../../../scripts/test-needs.js';
import { createReplayGuard, type ReplayGuardEvent } from '../../src/index.js';
import { openedEnvelope } from '../envelopes.js';

/** A store as two servers open it. */
interface OpenedStore {
  readonly nodes: readonly [TtlStore, TtlStore];
  /** Deletes every entry. */
  flush(): Promise<unknown>;
}

const stores: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  // A store in memory is new in each process, which refuses what was stamped before its start (RPL-3).
  'a store in memory that is told to be shared': async () => {
    let store = createMemoryStore();
    const calls = { setIfAbsent: async () => false, lifetime: 'shared' } as const;
    const marks = { parts: 1 } as Record<string, unknown>;
    for (const verb of ['keep', 'replace', 'setIfAbsent'] as const) {
      marks[verb] = (...given: never[]) =>
        ((store.marks as StoreMarks)[verb] as (...args: never[]) => unknown)(...given);
    }
    const node = { ...calls, marks } as unknown as TtlStore;
    return {
      nodes: [node, node],
      flush: async () => {
        store = createMemoryStore();
      },
    };
  },
  'the embedded database': async () => {
    const database = drizzle(await openTestEmbedded());
    onTestFinished(() => database.$client.close());
    await createTtlEntriesTable(database);
    const open = () => createPostgresStore({ database, timeoutMillis: 10_000 });
    return { nodes: [open(), open()], flush: () => database.$client.exec('truncate ttl_entries') };
  },
  PostgreSQL: async () => {
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    const orm = database.connect();
    await createTtlEntriesTable(orm);
    const open = () => createPostgresStore({ database: database.connect(), timeoutMillis: 10_000 });
    return { nodes: [open(), open()], flush: () => orm.execute('truncate ttl_entries') };
  },
  Redis: async () => {
    const redisUrl = inject('redisUrl') as string;
    const keyPrefix = `loss:${randomUUID()}:`;
    const clients = [new Redis(redisUrl), new Redis(redisUrl)] as const;
    onTestFinished(() => {
      for (const client of clients) client.disconnect();
    });
    const open = (client: Redis) => createRedisStore({ client, keyPrefix, timeoutMillis: 10_000 });
    return {
      nodes: [open(clients[0]), open(clients[1])],
      flush: async () => clients[0].del(await clients[0].keys(`${keyPrefix}*`)),
    };
  },
  'a Redis Cluster': async () => {
    const redis = await startRedisCluster(3);
    const connect = () => new Cluster([{ host: '127.0.0.1', port: redis.nodes[0]!.port }]);
    const clusters = [connect(), connect()] as const;
    onTestFinished(async () => {
      for (const cluster of clusters) cluster.disconnect();
      await redis.close();
    });
    const open = (client: Cluster) => createRedisStore({ client, keyPrefix: 'loss:', timeoutMillis: 10_000 });
    return {
      nodes: [open(clusters[0]), open(clusters[1])],
      flush: () => Promise.all(clusters[0].nodes('master').map((master) => master.flushall())),
    };
  },
};

const needs: Readonly<Record<string, Need>> = { Redis: 'redis', 'a Redis Cluster': 'redis-cluster' };

/** RPL-6. It takes a second, and the beat of the slower server. */
const SERVED_AGAIN_MILLIS = 10_000;

describe.each(Object.entries(stores))('with %s', (name, open) => {
  it.skipIf(lacks(needs[name] ?? null))(
    'RPL-6 a flush is noticed: no envelope is accepted again, by any server, and new ones within 10 s',
    async () => {
      const { nodes, flush } = await open();
      const events: ReplayGuardEvent[] = [];
      const onEvent = (event: ReplayGuardEvent) => void events.push(event);
      const guards = nodes.map((store) => createReplayGuard({ store, isNewStore: true, onEvent }));
      for (const guard of guards) await guard.watchStore();
      // More than one for each part of a Cluster.
      const before = Array.from({ length: 40 }, (_, n) => openedEnvelope({ nonce: Buffer.alloc(16, n) }));
      const one = guards[0]!;
      expect(await Promise.all(before.map((envelope) => one.claim(envelope)))).toEqual(before.map(() => true));
      expect(await Promise.all(before.map((envelope) => one.claim(envelope)))).toEqual(before.map(() => false));
      expect(one.state()).toEqual({ isRecovering: false, reason: null, remainingMillis: 0 });

      await flush();
      const replays = guards.flatMap((guard) => before.map((envelope) => guard.claim(envelope)));
      expect((await Promise.all(replays)).filter(Boolean)).toEqual([]);
      expect(events).toContainEqual(expect.objectContaining({ kind: 'loss', reason: 'absent' }));
      // Also on the server that finds the mark that another one has drawn.
      for (const guard of guards) expect(guard.state()).toMatchObject({ isRecovering: true, reason: 'absent' });

      const lost = performance.now();
      while (!(await one.claim(openedEnvelope()))) await sleep(50);
      expect(performance.now() - lost).toBeLessThan(SERVED_AGAIN_MILLIS);
      const later = guards.flatMap((guard) => before.map((envelope) => guard.claim(envelope)));
      expect((await Promise.all(later)).filter(Boolean)).toEqual([]);
    },
    60_000,
  );
});
