import { randomUUID } from 'node:crypto';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { createPostgresStore, createTtlEntriesTable } from '@sallyport/ttl-store/postgres';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { createTestDatabase } from './test-database.js';
import type { Need } from './test-needs.js';

/** One store as two nodes open it, each with its own connections. */
export interface OpenedStore {
  readonly nodes: readonly [TtlStore, TtlStore];
  close(): Promise<void>;
}

/**
 * Timeout of a store operation, in milliseconds. Tests are about races, not about the time that a busy machine takes
 * for a hundred queries.
 */
const PATIENT_MILLIS = 15_000;

/** Every store that a deployment may use, and what it needs: skip with `lacks(need)`. */
export const stores: readonly (readonly [name: string, open: () => Promise<OpenedStore>, need: Need | null])[] = [
  ['memory', openMemory, null],
  ['Redis', () => openRedis(inject('redisUrl') as string), 'redis'],
  ['PostgreSQL', openPostgres, null],
];

async function openMemory(): Promise<OpenedStore> {
  const store = createMemoryStore();
  return { nodes: [store, store], close: async () => {} };
}

async function openRedis(url: string): Promise<OpenedStore> {
  const keyPrefix = `t:${randomUUID()}:`;
  const clients = [new Redis(url), new Redis(url)] as const;
  const open = (client: Redis) => createRedisStore({ client, keyPrefix, timeoutMillis: PATIENT_MILLIS });
  return {
    nodes: [open(clients[0]), open(clients[1])],
    close: async () => {
      await Promise.all(clients.map((client) => client.quit()));
    },
  };
}

async function openPostgres(): Promise<OpenedStore> {
  const database = await createTestDatabase();
  await createTtlEntriesTable(database.connect());
  const open = () => createPostgresStore({ database: database.connect(), timeoutMillis: PATIENT_MILLIS });
  return { nodes: [open(), open()], close: database.drop };
}
