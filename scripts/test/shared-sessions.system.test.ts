import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createAuditedChanges,
  createAuditReader,
  createAuditTables,
  createPostgresAuditSink,
} from '../../packages/audit-log/src/postgres.js';
import {
  createIdempotencyRecordsTable,
  createPostgresIdempotencyStore,
} from '../../packages/idempotency/src/postgres/index.js';
import { guardDatabase, runTransaction } from '../../packages/plugin-kit/src/postgres/index.js';
import {
  createPostgresSource,
  createSystemParametersTable,
} from '../../packages/system-parameters/src/postgres/index.js';
import { createPostgresStore, createTtlEntriesTable } from '../../packages/ttl-store/src/postgres/index.js';
import { type PoolMode, startPgbouncerProcess } from '../pgbouncer-process.js';
import { createTestDatabase, type TestDatabase } from '../test-database.js';
import { lacks } from '../test-needs.js';

const things = pgTable('things', { name: text('name').primaryKey() });

type Database = ReturnType<TestDatabase['connect']>;

const CALLS = 300;

/** How long the look at a pooler may wait for other connections. */
const LOOK_MILLIS = 300;

/** What the first use of each package with tables does. */
const firstUses: readonly (readonly [string, (database: Database) => Promise<unknown>])[] = [
  ['ttl-store', (database) => createPostgresStore({ database }).set('key', 'value', 60_000)],
  [
    'idempotency',
    (database) =>
      createPostgresIdempotencyStore({ database })
        .openRecords({ leaseMillis: 1000, retentionMillis: 1000 })
        .insert('scope', ownRecord()),
  ],
  ['system-parameters', (database) => createPostgresSource({ database }).declare([])],
  ['audit-log, the check of the sink', (database) => sinkOn(database).check()],
  ['audit-log, the reader', (database) => createAuditReader({ database }).search()],
  [
    'audit-log, changes',
    (database) =>
      createAuditedChanges({ database, sink: sinkOn(database) }).change({ event: { action: 'a' } }, async () => {}),
  ],
  ['plugin-kit', (database) => runTransaction(database, async () => {})],
];

function ownRecord() {
  return { state: 'PROCESSING' as const, digest: 'd', owner: randomUUID(), isTransactional: true };
}

function sinkOn(database: Database) {
  return createPostgresAuditSink({
    database,
    key: { id: 'k', secret: randomBytes(32) },
    sweepSeconds: 3600,
    timeoutMillis: 10_000,
  });
}

