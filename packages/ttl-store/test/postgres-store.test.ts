import { inspect } from 'node:util';
import { sql } from 'drizzle-orm';
import { withReplicas } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../scripts/free-port.mjs';
import { createTestDatabase, type TestDatabase } from '../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { StoreUnavailableError, type TtlStore } from '../src/index.js';
import {
  createPostgresStore,
  createTtlEntriesTable,
  defineTtlEntries,
  type EntryDatabase,
  type PostgresStoreOptions,
  ttlEntries,
} from '../src/postgres/index.js';
import { eventually } from './eventually.js';

const KEY = 'secret-key';
const VALUE = 'secret-value';

async function expectRefused(call: Promise<unknown>): Promise<void> {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', statusCode: 503, cause: expect.any(Error) });
  const everything = inspect(error, { depth: null, showHidden: true });
  expect(everything).not.toContain(KEY);
  expect(everything).not.toContain(VALUE);
}

const answers = (store: TtlStore) =>
  store.get('probe').then(
    () => true,
    () => false,
  );

describe('a PostgreSQL store', () => {
  let own: TestDatabase;
  let database: ReturnType<TestDatabase['connect']>;
  const rows = async () => (await database.select().from(ttlEntries)).length;

  beforeAll(async () => {
    own = await createTestDatabase();
    database = own.connect();
    await createTtlEntriesTable(database);
  });

  afterAll(() => own.drop());

  beforeEach(async () => {
    await database.delete(ttlEntries);
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  async function writeExpired(count: number): Promise<void> {
    await database.execute(sql`
      insert into ${ttlEntries}
      select 'expired ' || n, 'value', now() - n * interval '1 second' from generate_series(1, ${count}::int) n
    `);
  }

  it('ADP-1 a missing table is named in the cause, with the function that makes it', async () => {
    const store = createPostgresStore({ database, table: defineTtlEntries('no_such_entries') });
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      cause: {
        code: '42P01',
        message: expect.stringMatching(/"no_such_entries" does not exist: .*call createTtlEntriesTable\(database\)/),
      },
    });
  });

  it('RPL-3 sweepExpired deletes only expired entries, the oldest first, up to its limit', async () => {
    const store = createPostgresStore({ database, sweepEveryWrites: 0 });
    await store.set('alive', 'value', 60_000);
    await writeExpired(10);
    expect(await store.sweepExpired(4)).toBe(4);
    const left = await database.select({ key: ttlEntries.key }).from(ttlEntries);
    expect(left.map(({ key }) => key).sort()).toEqual(['alive', ...[1, 2, 3, 4, 5, 6].map((n) => `expired ${n}`)]);
    expect(await store.sweepExpired()).toBe(6);
    expect(await store.sweepExpired()).toBe(0);
    expect(await store.get('alive')).toBe('value');
    for (const limit of [0, 1.5, 100_001, Number.NaN])
      await expect(store.sweepExpired(limit)).rejects.toThrow(TypeError);
  });

  it('RPL-3 concurrent sweeps share the work and never delete an entry that was written again', async () => {
    await writeExpired(500);
    const stores = [database, own.connect(), own.connect()].map((pool) =>
      createPostgresStore({ database: pool, sweepEveryWrites: 0, timeoutMillis: 10_000 }),
    );
    const revived = Array.from({ length: 50 }, (_, index) => `expired ${10 * index + 1}`);
    const [swept] = await Promise.all([
      Promise.all(stores.flatMap((store) => [store.sweepExpired(200), store.sweepExpired(200)])),
      Promise.all(revived.map((key) => stores[0]?.setIfAbsent(key, 'new', 60_000))),
    ]);
    expect(await Promise.all(revived.map((key) => stores[1]?.get(key)))).toEqual(revived.map(() => 'new'));
    expect(swept.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(500);
    while ((await stores[0]?.sweepExpired()) !== 0);
    expect(await rows()).toBe(50);
  });

  it('RPL-3 a sweep does not wait for rows that another statement has locked', async () => {
    await writeExpired(3);
    const store = createPostgresStore({ database, sweepEveryWrites: 0, timeoutMillis: 5000 });
    const holder = own.connect({ max: 1 });
    await holder.$client.begin(async (transaction) => {
      await transaction.unsafe(`select * from ttl_entries where key = 'expired 2' for update`);
      expect(await store.sweepExpired()).toBe(2);
    });
    expect(await store.sweepExpired()).toBe(1);
  });

  it('RPL-3 deletes expired entries by itself during writes', async () => {
    await writeExpired(300);
    const store = createPostgresStore({ database, sweepEveryWrites: 10, timeoutMillis: 10_000 });
    for (let count = 0; count < 9; count += 1) await store.set(`key ${count}`, 'value', 60_000);
    expect(await rows()).toBe(309);
    await store.increment('key 9', 60_000);
    await eventually(async () => (await rows()) === 10);
  });

  it('REL-5 the clock of the database decides, not that of the node', async () => {
    const store = createPostgresStore({ database });
    await store.set('key', 'value', 60_000);
    for (const skew of [-200_000, 200_000, 365 * 24 * 3600 * 1000]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skew });
      expect(await store.get('key')).toBe('value');
      expect(await store.setIfAbsent('key', 'other', 60_000)).toBe(false);
      expect((await store.increment(`counter ${skew}`, 60_000)).remainingMillis).toBeLessThanOrEqual(60_000);
      vi.useRealTimers();
    }
    const [entry] = await database
      .select({ ahead: sql<number>`extract(epoch from expires_at - now())::float8` })
      .from(ttlEntries);
    expect(entry?.ahead).toBeLessThanOrEqual(60);
  });

  it('separates the keys of two prefixes and of two tables', async () => {
    const other = defineTtlEntries('other_entries');
    await createTtlEntriesTable(database, other);
    const stores = [
      createPostgresStore({ database, keyPrefix: 'a:' }),
      createPostgresStore({ database, keyPrefix: 'b:' }),
      createPostgresStore({ database, keyPrefix: 'a:', table: other }),
    ];
    for (const store of stores) expect(await store.setIfAbsent('key', 'value', 60_000)).toBe(true);
    expect(await database.select({ key: other.key }).from(other)).toEqual([{ key: 'a:key' }]);
  });

  it('creates the table of its drizzle definition, any number of times at once', async () => {
    const table = defineTtlEntries('made_at_once');
    const pools = [database, own.connect(), own.connect()];
    await Promise.all(
      pools.flatMap((pool) => [createTtlEntriesTable(pool, table), createTtlEntriesTable(pool, table)]),
    );
    await createTtlEntriesTable(database, table);
    const columns = await database.execute(sql`
      select column_name, data_type, is_nullable from information_schema.columns
      where table_name = 'made_at_once' order by ordinal_position
    `);
    expect([...columns]).toEqual([
      { column_name: 'key', data_type: 'text', is_nullable: 'NO' },
      { column_name: 'value', data_type: 'text', is_nullable: 'NO' },
      { column_name: 'expires_at', data_type: 'timestamp with time zone', is_nullable: 'NO' },
    ]);
    const indexes = await database.execute(
      sql`select indexdef from pg_indexes where tablename = 'made_at_once' order by 1`,
    );
    expect([...indexes].map(({ indexdef }) => indexdef)).toEqual([
      expect.stringMatching(/^CREATE INDEX made_at_once_expires_at_index .*\(expires_at\)$/),
      expect.stringMatching(/^CREATE INDEX made_at_once_list_index .*\(key COLLATE "C"\) WHERE .*'an item'/),
      expect.stringMatching(/^CREATE UNIQUE INDEX made_at_once_pkey .*\(key\)$/),
    ]);
  });

  it('RPL-4 every verb is one statement', async () => {
    const queries: string[] = [];
    const logged = drizzle(database.$client, { logger: { logQuery: (query) => void queries.push(query) } });
    const store = createPostgresStore({ database: logged });
    await store.setIfAbsent('key', 'value', 60_000);
    await store.get('key');
    await store.set('key', '1', 60_000);
    await store.increment('key', 60_000);
    await store.compareAndSet('key', '2', 'value', 60_000);
    await store.compareAndSet('key', null, 'value', 60_000);
    await store.compareAndDelete('key', 'value');
    await store.take('key');
    await store.delete('key');
    await store.time();
    expect(queries.map((query) => /^\w+/.exec(query)?.[0])).toEqual([
      ...['insert', 'select', 'insert', 'insert', 'update', 'insert', 'delete', 'delete', 'delete', 'select'],
    ]);
  });

  it('TOK-11 a locked table is 503 within the limit, and works again after the lock', async () => {
    const store = createPostgresStore({ database, timeoutMillis: 200 });
    await store.set(KEY, VALUE, 60_000);
    const blocker = own.connect({ max: 1 });
    await blocker.$client.begin(async (transaction) => {
      await transaction.unsafe('lock table ttl_entries in access exclusive mode');
      const start = Date.now();
      await expectRefused(store.get(KEY));
      await expectRefused(store.setIfAbsent(KEY, VALUE, 1000));
      expect(Date.now() - start).toBeLessThan(2 * (200 + 1000));
    });
    await eventually(() => answers(store));
    expect(await store.take(KEY)).toBe(VALUE);
  });

  it('TOK-11 connections closed by the server are 503 at most, and are replaced by new ones', async () => {
    const pool = own.connect({ max: 2, connection: { application_name: 'to be cut' } });
    const store = createPostgresStore({ database: pool, timeoutMillis: 500 });
    await store.set(KEY, VALUE, 60_000);
    const calls = Array.from({ length: 20 }, () => store.get(KEY).catch((error: unknown) => error));
    await database.execute(
      sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${own.name} and application_name = 'to be cut'
      `,
    );
    for (const result of await Promise.all(calls)) {
      if (result !== VALUE) expect(result).toBeInstanceOf(StoreUnavailableError);
    }
    await eventually(() => answers(store));
    expect(await store.get(KEY)).toBe(VALUE);
  });

  it('TOK-11 PostgreSQL away at the start is 503 within the limit', async () => {
    const nobody = postgres({ host: '127.0.0.1', port: await freePort(), max: 2, connect_timeout: 1 });
    const store = createPostgresStore({ database: drizzle(nobody), timeoutMillis: 300 });
    const start = Date.now();
    await expectRefused(store.get(KEY));
    await expectRefused(store.set(KEY, VALUE, 1000));
    await expectRefused(store.sweepExpired());
    expect(Date.now() - start).toBeLessThan(3 * (300 + 1000));
    await nobody.end({ timeout: 0 });
  });

  it.each(['postgres-js', 'PGlite'])(
    'TOK-11 a statement that fails is 503, and the error holds neither key nor value (%s)',
    async (driver) => {
      const embedded = driver === 'PGlite' ? await openTestEmbedded() : null;
      const failing: EntryDatabase = embedded === null ? database : drizzlePglite(embedded);
      const store = createPostgresStore({
        database: failing,
        table: defineTtlEntries('nowhere'),
        timeoutMillis: 10_000,
      });
      await expectRefused(store.set(KEY, VALUE, 1000));
      await expectRefused(store.compareAndSet(KEY, VALUE, VALUE, 1000));
      await expectRefused(store.take(KEY));
      await expect(store.get(KEY)).rejects.toHaveProperty(
        'cause.message',
        expect.stringMatching(/"nowhere" does not exist/),
      );
      await expect(store.get(KEY)).rejects.toHaveProperty('cause.code', '42P01');
      await embedded?.close();
    },
  );

  it('accepts a drizzle database with any schema', async () => {
    const schema = { ttlEntries, more: defineTtlEntries('more') };
    const stores = [
      createPostgresStore({ database: drizzle(database.$client, { schema }) }),
      createPostgresStore({ database: drizzle(database.$client, { casing: 'snake_case', schema }) }),
    ];
    for (const store of stores) expect((await store.increment('key', 60_000)).value).toBeGreaterThan(0);
    const embedded = await openTestEmbedded();
    const withSchema = drizzlePglite(embedded, { schema });
    await createTtlEntriesTable(withSchema);
    expect(await createPostgresStore({ database: withSchema, timeoutMillis: 10_000 }).take('key')).toBeNull();
    await embedded.close();
  });
});

it('OPS-9 reads and writes on the primary of a database with replicas, which lag behind', async () => {
  const databases = [await createTestDatabase(), await createTestDatabase()] as const;
  onTestFinished(async () => void (await Promise.all(databases.map((each) => each.drop()))));
  const [primary, replica] = [databases[0].connect(), databases[1].connect()];
  const database = withReplicas(primary, [replica]);
  await createTtlEntriesTable(database);
  await createTtlEntriesTable(replica);
  const store = createPostgresStore({ database, keyPrefix: 'replicas:', timeoutMillis: 10_000 });
  expect(await store.setIfAbsent('one', '1', 60_000)).toBe(true);
  await store.lists?.put('all', 'one', 60_000);
  expect(await store.get('one')).toBe('1');
  expect(await store.getAll?.(['one', 'two'])).toEqual(['1', null]);
  expect(await store.compareAndSet('one', '1', '2', 60_000)).toBe(true);
  expect(await store.lists?.read('all', null, 10)).toEqual({ items: ['one'], next: null });
  expect(await store.take('one')).toBe('2');
  expect(await replica.select().from(ttlEntries)).toEqual([]);
});

describe('opening a PostgreSQL store', () => {
  it('ADP-1 lists every bad option at once, by name and with what to give instead', () => {
    const bad = {
      database: {},
      keyPrefix: 5,
      timeoutMillis: -1,
      sweepEveryWrites: 0.5,
    } as unknown as PostgresStoreOptions;
    expect(() => createPostgresStore(bad)).toThrow(
      expect.objectContaining({
        subject: 'createPostgresStore',
        faults: [
          expect.stringMatching(/^database must be /),
          expect.stringMatching(/^keyPrefix must be /),
          expect.stringMatching(/^timeoutMillis must be /),
          expect.stringMatching(/^sweepEveryWrites must be /),
        ],
      }),
    );
  });

  it('ADP-1 createTtlEntriesTable lists every bad parameter', async () => {
    await expect(createTtlEntriesTable({} as never, 'entries' as never)).rejects.toMatchObject({
      code: 'STORE_SETUP_INVALID',
      subject: 'createTtlEntriesTable',
      faults: [expect.stringMatching(/^database must be /), expect.stringMatching(/^table must be /)],
    });
  });
});
