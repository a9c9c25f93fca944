import { setTimeout as pause } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text, withReplicas } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm/sql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { runTransaction } from '../../src/postgres/run-transaction.js';

const MAX = 3;
/** More faults than the pool has clients. */
const FAULTS = 8;

const PID = 'select pg_backend_pid() as pid';

const things = pgTable('things', { firstName: text().primaryKey() });

type Pool = ReturnType<typeof drizzle>['$client'];

describe('a transaction on a pool of node-postgres', () => {
  let own: TestDatabase;
  let killer: ReturnType<TestDatabase['connect']>;
  let pool: Pool;
  let logged: string[];
  let database: ReturnType<typeof open>;

  function open(options: { readonly query_timeout?: number } = {}) {
    const opened = drizzle({
      connection: { connectionString: own.url, max: MAX, ...options },
      casing: 'snake_case',
      schema: { things },
      logger: { logQuery: (query) => void logged.push(query) },
    });
    // No listener on the clients: a connection that is lost must not end the process.
    opened.$client.on('error', () => {});
    return opened;
  }
  const kill = async (pid: unknown) => killer.execute(sql`select pg_terminate_backend(${pid}::int, 1000)`);
  const pidOf = async (transaction: {
    execute(statement: string): PromiseLike<{ readonly rows: readonly unknown[] }>;
  }) => ((await transaction.execute(PID)).rows[0] as { pid: number }).pid;
  const insert = (firstName: string) =>
    runTransaction(database, (transaction) => transaction.insert(things).values({ firstName }));
  const stored = async () =>
    [...(await killer.execute(sql`select first_name from things`))].map((row) => row.first_name);

  /** Every client is back, and as many as the pool may have work at the same time. */
  async function expectSoundPool(): Promise<void> {
    await expect.poll(() => pool.idleCount).toBe(pool.totalCount);
    await Promise.all(Array.from({ length: 2 * MAX }, () => runTransaction(database, () => pause(5))));
    await expect.poll(() => pool.idleCount).toBe(MAX);
    expect([pool.totalCount, pool.waitingCount]).toEqual([MAX, 0]);
  }

  beforeAll(async () => {
    own = await createTestDatabase();
    killer = own.connect();
    await killer.execute(sql`create table things (first_name text primary key)`);
  });
  beforeEach(async () => {
    await killer.execute(sql`truncate things`);
    logged = [];
    database = open();
    pool = database.$client;
  });
  afterEach(() => pool.end());
  afterAll(() => own.drop());

  it('REL-14 gives a client back whose backend ended before the transaction began', async () => {
    const outcomes: string[] = [];
    for (let fault = 0; fault < FAULTS; fault += 1) {
      const client = await pool.connect();
      const { rows } = await client.query(PID);
      client.on('error', () => {});
      // It does not see the end: the statement that follows meets it.
      const { stream } = (client as unknown as { connection: { stream: NodeJS.ReadableStream } }).connection;
      stream.pause();
      pool.once('acquire', () => stream.resume());
      await kill(rows[0]?.pid);
      client.release();
      outcomes.push(await insert(`before ${fault}`).then(String, (error) => String(error.cause ?? error)));
    }
    expect(outcomes.filter((outcome) => /terminat|not queryable|EPIPE|ECONNRESET/i.test(outcome))).toHaveLength(FAULTS);
    expect(await stored()).toEqual([]);
    await expectSoundPool();
  });

  it.each([
    ['during a statement', 'select pg_sleep(5)', 0],
    ['between two statements', 'select 1', 50],
  ])(
    'REL-14 gives a client back whose backend ended %s, and rejects with the first error',
    async (_when, next, millis) => {
      for (let fault = 0; fault < FAULTS; fault += 1) {
        const failing = runTransaction(database, async (transaction) => {
          await transaction.insert(things).values({ firstName: `within ${fault}` });
          const killed = kill(await pidOf(transaction));
          if (millis > 0) await killed;
          await pause(millis);
          await transaction.execute(next).finally(() => killed);
        });
        await expect(failing).rejects.toThrow(`Failed query: ${next}`);
      }
      expect(await stored()).toEqual([]);
      await expectSoundPool();
    },
  );

  it.each([true, false])(
    'REL-14 gives a client back whose backend ended before the commit, noticed %s',
    async (isNoticed) => {
      for (let fault = 0; fault < FAULTS; fault += 1) {
        const failing = runTransaction(database, async (transaction) => {
          await transaction.insert(things).values({ firstName: `end ${fault}` });
          const killed = kill(await pidOf(transaction));
          await (isNoticed ? killed.then(() => pause(20)) : killed);
        });
        await expect(failing).rejects.toThrow(/terminat|not queryable|EPIPE|ECONNRESET/i);
      }
      expect(await stored()).toEqual([]);
      await expectSoundPool();
    },
  );

  it('REL-14 keeps a client after an error that is not of its connection', async () => {
    await insert('a');
    // It is settled before its client is back.
    await expect.poll(() => pool.idleCount).toBe(1);
    await expect(insert('a')).rejects.toMatchObject({ cause: { code: '23505' } });
    await expect(runTransaction(database, () => Promise.reject(new Error('The work failed')))).rejects.toThrow(
      /^The work/,
    );
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);
    const client = await pool.connect();
    // The pool's own is off while the client is held.
    expect(client.listenerCount('error')).toBe(0);
    client.release();
    expect(await stored()).toEqual(['a']);
  });

  it('REL-14 lets a client go that still waits for an answer', async () => {
    await pool.end();
    database = open({ query_timeout: 100 });
    pool = database.$client;
    for (let fault = 0; fault < MAX + 1; fault += 1) {
      const late = runTransaction(database, (transaction) => transaction.execute('select pg_sleep(1)'));
      await expect(late).rejects.toMatchObject({ cause: { message: 'Query read timeout' } });
    }
    await expect.poll(() => pool.totalCount).toBe(0);
  });

  it('REL-14 passes in what the database does: casing, schema, logger, savepoints', async () => {
    await runTransaction(database, async (transaction) => {
      await transaction.insert(things).values({ firstName: 'kept' });
      const inner = transaction.transaction(async (savepoint) => {
        await savepoint.insert(things).values({ firstName: 'gone' });
        savepoint.rollback();
      });
      await expect(inner).rejects.toThrow('Rollback');
      await transaction.setTransaction({ accessMode: 'read only' });
      expect(await transaction.query.things.findMany()).toEqual([{ firstName: 'kept' }]);
    });
    expect(await stored()).toEqual(['kept']);
    expect(logged[0]).toBe('begin');
    expect(logged).toContain('insert into "things" ("first_name") values ($1)');
  });

  it('REL-14 takes the primary of replicas, and leaves what something has wrapped as it is', async () => {
    const replicated = withReplicas(database, [database]);
    await expect(runTransaction(replicated, async (transaction) => kill(await pidOf(transaction)))).rejects.toThrow();
    await expectSoundPool();
    const calls: string[] = [];
    const { transaction } = database;
    database.transaction = (work, config) => {
      calls.push('wrapped');
      return transaction.call(database, work as never, config) as never;
    };
    await insert('by the wrapper');
    expect(calls).toEqual(['wrapped']);
    expect(await stored()).toEqual(['by the wrapper']);
  });
});