describe.skipIf(lacks('pgbouncer'))('postgres.js with its defaults behind PgBouncer', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** A database with every table, and the address of the same one behind the pooler. */
  async function pooled(mode: PoolMode, ...settings: readonly string[]) {
    const own = await createTestDatabase();
    const direct = own.connect();
    await createTtlEntriesTable(direct);
    await createIdempotencyRecordsTable(direct);
    await createAuditTables(direct);
    await createSystemParametersTable(direct);
    await direct.execute(sql`create table things (name text primary key)`);
    const pooler = await startPgbouncerProcess(
      own.url,
      mode,
      'ignore_startup_parameters = extra_float_digits',
      ...settings,
    );
    ends.push(own.drop, pooler.stop);
    const port = Number(new URL(pooler.url).port);
    const connect = (options: object = {}) => {
      const database = own.connect({ host: '127.0.0.1', port, ...options });
      ends.push(() => database.$client.end({ timeout: 0 }));
      return database;
    };
    return { own, direct, connect };
  }

  /** The reason of a refusal, down to its cause. */
  async function reasonOf(use: Promise<unknown>): Promise<string> {
    return use.then(
      () => 'done',
      (error: Error) => [error, error.cause, (error.cause as Error | undefined)?.cause].map(String).join('; '),
    );
  }

  /** Repeats a use whose look took its whole time, as on a busy machine: what it could not see is left to the next. */
  async function decidedBy(use: () => Promise<string>): Promise<string> {
    for (;;) {
      const began = performance.now();
      const reason = await use();
      if (reason !== 'done' || performance.now() - began < LOOK_MILLIS) return reason;
    }
  }

  it.each([
    { backends: 1, robin: 0 },
    { backends: 2, robin: 0 },
    { backends: 2, robin: 1 },
    { backends: 3, robin: 1 },
    { backends: 20, robin: 1 },
  ])(
    'REL-15 each package refuses its first use, with the options: $backends backends, round robin $robin',
    async (given) => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      const { connect } = await pooled(
        'transaction',
        `default_pool_size = ${given.backends}`,
        `server_round_robin = ${given.robin}`,
      );
      const crowd = connect({ max: 6, prepare: false, max_pipeline: 0 });
      await Promise.all(Array.from({ length: 6 }, () => crowd.execute(sql.raw('select pg_sleep(0.05)'))));
      for (const [name, use] of firstUses) {
        expect(await decidedBy(() => reasonOf(use(connect()))), name).toMatch(
          /prepare: false and max_pipeline: 0 to postgres\(…\)/,
        );
      }
      expect(warn).toHaveBeenCalledTimes(firstUses.length);
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('pool_mode = transaction'), {
        code: 'SALLYPORT_SESSIONS_SHARED',
      });
      const half = connect({ prepare: false });
      expect(await decidedBy(() => reasonOf(guardDatabase(half)(async () => {})))).toMatch(/pass max_pipeline: 0 to/);
      for (const [name, use] of firstUses) {
        if (name === 'system-parameters') continue;
        expect(await reasonOf(use(connect({ prepare: false, max_pipeline: 0 }))), name).toBe('done');
      }
    },
  );

  it('REL-15 in session mode, and directly, nothing is refused, and one statement is all that a direct start asks', async () => {
    const { own, connect } = await pooled('session', 'default_pool_size = 30');
    for (const database of [connect(), own.connect(), connect({ max: 1 }), own.connect({ max: 1 })]) {
      await guardDatabase(database)(() => database.insert(things).values({ name: randomUUID() }));
    }
    const database = own.connect();
    const unsafe = vi.spyOn(database.$client, 'unsafe');
    for (let call = 0; call < 3; call += 1) await guardDatabase(database)(async () => {});
    expect(unsafe.mock.calls).toEqual([['select pg_backend_pid() as pid']]);
  });

  it('REL-15 a pooler that does not answer holds nothing up for long, and the look is repeated', async () => {
    const { own } = await pooled('session');
    const database = own.connect({ max: 1 });
    const held = database.transaction((transaction) => transaction.execute(sql.raw('select pg_sleep(2)')));
    const began = performance.now();
    const guard = guardDatabase(database);
    expect(await guard(async () => 'done')).toBe('done');
    expect(performance.now() - began).toBeLessThan(1800);
    await held;
    expect(await guard(async () => 'done')).toBe('done');
  });

  // What a start can't see: one connection, or a pooler that comes later. As if nobody had looked.
  const unseen = (database: Database): Database =>
    new Proxy(database, {
      get: (target, name) => (name === '$client' ? undefined : Reflect.get(target, name)),
    });

  const writers: readonly (readonly [string, (database: Database) => (name: string) => Promise<unknown>])[] = [
    [
      'plugin-kit',
      (database) => (name) => runTransaction(database, (transaction) => transaction.insert(things).values({ name })),
    ],
    [
      'audit-log',
      (database) => {
        const changes = createAuditedChanges({ database, sink: sinkOn(database) });
        return (name) =>
          changes.change({ event: { action: 'thing.create' } }, async (transaction, record) => {
            await transaction.insert(things).values({ name });
            record({ target: name });
          });
      },
    ],
    [
      'idempotency',
      (database) => {
        const store = createPostgresIdempotencyStore({ database, timeoutMillis: 5000 });
        const records = store.openRecords({ leaseMillis: 60_000, retentionMillis: 60_000 });
        return async (name) => {
          const own = ownRecord();
          await records.insert(name, own);
          await runTransaction(database, async (transaction) => {
            await transaction.insert(things).values({ name });
            const completion = await records.completeWithin?.(name, own, transaction);
            if (completion === null) throw new Error('not completed');
          });
        };
      },
    ],
    [
      'system-parameters',
      (database) => {
        const source = createPostgresSource({ database });
        return async (key) => {
          await source.declare([{ key, type: 'LONG', defaultValue: '1', isPublic: false, description: 'A limit.' }]);
          const row = await source.write({
            ...{ key, value: '2', updatedBy: 'ada', versions: new Map([[key, 0]]) },
            async beforeCommit(_row, transaction) {
              await (transaction as Database).insert(things).values({ name: key });
            },
          });
          if (row === null) throw new Error('not written');
        };
      },
    ],
    [
      'ttl-store',
      (database) => {
        const store = createPostgresStore({ database, timeoutMillis: 5000 });
        return (name) => store.set(name, 'value', 60_000);
      },
    ],
  ];

  it.each(writers)(
    'REL-15 %s loses nothing that it acknowledged, even where the start saw nothing',
    async (name, writer) => {
      expect(await lostBy(name, writer)).toEqual([]);
    },
  );

  it('REL-15 the same transactions without runTransaction are lost, so the pooler is one that loses them', async () => {
    const lost = await lostBy(
      'database.transaction',
      (database) => (name) => database.transaction((transaction) => transaction.insert(things).values({ name })),
    );
    expect(lost).not.toEqual([]);
  });

  /** Of many parallel writes, the acknowledged ones that are not stored. */
  async function lostBy(
    writerName: string,
    writer: (database: Database) => (name: string) => Promise<unknown>,
  ): Promise<string[]> {
    const { direct, connect } = await pooled('transaction', 'default_pool_size = 3');
    const write = writer(unseen(connect({ max: 5 })));
    const acknowledged: string[] = [];
    const errors = new Map<string, number>();
    const limit = Date.now() + 20_000;
    await Promise.all(
      Array.from({ length: CALLS }, async () => {
        const thing = randomUUID();
        const late = new Promise<never>((_, reject) => {
          setTimeout(reject, limit - Date.now(), new Error('no answer')).unref();
        });
        try {
          await Promise.race([write(thing), late]);
          acknowledged.push(thing);
        } catch (error) {
          const { message, cause } = error as Error;
          const reason = `${message.split('\n')[0]?.slice(0, 60)} / ${String(cause).slice(0, 90)}`;
          errors.set(reason, (errors.get(reason) ?? 0) + 1);
        }
      }),
    );
    const rows = await direct.execute<{ name: string }>(sql`select name from things union select key from ttl_entries`);
    const stored = new Set([...rows].map((row) => row.name));
    const lost = acknowledged.filter((thing) => !stored.has(thing));
    process.stdout.write(
      `${writerName}: ${CALLS} writes, ${acknowledged.length} acknowledged, ${stored.size} stored, ${lost.length} lost; ` +
        `${JSON.stringify(Object.fromEntries(errors))}\n`,
    );
    return lost;
  }
});
