import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type Sql, type TransactionSql } from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { prepareStatements } from '../../src/storage/prepared-statements.js';
import { NoOwnSessionError } from '../../src/storage/session-proof.js';
import { requireOwnSessions, watchSessions } from '../../src/storage/session-watch.js';

/** What the pool asks for, as PostgreSQL writes it, and what a pooler may give instead. */
const OWN = '5s';
const FOREIGN = '7s';

/** What the driver tells of a connection. */
type State = { readonly pid: number; readonly secret: number } | null;

describe('the watch of the sessions', () => {
  it('REL-15 a doubt that comes during a proof, or after one that held, needs a proof of its own', async () => {
    const ends: (() => void)[] = [];
    const watch = watchSessions(() => new Promise((resolve) => ends.push(resolve)));
    expect(watch.settled()).toBeNull();
    watch.doubt();
    const settling = watch.settled();
    watch.doubt();
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    expect(watch.settled()).toBe(settling);
    ends[1]?.();
    await settling;
    expect(watch.settled()).toBeNull();
    watch.doubt();
    expect(watch.settled()).not.toBeNull();
    expect(ends).toHaveLength(3);
    ends[2]?.();
  });
});

const sentence = (text: string) => text.split(' ')[0];

describe('the settings of a transaction', () => {
  let database: TestDatabase;
  let own: Sql;
  beforeAll(async () => {
    database = await createTestDatabase();
    own = database.connect().$client;
    await own.unsafe('create table things (name text)');
  });
  afterAll(() => database?.drop());

  const ends: (() => Promise<void>)[] = [];
  beforeEach(() => own.unsafe('delete from things'));
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** @param tell what the driver tells of the connection of a transaction, in place of what it would */
  function open(timeout: string, { max = 1, tell }: { readonly max?: number; readonly tell?: () => State } = {}) {
    const sent: string[] = [];
    let proofsOfSessions = 0;
    const watch = watchSessions(async () => {
      proofsOfSessions += 1;
    });
    const client = postgres(database.url, {
      max,
      fetch_types: false,
      connection: { statement_timeout: timeout } as object,
      backoff: () => 0,
      debug: (_connection, text) => void sent.push(text),
      onclose: () => watch.endConnection(),
    });
    ends.push(() => client.end({ timeout: 1 }));
    if (tell !== undefined) {
      const { unsafe } = client;
      client.unsafe = ((...given: Parameters<Sql['unsafe']>) => {
        const query = unsafe(...given);
        query.then((result) => Object.assign(result, { state: tell() }));
        return query;
      }) as Sql['unsafe'];
    }
    return {
      client: requireOwnSessions(prepareStatements(client), watch, new Map([['statement_timeout', OWN]])),
      sent,
      proofs: () => sent.filter((text) => text.startsWith('select 1 / (current_setting')).length,
      proofsOfSessions: () => proofsOfSessions,
    };
  }

  const insert = (transaction: TransactionSql) => transaction.unsafe('insert into things values ($1)', ['one']);
  const rows = () => own.unsafe('select * from things');
  const repeated = (count: number, words: readonly string[]) => Array.from({ length: count }, () => words).flat();

  it('REL-15 are proved with its first statement where its connection is new, and not again on it', async () => {
    const { client, sent, proofsOfSessions } = open(OWN);
    for (let round = 0; round < 5; round += 1) await client.begin(insert);
    expect(sent.map(sentence)).toEqual([
      ...['begin', 'select', 'insert', 'commit'],
      ...repeated(4, ['begin', 'insert', 'commit']),
    ]);
    // The connection may lead elsewhere.
    expect(proofsOfSessions()).toBe(1);
    expect(await rows()).toHaveLength(5);
  });

  it.each([OWN, FOREIGN])(
    'REL-15 AUD-16 leave a transaction its isolation level, which comes before (%s)',
    async (timeout) => {
      const { client, sent } = open(timeout);
      const levels = drizzle(client).transaction(
        (transaction) =>
          transaction.execute<{ level: string }>(`select current_setting('transaction_isolation') level`),
        { isolationLevel: 'repeatable read', accessMode: 'read only' },
      );
      if (timeout === OWN) expect(await levels).toEqual([{ level: 'repeatable read' }]);
      else await expect(levels).rejects.toThrow(NoOwnSessionError);
      expect(sent[1]).toMatch(/^set transaction /);
      expect(sent[2]).toMatch(/current_setting/);
    },
  );

  it('REL-15 are proved once on each connection, and again on all once one has ended', async () => {
    const { client, proofs } = open(OWN, { max: 3 });
    const atOnce = () =>
      Promise.all(Array.from({ length: 3 }, () => client.begin((transaction) => transaction`select pg_sleep(0.1)`)));
    await atOnce();
    await atOnce();
    expect(proofs()).toBe(3);
    const ended = client.begin((transaction) => transaction`select pg_terminate_backend(pg_backend_pid())`);
    await expect(ended).rejects.toThrow();
    await atOnce();
    await atOnce();
    expect(proofs()).toBe(6);
  });

  it('REL-15 are proved by each one where a pooler answered the startup, and doubted once', async () => {
    const { client, proofs, proofsOfSessions } = open(OWN, { tell: () => ({ pid: 1, secret: 2 }) });
    for (let round = 0; round < 5; round += 1) await client.begin(insert);
    expect([proofs(), proofsOfSessions()]).toEqual([5, 1]);
  });

  it('REL-15 are proved by each one where the driver does not tell the connection', async () => {
    const { client, proofs, proofsOfSessions } = open(OWN, { tell: () => null });
    for (let round = 0; round < 5; round += 1) await client.begin(insert);
    expect([proofs(), proofsOfSessions()]).toEqual([5, 0]);
  });

  it('REL-15 hold, and what fails otherwise fails with its own error', async () => {
    const { client, proofs } = open(OWN);
    const fault = new Error('a fault of the work');
    const failing = async () => {
      throw fault;
    };
    for (const _ of [1, 2]) {
      await expect(client.begin(failing)).rejects.toBe(fault);
      await expect(client.begin((transaction) => transaction`select 1 / 0`)).rejects.toThrow('division by zero');
      await expect(client.begin((transaction) => transaction`select * from nowhere`)).rejects.toThrow('nowhere');
      await client.begin(async (transaction) => {
        await transaction.savepoint((inner) => inner`select * from nowhere`).catch(() => {});
        await insert(transaction);
      });
    }
    expect(proofs()).toBe(1);
    expect(await rows()).toHaveLength(2);
  });

  const works: Record<string, (transaction: TransactionSql) => Promise<unknown>> = {
    'that writes': insert,
    'that sends its statements together': (transaction) => Promise.all([insert(transaction), insert(transaction)]),
    'whose first statement fails': (transaction) => transaction.unsafe('select * from nowhere'),
    'that catches what fails': (transaction) => insert(transaction).catch(() => {}),
    'that writes in a savepoint, and catches what fails': (transaction) =>
      transaction.savepoint(insert).catch(() => {}),
    'that throws an error of its own': async (transaction) => {
      await insert(transaction).catch(() => {});
      throw new Error('a fault of the work');
    },
    'without a statement': async () => {},
    'that commits by itself': (transaction) => transaction.unsafe("insert into things values ('one'); commit"),
  };
  it.each(Object.entries(works))('REL-15 differ: a work %s is refused, and nothing is committed', async (_, work) => {
    const { client, proofs, sent } = open(FOREIGN);
    for (const round of [1, 2]) {
      for (const mode of ['read write', 'isolation level serializable'] as const) {
        await expect(client.begin(mode, work)).rejects.toBeInstanceOf(NoOwnSessionError);
      }
      await expect(client.begin(work)).rejects.toBeInstanceOf(NoOwnSessionError);
      expect(proofs()).toBe(round * 3);
    }
    expect(sent.filter((text) => text === 'commit')).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it('REL-15 differ: a transaction that only reads is refused', async () => {
    const { client } = open(FOREIGN);
    const reading = () => client.begin('read only', (transaction) => transaction`select * from things`);
    for (const _ of [1, 2]) await expect(reading()).rejects.toBeInstanceOf(NoOwnSessionError);
  });
});
