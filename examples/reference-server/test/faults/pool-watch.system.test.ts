import { sql } from 'drizzle-orm';
import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { watchPools } from '../../faults/pool-watch.js';
import { countPool } from '../../faults/server/pool-counts.js';

const MAX = 3;

describe('the watch of pools under faults', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  const openers = {
    'node-postgres'() {
      const pool = drizzleNodePostgres({ connection: { connectionString: database.url, max: MAX } });
      pool.$client.on('error', () => {});
      pool.$client.on('connect', (client: typeof pool.$client) => void client.on('error', () => {}));
      onTestFinished(() => pool.$client.end());
      const leak = async () => {
        const client = await pool.$client.connect();
        return () => client.release();
      };
      return { pool, leak };
    },
    'postgres.js'() {
      const pool = database.connect({ max: MAX });
      onTestFinished(() => pool.$client.end({ timeout: 1 }));
      const leak = async () => {
        const client = await pool.$client.reserve();
        return () => client.release();
      };
      return { pool, leak };
    },
  } as const;

  it.each(Object.entries(openers))('REL-15 sees a client of %s that is not given back', async (name, open) => {
    const { pool, leak } = open();
    const read = async () => JSON.stringify(await countPool(pool, MAX));
    const watch = await watchPools({ [name]: read }, 3000);
    expect(JSON.parse(watch.before)).toMatchObject({ working: MAX });
    await pool.transaction((transaction) => transaction.execute(sql`select 1`));
    expect(await watch.changed()).toEqual([]);
    const release = await leak();
    expect(await watch.changed()).toMatchObject([{ kind: 'pool-not-restored', key: name }]);
    release();
    expect(await watch.changed()).toEqual([]);
  });

  it('REL-15 waits for connections that were cut', async () => {
    const { pool } = openers['node-postgres']();
    const watch = await watchPools({ pool: async () => JSON.stringify(await countPool(pool, MAX)) });
    const killer = database.connect({ max: 1 });
    onTestFinished(() => killer.$client.end({ timeout: 1 }));
    await killer.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
    expect(await watch.changed()).toEqual([]);
  });
});
