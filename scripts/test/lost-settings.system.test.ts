import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import { sql } from 'drizzle-orm/sql';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createIdempotencyRecordsTable,
  createPostgresIdempotencyStore,
} from '../../packages/idempotency/src/postgres/index.js';
import { type PgbouncerProcess, startPgbouncerProcess, USUAL_REMEDY } from '../pgbouncer-process.js';
import { createTestDatabase, type TestDatabase } from '../test-database.js';
import { lacks } from '../test-needs.js';

const LIMITS = { statement_timeout: 7000, idle_in_transaction_session_timeout: 5000 };

type Settings = Partial<typeof LIMITS>;

const drivers = [
  [
    'node-postgres',
    (connectionString: string, settings: Settings) => {
      const database = drizzleNodePostgres({ connection: { connectionString, max: 3, ...settings } });
      database.$client.on('error', () => {});
      database.$client.on('connect', () => {});
      return { database, end: () => database.$client.end() };
    },
  ],
  [
    'postgres.js',
    (url: string, connection: Settings) => {
      const options = { max: 3, fetch_types: false, onnotice: () => {}, prepare: false, max_pipeline: 0, connection };
      const client = postgres(url, options);
      return { database: drizzle(client), end: () => client.end({ timeout: 1 }) };
    },
  ],
] as const;

describe.skipIf(lacks('pgbouncer')).each(drivers)('limits that %s sends at the startup', (_driver, connect) => {
  let own: TestDatabase;
  let pooler: PgbouncerProcess;
  beforeAll(async () => {
    own = await createTestDatabase();
    await createIdempotencyRecordsTable(own.connect());
    pooler = await startPgbouncerProcess(own.url, 'transaction', USUAL_REMEDY);
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(async () => {
    await pooler.stop();
    await own.drop();
  });

  async function warningsAt(url: string, settings: Settings): Promise<readonly unknown[]> {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { database, end } = connect(url, settings);
    const open = () =>
      createPostgresIdempotencyStore({ database }).openRecords({ leaseMillis: 1000, retentionMillis: 1000 });
    for (const records of [open(), open()]) await records.read('none');
    // On as many connections as there are, after what was asked before.
    await Promise.all([1, 2, 3].map(() => database.execute(sql.raw('select pg_sleep(0.2)'))));
    await end();
    return warn.mock.calls;
  }

  it('REL-15 are named, once, where a pooler took them and did nothing', async () => {
    expect(await warningsAt(pooler.url, LIMITS)).toEqual([
      [
        expect.stringMatching(
          /statement_timeout.* and is 0 on its connection.*ignore_startup_parameters.*alter role … set/,
        ),
        { code: 'SALLYPORT_SETTING_LOST' },
      ],
    ]);
  });

  it('REL-15 are not named where they hold, directly or by the role, nor where none was given', async () => {
    expect(await warningsAt(own.url, LIMITS)).toEqual([]);
    expect(await warningsAt(pooler.url, {})).toEqual([]);
    const owner = own.connect();
    for (const [name, value] of Object.entries(LIMITS)) {
      await owner.execute(sql.raw(`alter role current_user in database ${own.name} set ${name} = ${value}`));
    }
    const anew = await startPgbouncerProcess(own.url, 'transaction', USUAL_REMEDY);
    try {
      expect(await warningsAt(anew.url, LIMITS)).toEqual([]);
    } finally {
      await anew.stop();
    }
  });
});
