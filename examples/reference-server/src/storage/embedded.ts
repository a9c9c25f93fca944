import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { ConfigError } from '../config/config-error.js';
import { createTurns } from './change-turns.js';
import { EMBEDDED_CHANGE_TURNS, ENDING_TURNS } from './connection-limits.js';
import { lockDataFolder } from './data-folder.js';
import type { Database } from './database.js';
import { letEventLoopTurn } from './event-loop-turns.js';
import { migrate } from './migrations.js';
import { DEFAULT_DATABASE_SCHEMA } from './schema-target.js';

/**
 * Opens the embedded database in the data folder. PGlite has no lock of its own, so the folder stays locked until the
 * database is closed.
 */
export async function openEmbedded(dataFolder: string): Promise<Database> {
  const unlock = await lockDataFolder(dataFolder);
  try {
    return await migrated(await openClient(join(dataFolder, 'pglite')), dataFolder, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * For a damaged database, or one of another major version of PostgreSQL, there is no better reason than the failure.
 */
function openClient(path: string): Promise<PGlite> {
  return PGlite.create(path).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message.split('. ')[0] : 'unknown reason';
    const fix = 'restore the folder from a backup, or set SERVICE_DATA_DIR to another one';
    throw new ConfigError([`SERVICE_DATA_DIR: the embedded database in ${path} can not be opened (${why}); ${fix}`], {
      cause,
    });
  });
}

/** Opens a database in memory, for example one made from a template. For tests. */
export function openInMemory(client: PGlite): Promise<Database> {
  return migrated(client, null, async () => {});
}

async function migrated(client: PGlite, folder: string | null, release: () => Promise<void>): Promise<Database> {
  letEventLoopTurn(client);
  const orm = drizzle(client);
  try {
    // BullMQ's tables are created with the pool that it gets.
    await migrate(orm, { schema: DEFAULT_DATABASE_SCHEMA, hasQueue: false });
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    orm,
    // The database has one session, so an end waits for changes that have begun. Turns keep their number small.
    ending: orm,
    turns: createTurns(EMBEDDED_CHANGE_TURNS),
    endingTurns: createTurns(ENDING_TURNS),
    reading: drizzle(readingOnly(client)),
    client,
    embedded: client,
    folder,
    name: 'embedded',
    async close() {
      await client.close();
      await release();
    },
  };
}

/**
 * The embedded database has one session, which writes. Each statement of this client has its own read-only transaction.
 */
function readingOnly(client: PGlite): PGlite {
  const transaction: PGlite['transaction'] = (work) =>
    client.transaction(async function readOnly(transaction) {
      await transaction.exec('set transaction read only');
      return work(transaction);
    });
  const query: PGlite['query'] = (...statement) => transaction((transaction) => transaction.query(...statement));
  const own = new Map<string | symbol, unknown>(Object.entries({ transaction, query }));
  return new Proxy(client, { get: (target, name) => own.get(name) ?? Reflect.get(target, name, target) });
}
