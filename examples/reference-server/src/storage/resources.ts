import type { IdempotencyStore } from '@sallyport/idempotency';
import { createPostgresIdempotencyStore } from '@sallyport/idempotency/postgres';
import type { TtlStore } from '@sallyport/ttl-store';
import { createPostgresStore } from '@sallyport/ttl-store/postgres';
import { createRedisStore, evictionWarning } from '@sallyport/ttl-store/redis';
import type { Cluster, Redis } from 'ioredis';
import type { Config } from '../config/config.js';
import { openDataFolder } from './data-folder.js';
import type { Database } from './database.js';
import { openEmbedded } from './embedded.js';
import { openPostgres } from './postgres.js';
import { openRedis, REDIS_LIMIT_MILLIS } from './redis.js';
import { createSoleWriterStore } from './sole-writer-store.js';

/** What the server opens before it serves, and what two of them may share in a test. Whoever opened it closes it. */
export interface Resources {
  readonly database: Database;
  readonly redis: Redis | Cluster | null;
  readonly stores: Stores;
  /** What the operator should know, for the log. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** Where the volatile state lives (OPS-9). */
export interface Stores {
  readonly sessions: TtlStore;
  readonly nonces: TtlStore;
  /** The counters of the rate limits, when nodes have to share them; null: each process counts in its memory. */
  readonly rateLimits: TtlStore | null;
  /** Always in the database: only there a record commits with what it is about (IDM-7). */
  readonly idempotency: IdempotencyStore;
}

/**
 * Opens everything that the configuration names: the database with its migrations applied, Redis, and the stores on
 * them. What was opened is closed again when a later one can't be.
 */
export async function openResources(config: Config): Promise<Resources> {
  const opened: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  };
  try {
    const database = await openDatabase(config);
    opened.push(() => database.close());
    const redis = await openConfiguredRedis(config);
    if (redis !== null) opened.push(async () => redis.disconnect());
    const warning = redis === null ? null : await evictionWarning(redis);
    const stores = createStores(config, database, redis);
    return { database, redis, stores, warnings: warning === null ? [] : [warning], close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The database that the configuration names, with its migrations applied. */
export async function openDatabase(config: Config): Promise<Database> {
  const url = config['database-url'];
  return url === null ? openEmbedded(await openDataFolder(config['data-dir'])) : openPostgres(url);
}

async function openConfiguredRedis(config: Config): Promise<Redis | Cluster | null> {
  const url = config['redis-url'];
  return url === null ? null : openRedis(url, config['redis-cluster']);
}

/**
 * With Redis everything volatile lives there, so that all nodes see it. Without it sessions and nonces live in the
 * database, the embedded one too: both survive a restart. A nonce in memory would be forgotten by it, and the envelopes
 * of clients whose clocks are ahead would have to be refused for that.
 */
export function createStores(config: Config, database: Database, redis: Redis | Cluster | null): Stores {
  const idempotency = createPostgresIdempotencyStore({ database: database.orm });
  if (redis !== null) {
    const store = createRedisStore({
      client: redis,
      keyPrefix: config['redis-key-prefix'],
      timeoutMillis: REDIS_LIMIT_MILLIS,
    });
    return { sessions: store, nonces: store, rateLimits: store, idempotency };
  }
  const tables = tablesOf(database);
  return {
    sessions: tables,
    nonces: tables,
    rateLimits: config.nodes > 1 ? tables : null,
    idempotency,
  };
}

/** One for each embedded database: what it remembers is right only where it sees every write. */
const storesOfEmbedded = new WeakMap<object, TtlStore>();

function tablesOf({ orm, embedded }: Database): TtlStore {
  if (embedded === null) return createPostgresStore({ database: orm });
  const store = storesOfEmbedded.get(embedded) ?? createSoleWriterStore(createPostgresStore({ database: orm }));
  storesOfEmbedded.set(embedded, store);
  return store;
}
