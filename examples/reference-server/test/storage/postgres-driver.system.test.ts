import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { postgresOptions } from '../../src/storage/postgres-options.js';

// Tests of `packages/idempotency/patches/`, in both builds of the driver. docs/upstream.md shows the faults.
describe.each([
  ['import', postgres],
  ['require', createRequire(import.meta.url)('postgres') as typeof postgres],
])('a connection to PostgreSQL that breaks within a transaction, with the driver by %s', (_build, connect) => {
  let database: TestDatabase;
  let onlooker: postgres.Sql;
  let sql: postgres.Sql;
  beforeAll(async () => {
    database = await createTestDatabase();
    onlooker = database.connect({ max: 1 }).$client;
    await onlooker`create table notes (text text)`;
  });
  afterAll(() => database.drop());
  beforeEach(() => open());
  afterEach(() => sql.end({ timeout: 1 }));

  function open(options: postgres.Options<Record<string, never>> = {}, url = database.url): void {
    sql = connect(url, {
      max: 1,
      fetch_types: false,
      onnotice: () => {},
      backoff: () => 0.1,
      connect_timeout: 5,
      ...options,
    });
  }

  const terminate = async (transaction: postgres.TransactionSql) => {
    const [session] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const pid = session!.pid;
    return async () => {
      await onlooker`select pg_terminate_backend(${pid})`;
      await vi.waitFor(async () => {
        expect(await onlooker`select from pg_stat_activity where pid = ${pid}`).toHaveLength(0);
      }, 10_000);
    };
  };

  /** Terminates the session of a transaction, and resolves when it has ended. */
  async function cut(transaction: postgres.TransactionSql): Promise<void> {
    await (await terminate(transaction))();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  /** A transaction whose session is terminated while its statements run. */
  const cutDuring = (...statements: ((transaction: postgres.TransactionSql) => Promise<unknown>)[]) =>
    sql.begin(async (transaction) => {
      const end = await terminate(transaction);
      // A statement is sent when it is awaited.
      const settled = Promise.allSettled(statements.map(async (statement) => await statement(transaction)));
      await vi.waitFor(async () => {
        const asleep = await onlooker`select from pg_stat_activity where query like '%pg_sleep(%' and state = 'active'
          and pid <> pg_backend_pid()`;
        expect(asleep).toHaveLength(1);
      }, 10_000);
      await end();
      const [first] = await settled;
      if (first?.status === 'rejected') throw first.reason;
    });

  it('REL-3 rejects the following statements, and the process keeps running', async () => {
    open({ prepare: false });
    const broken = sql.begin(async (transaction) => {
      await cut(transaction);
      await transaction`insert into notes values ('after the break')`;
    });
    await expect(broken).rejects.toThrow();
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('REL-3 is opened again, and its first statement gets the answer to itself, not the error of the lost one', async () => {
    await expect(cutDuring((transaction) => transaction`select pg_sleep(20)`)).rejects.toThrow('CONNECTION_CLOSED');
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('REL-3 rejects the statements that wait for one before them', async () => {
    const fates: Promise<unknown>[] = [];
    const waiting = (transaction: postgres.TransactionSql) => {
      const fate = transaction`select 1`.catch((error: { code: string }) => error.code);
      fates.push(fate);
      return fate;
    };
    const broken = cutDuring((transaction) => transaction`select pg_sleep(${20})`.execute(), waiting, waiting);
    await expect(broken).rejects.toThrow('CONNECTION_CLOSED');
    expect(await Promise.all(fates)).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
  });

  it('REL-3 is opened again after a reset, too', async () => {
    const target = new URL(database.url);
    const clients: Socket[] = [];
    const proxy = createServer((client) => {
      const server = dial(Number(target.port), target.hostname);
      client.pipe(server).pipe(client);
      for (const end of [client, server]) end.on('error', () => {});
      clients.push(client);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    open({}, Object.assign(new URL(target), { port: String(port) }).href);
    try {
      const broken = sql.begin(async (transaction) => {
        await transaction`select 1`;
        setTimeout(() => clients.at(-1)?.resetAndDestroy(), 50);
        await transaction`select pg_sleep(20)`;
      });
      await expect(broken).rejects.toThrow();
      for (let attempt = 0; attempt < 3; attempt += 1) expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
      expect(await sql.begin((transaction) => transaction`select 2 as two`)).toEqual([{ two: 2 }]);
    } finally {
      for (const client of clients) client.destroy();
      proxy.close();
    }
  });

  it('REL-3 sends none of its statements on the next connection, where they would run outside of the transaction', async () => {
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

  it('REL-11 is kept for its transaction where BEGIN fills the pipeline', async () => {
    await sql`select 1`;
    // One is the active statement, and 100 may be sent behind it.
    const before = Array.from({ length: 100 }, () => sql.unsafe('select 1').execute());
    const begun = sql.begin((transaction) => transaction`insert into notes values ('within')`);
    await Promise.all([...before, begun]);
    await sql`insert into notes values ('of another caller')`;
    expect(await onlooker`select text from notes where text in ('within', 'of another caller')`).toHaveLength(2);
    await onlooker`delete from notes`;
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
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const free = await openQueue();
    const connections = [{}, {}, {}];
    for (const connection of connections) free.push(connection);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let statement = 0; statement < 5_000_000; statement += 1) free.push(free.shift());
    collectGarbage();
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
