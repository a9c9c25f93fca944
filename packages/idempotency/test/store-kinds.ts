import { randomUUID } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import { createPostgresStore, createTtlEntriesTable, ttlEntries } from '@sallyport/ttl-store/postgres';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { sql } from 'drizzle-orm';
import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { createTestDatabase } from '../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import type { Need } from '../../../scripts/test-needs.js';
import type { IdempotencyOptions } from '../src/index.js';
import {
  createIdempotencyRecordsTable,
  createPostgresIdempotencyStore,
  idempotencyRecords,
} from '../src/postgres/index.js';

type Store = IdempotencyOptions['store'];
export type TestedDatabase = PgDatabase<PgQueryResultHKT>;

/** One store, opened by two nodes, and the operations of a test on its contents. */
export interface OpenedKind {
  readonly nodes: readonly [Store, Store];
  /** One pool per node, for handlers that write in the records' transactions; null for a `TtlStore`. */
  readonly databases: readonly [TestedDatabase, TestedDatabase] | null;
  /** Lets every lease run out by the store's own clock. */
  lapseLeases(): Promise<void>;
  /** Lets the retention of every record run out. */
  expireRecords(): Promise<void>;
  /** The whole contents of the store as text. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

// Long enough for a hundred queries on a busy machine: the tests are about races, not speed.
const timeoutMillis = 15_000;

/** Every kind of store, and what it needs: skip with `lacks(need)`. */
export const storeKinds: readonly (readonly [name: string, open: () => Promise<OpenedKind>, need: Need | null])[] = [
  ['memory', openMemory, null],
  ['Redis', () => openRedis(inject('redisUrl') as string), 'redis'],
  ['PostgreSQL as a TtlStore', openTtlPostgres, null],
  ['PostgreSQL', openPostgres, null],
  ['PostgreSQL by node-postgres', openNodePostgres, null],
  ['PGlite', openPglite, null],
];

/** Those whose records commit in the transactions of handlers. */
export const transactionalKinds = storeKinds.filter(([name]) => /^PostgreSQL(?! as a TtlStore)|^PGlite$/.test(name));

async function openMemory(): Promise<OpenedKind> {
  let time = Date.now();
  const pass = async (millis: number) => {
    time += millis;
  };
  const held = new Set<string>();
  const store = createMemoryStore({ now: () => time });
  const watched: typeof store = {
    ...store,
    set: (key, value, ttl) => {
      held.add(`${key}=${value}`);
      return store.set(key, value, ttl);
    },
    setIfAbsent: (key, value, ttl) => {
      held.add(`${key}=${value}`);
      return store.setIfAbsent(key, value, ttl);
    },
    compareAndSet: (key, expected, value, ttl) => {
      held.add(`${key}=${value}`);
      return store.compareAndSet(key, expected, value, ttl);
    },
  };
  return {
    nodes: [watched, watched],
    databases: null,
    lapseLeases: () => pass(30_000),
    expireRecords: () => pass(24 * 3600 * 1000),
    dump: async () => [...held].join('\n'),
    close: async () => {},
  };
}

async function openRedis(url: string): Promise<OpenedKind> {
  const keyPrefix = `t:${randomUUID()}:`;
  const clients = [new Redis(url), new Redis(url)] as const;
  const keys = (pattern: string) => clients[0].keys(`${keyPrefix}${pattern}`);
  const remove = async (pattern: string) => {
    // An expired key and a deleted one can't be told apart.
    for (const key of await keys(pattern)) await clients[0].del(key);
  };
  return {
    nodes: [
      createRedisStore({ client: clients[0], keyPrefix, timeoutMillis }),
      createRedisStore({ client: clients[1], keyPrefix, timeoutMillis }),
    ],
    databases: null,
    lapseLeases: () => remove('idempotency:l:*'),
    expireRecords: () => remove('*'),
    async dump() {
      const all = await keys('*');
      return (await Promise.all(all.map(async (key) => `${key}=${await clients[0].get(key)}`))).join('\n');
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.quit()));
    },
  };
}

async function openTtlPostgres(): Promise<OpenedKind> {
  const own = await createTestDatabase();
  const database = own.connect();
  await createTtlEntriesTable(database);
  const open = () => createPostgresStore({ database: own.connect(), timeoutMillis });
  return {
    nodes: [open(), open()],
    databases: null,
    lapseLeases: async () => {
      await database.execute(sql`update ${ttlEntries} set expires_at = now() where key like 'idempotency:l:%'`);
    },
    expireRecords: async () => {
      await database.execute(sql`update ${ttlEntries} set expires_at = now()`);
    },
    dump: async () => JSON.stringify(await database.select().from(ttlEntries)),
    close: own.drop,
  };
}

async function openPostgres(): Promise<OpenedKind> {
  const own = await createTestDatabase();
  const databases = [own.connect(), own.connect()] as const;
  await createIdempotencyRecordsTable(databases[0]);
  return ownKind(databases, own.drop);
}

async function openNodePostgres(): Promise<OpenedKind> {
  const own = await createTestDatabase();
  const databases = [drizzleNodePostgres(own.url), drizzleNodePostgres(own.url)] as const;
  // A pool is at its end before its connections are: what cuts one of them off then has no other listener.
  for (const { $client } of databases) $client.on('error', () => {});
  await createIdempotencyRecordsTable(databases[0]);
  return ownKind(databases, async () => {
    await Promise.all(databases.map(({ $client }) => $client.end()));
    await own.drop();
  });
}

async function openPglite(): Promise<OpenedKind> {
  const embedded = await openTestEmbedded();
  const database = drizzlePglite(embedded);
  await createIdempotencyRecordsTable(database);
  return ownKind([database, database], () => embedded.close());
}

function ownKind(databases: readonly [TestedDatabase, TestedDatabase], close: () => Promise<void>): OpenedKind {
  const [database, other] = databases;
  return {
    nodes: [
      createPostgresIdempotencyStore({ database, timeoutMillis }),
      createPostgresIdempotencyStore({ database: other, timeoutMillis }),
    ],
    databases,
    lapseLeases: async () => {
      await database.update(idempotencyRecords).set({ leasedUntil: sql`now()` });
    },
    expireRecords: async () => {
      await database.update(idempotencyRecords).set({ expiresAt: sql`now()` });
    },
    dump: async () => JSON.stringify(await database.select().from(idempotencyRecords)),
    close,
  };
}
