import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
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
    return await migrated(await PGlite.create(join(dataFolder, 'pglite')), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Opens a database in memory, for example one made from a template. For tests. */
export function openInMemory(client: PGlite): Promise<Database> {
  return migrated(client, async () => {});
}

async function migrated(client: PGlite, release: () => Promise<void>): Promise<Database> {
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
    client,
    embedded: client,
    name: 'embedded',
    async close() {
      await client.close();
      await release();
    },
  };
}
