import { randomUUID } from 'node:crypto';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { createPostgresStore, createTtlEntriesTable } from '@sallyport/ttl-store/postgres';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { drizzle } from 'drizzle-orm/postgres-js';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';
import { createRedisProcess } from '../../../scripts/redis-process.js';
import { createTestDatabase } from '../../../scripts/test-database.js';

/** One store as two nodes open it. */
export interface OpenedStore {
  readonly nodes: readonly [TtlStore, TtlStore];
  close(): Promise<void>;
}

/** Every store that a deployment may choose; null where this machine has no such service. */
export const stores: readonly (readonly [name: string, open: (() => Promise<OpenedStore>) | null])[] = [
  ['memory', openMemory],
  ['Redis', inject('redisUrl') === null ? null : () => openRedis(inject('redisUrl') as string)],
  ['PostgreSQL', openPostgres],
];

async function openMemory(): Promise<OpenedStore> {
  const store = createMemoryStore();
  return { nodes: [store, store], close: async () => {} };
}

async function openRedis(url: string): Promise<OpenedStore> {
  const keyPrefix = `t:${randomUUID()}:`;
  const clients = [new Redis(url), new Redis(url)] as const;
  return {
    nodes: [createRedisStore({ client: clients[0], keyPrefix }), createRedisStore({ client: clients[1], keyPrefix })],
    close: async () => {
      await Promise.all(clients.map((client) => client.quit()));
    },
  };
}

async function openPostgres(): Promise<OpenedStore> {
  const { url, drop } = await createTestDatabase();
  const pools = [postgres(url, { max: 5 }), postgres(url, { max: 5 })] as const;
  await createTtlEntriesTable(drizzle(pools[0]));
  return {
    nodes: [createPostgresStore({ database: drizzle(pools[0]) }), createPostgresStore({ database: drizzle(pools[1]) })],
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await drop();
    },
  };
}

/** A Redis of a test's own, to be stopped and flushed at will. */
export async function startOwnRedis(): Promise<{ client: Redis; stop(): Promise<void> }> {
  const redis = await createRedisProcess();
  onTestFinished(redis.kill);
  await redis.start();
  const client = new Redis(redis.url, { retryStrategy: () => 100 });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return { client, stop: redis.kill };
}
