import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import type { Config } from '../config/config.js';
import { DataFolderInUseError, lockDataFolder } from '../storage/data-folder.js';
import { readMigrationState } from '../storage/migrations.js';
import { postgresOptions } from '../storage/postgres-options.js';
import { openRedis } from '../storage/redis.js';
import { schemaTargetOf } from '../storage/resources.js';
import { isCurrent } from './migrated-tables.js';
import type { PreflightDatabase, PreflightStores } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';
import { type StoredParameters, storedParameters } from './stored-parameters.js';

/** How long the command waits for PostgreSQL, in milliseconds. */
const ANSWER_LIMIT_MILLIS = 5000;

export interface OpenedStores {
  /** Null if one of them could not be opened. */
  readonly stores: PreflightStores | null;
  readonly items: readonly PreflightItem[];
  close(): Promise<void>;
}

interface Opened<Store> {
  readonly store: Store | null;
  readonly item: PreflightItem | null;
  close(): Promise<void>;
}

const nothing = async () => {};

/** Opens the configured stores for reading. Applies no migration and creates nothing. */
export async function openStores(config: Config): Promise<OpenedStores> {
  const [database, redis] = await Promise.all([openDatabase(config), openConfiguredRedis(config)]);
  const items = [database.item, redis.item].filter((item) => item !== null);
  const isComplete = items.every(({ severity }) => severity !== 'error');
  return {
    stores: isComplete
      ? { database: database.store, redis: redis.store, parameters: parametersIn(database.store) }
      : null,
    items,
    close: async () => void (await Promise.all([database.close(), redis.close()])),
  };
}

/**
 * The stored parameters, if their table is that of this release. Otherwise the defaults, until the next start migrates.
 */
export function parametersIn(database: PreflightDatabase | null): StoredParameters {
  return storedParameters(database !== null && isCurrent(database, 'system_parameters') ? database : null);
}

async function openDatabase(config: Config): Promise<Opened<PreflightDatabase>> {
  const url = config['database-url'];
  if (url === null) return openEmbedded(config);
  const client = postgres(
    url,
    postgresOptions(config['database-schema'], {
      max: 1,
      applicationName: 'sallyport-preflight',
      session: { statement_timeout: ANSWER_LIMIT_MILLIS, default_transaction_read_only: true },
    }),
  );
  const close = () => client.end({ timeout: 1 });
  try {
    await client`select 1`;
    const orm = drizzle(client);
    const migrations = await readMigrationState(orm, schemaTargetOf(config));
    return { store: { orm, reading: orm, name: 'PostgreSQL', migrations }, item: null, close };
  } catch (error) {
    await close();
    return { store: null, item: unreachable('database', 'PostgreSQL at SERVICE_DATABASE_URL', error), close: nothing };
  }
}

/** Opens the embedded database, which a running server keeps locked. */
async function openEmbedded(config: Config): Promise<Opened<PreflightDatabase>> {
  const folder = resolve(config['data-dir']);
  const path = join(folder, 'pglite');
  if (!(await isThere(path))) return { store: null, item: null, close: nothing };
  try {
    const unlock = await lockDataFolder(folder);
    try {
      const [{ PGlite }, { drizzle: drizzlePglite }] = await Promise.all([
        import('@electric-sql/pglite'),
        import('drizzle-orm/pglite'),
      ]);
      const client = await PGlite.create(path);
      const close = async () => {
        await client.close();
        await unlock();
      };
      const orm = drizzlePglite(client);
      const migrations = await readMigrationState(orm, schemaTargetOf(config)).catch(async (error: unknown) => {
        await client.close();
        throw error;
      });
      return { store: { orm, reading: orm, name: 'embedded', migrations }, item: null, close };
    } catch (error) {
      await unlock();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof DataFolderInUseError)) {
      return { store: null, item: unreachable('database', 'the embedded database', error), close: nothing };
    }
    const item: PreflightItem = {
      id: 'preflight.in-use',
      severity: 'info',
      finding: 'a running server uses the embedded database: its accounts and parameters were not checked',
      fix: 'nothing: a start in production checks them',
    };
    return { store: null, item, close: nothing };
  }
}

async function openConfiguredRedis(config: Config): Promise<Opened<NonNullable<PreflightStores['redis']>>> {
  const url = config['redis-url'];
  if (url === null) return { store: null, item: null, close: nothing };
  try {
    const store = await openRedis(url, config['redis-cluster']);
    return { store, item: null, close: async () => store.disconnect() };
  } catch (error) {
    const { cause } = error as Error;
    return { store: null, item: unreachable('redis', 'Redis at SERVICE_REDIS_URL', cause ?? error), close: nothing };
  }
}

function unreachable(store: 'database' | 'redis', name: string, error: unknown): PreflightItem {
  // drizzle wraps the error of the driver.
  const { message, code } = (error instanceof DrizzleQueryError ? error.cause : error) as Error & { code?: unknown };
  const why = typeof code === 'string' && code !== '' ? code : message;
  return {
    id: `${store}.unreachable`,
    severity: 'error',
    finding: `${name} could not be used (${why || 'no reason given'})`,
    fix: 'check address, user, password, and that it is running',
  };
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
