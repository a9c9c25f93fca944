import { createPostgresIdempotencyStore } from '@sallyport/idempotency/postgres';
import type { TtlStore } from '@sallyport/ttl-store';
import { createPostgresStore } from '@sallyport/ttl-store/postgres';
import { createRedisStore, evictionWarning } from '@sallyport/ttl-store/redis';
import type { Cluster, Redis } from 'ioredis';
import postgres from 'postgres';
import type { Config } from '../config/config.js';
import { openDataFolder } from './data-folder.js';
import type { Database } from './database.js';
import { isDriverMended } from './driver-probe.js';
import type { Resources, Stores } from './opened-resources.js';
import { openPostgres } from './postgres.js';
import { openRedis, REDIS_LIMIT_MILLIS } from './redis.js';
import type { SchemaTarget } from './schema-target.js';
import { createSoleWriterStore } from './sole-writer-store.js';

/**
 * Opens the configured resources: the database with its migrations applied, Redis, and the stores on them. If one can't
 * be opened, those already open are closed.
 */
export async function openResources(config: Config): Promise<Resources> {
  const opened: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  };
  try {
    const driverWarning = await driverWarningOf(config);
    // Redis is opened first, so that the start leaves no new schema in the database if Redis is missing.
    const redis = await openConfiguredRedis(config);
    if (redis !== null) opened.push(async () => redis.disconnect());
    const database = await openDatabase(config);
    opened.push(() => database.close());
    const warnings = [driverWarning, redis === null ? null : await evictionWarning(redis)];
    const stores = createStores(config, database, redis);
    return { database, redis, stores, warnings: warnings.filter((warning) => warning !== null), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const UNMENDED_DRIVER =
  'postgres.js runs without its patch: a connection that is lost within a transaction ends the process. Install with ' +
  'pnpm, which applies packages/idempotency/patches/postgres@3.4.9.patch';

/** A warning, or null. In production an error. Requirement REL-16. */
async function driverWarningOf(config: Pick<Config, 'database-url' | 'profile'>): Promise<string | null> {
  if (config['database-url'] === null || (await isDriverMended(postgres))) return null;
  if (config.profile === 'production') throw new Error(UNMENDED_DRIVER);
  return UNMENDED_DRIVER;
}

/** Opens the configured database and applies its migrations. */
export async function openDatabase(config: Config): Promise<Database> {
  const url = config['database-url'];
  if (url !== null) return openPostgres(url, schemaTargetOf(config));
  const folder = await openDataFolder(config['data-dir']);
  // The embedded database is large. Load it only when it is used.
  const { openEmbedded } = await import('./embedded.js');
  return openEmbedded(folder);
}

/** The expectations of the start for the configured database. */
export function schemaTargetOf(
  config: Pick<Config, 'database-schema' | 'database-schema-is-new' | 'redis-url'>,
): SchemaTarget {
  return {
    schema: config['database-schema'],
    hasQueue: config['redis-url'] === null,
    isNew: config['database-schema-is-new'],
  };
}

async function openConfiguredRedis(config: Config): Promise<Redis | Cluster | null> {
  const url = config['redis-url'];
  return url === null ? null : openRedis(url, config['redis-cluster']);
}

/**
 * With Redis, volatile state is in Redis, so that all nodes see it. Without it sessions and nonces are in the database,
 * including the embedded one, so that both survive a restart. After a restart, nonces in memory would be lost, and
 * envelopes of clients with fast clocks would have to be refused.
 */
export function createStores(config: Config, database: Database, redis: Redis | Cluster | null): Stores {
  const idempotency = createPostgresIdempotencyStore({ database: database.orm });
  const noncesAreNew = false;
  if (redis !== null) {
    const store = createRedisStore({
      client: redis,
      keyPrefix: config['redis-key-prefix'],
      timeoutMillis: REDIS_LIMIT_MILLIS,
    });
    const nonceWitness = createPostgresStore({ database: database.orm, keyPrefix: 'nonces:' });
    return { sessions: store, nonces: store, nonceWitness, noncesAreNew, rateLimits: store, idempotency };
  }
  const tables = tablesOf(database);
  return {
    sessions: tables,
    nonces: tables,
    nonceWitness: null,
    noncesAreNew,
    rateLimits: config.nodes > 1 ? tables : null,
    idempotency,
  };
}

/** One per embedded database, because its cache is correct only if it sees every write. */
const storesOfEmbedded = new WeakMap<object, TtlStore>();

function tablesOf({ orm, embedded }: Database): TtlStore {
  if (embedded === null) return createPostgresStore({ database: orm });
  const store = storesOfEmbedded.get(embedded) ?? createSoleWriterStore(createPostgresStore({ database: orm }));
  storesOfEmbedded.set(embedded, store);
  return store;
}
