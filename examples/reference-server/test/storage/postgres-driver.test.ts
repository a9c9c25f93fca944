import type postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { postgresOptions } from '../../src/storage/postgres-options.js';

// Tests of `scripts/patches/`. Without the patch, the first test ends the process, in the second a statement runs
// outside of its transaction, and in the third each statement slows down the next one.
describe('a connection to PostgreSQL that breaks within a transaction', () => {
  let database: TestDatabase;
  let onlooker: postgres.Sql;
  beforeAll(async () => {
    database = await createTestDatabase();
    onlooker = database.connect({ max: 1 }).$client;
    await onlooker`create table notes (text text)`;
  });
  afterAll(() => database.drop());

  /** Terminates the session of a transaction, and resolves when it has ended. */
  async function cut(transaction: postgres.TransactionSql): Promise<void> {
    const [session] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const pid = session!.pid;
    await onlooker`select pg_terminate_backend(${pid})`;
    await vi.waitFor(async () => {
      expect(await onlooker`select from pg_stat_activity where pid = ${pid}`).toHaveLength(0);
    }, 10_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  it('REL-3 rejects the following statements, and the process keeps running', async () => {
    const sql = database.connect({ max: 1, prepare: false }).$client;
    const broken = sql.begin(async (transaction) => {
      await cut(transaction);
      await transaction`insert into notes values ('after the break')`;
    });
    await expect(broken).rejects.toThrow();
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('REL-3 sends none of its statements on the next connection, where they would run outside of the transaction', async () => {
    const sql = database.connect({ max: 1 }).$client;
    let fate: string | null = null;
    const broken = sql.begin(async (transaction) => {
      await cut(transaction);
      // The pool reopens its only connection for another caller.
      await sql`select 1`;
      fate = await transaction`insert into notes values ('astray')`.then(
        () => 'sent',
        () => 'refused',
      );
    });
    await expect(broken).rejects.toThrow();
    // The transaction has failed for its caller, and its function is still running.
    await vi.waitFor(() => expect(fate).not.toBeNull(), 10_000);
    expect(fate).toBe('refused');
    expect(await sql`select text from notes where text = 'astray'`).toEqual([]);
  });
});

describe('a pool whose connections have failed', () => {
  it('REL-3 waits at most half a second before it connects again, however long PostgreSQL was away', () => {
    const { backoff } = postgresOptions('public', { max: 1, applicationName: 'test' });
    if (typeof backoff !== 'function') throw new TypeError('the driver would choose the pauses');
    for (let failures = 0; failures < 100; failures += 1) {
      expect(backoff(failures)).toBeGreaterThanOrEqual(0.25);
      expect(backoff(failures)).toBeLessThanOrEqual(0.5);
    }
  });
});

describe('the connections of a pool that is never all in use', () => {
  interface Queue {
    push(connection: object): object;
    shift(): object;
    remove(connection: object): object | null;
    readonly length: number;
  }

  async function openQueue(): Promise<Queue> {
    const { default: create } = (await import(new URL('queue.js', import.meta.resolve('postgres')).href)) as {
      default: () => Queue;
    };
    return create();
  }

  it("REL-11 SV-17 are handed out millions of times without growing the pool's queue", async () => {
    const free = await openQueue();
    const connections = [{}, {}, {}];
    for (const connection of connections) free.push(connection);
    const before = process.memoryUsage().heapUsed;
    for (let statement = 0; statement < 5_000_000; statement += 1) free.push(free.shift());
    // An entry takes 8 bytes, so keeping all of them would take 40 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10e6);
    expect(free.length).toBe(3);
    expect(connections.map((connection) => free.remove(connection))).toEqual(connections);
  });

  it('are handed out in the order of their return, and removed ones are not', async () => {
    const free = await openQueue();
    const expected: object[] = [];
    for (let step = 0; step < 1000; step += 1) {
      const connection = { step };
      expected.push(free.push(connection));
      if (step % 3 === 0) expect(free.shift()).toBe(expected.shift());
      if (step % 5 === 0 && expected.length > 1) expect(free.remove(expected.splice(1, 1)[0]!)).not.toBeNull();
      expect(free.remove({})).toBeNull();
      expect(free.length).toBe(expected.length);
    }
    while (expected.length > 0) expect(free.shift()).toBe(expected.shift());
  });
});
