import Fastify from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CommittingDatabase, committingDatabases } from '../../../../scripts/committing-databases.js';
import { isCommitted } from '../../src/postgres/commits.js';
import { SharedSessionsError } from '../../src/postgres/database-guard.js';
import { UnmendedDriverError } from '../../src/postgres/driver-warning.js';
import { runTransaction, TransactionRolledBackError } from '../../src/postgres/run-transaction.js';

const INSERT = "insert into things values ('a')";

describe.each(committingDatabases)('a transaction by %s', (_driver, open) => {
  let given: CommittingDatabase;
  const things = () => given.rowsOf('select name from things');
  beforeAll(async () => {
    given = await open();
    await given.database.execute(
      'create table things (name text primary key, parent text references things deferrable initially deferred)',
    );
  });
  beforeEach(() => given.database.execute('truncate things'));
  afterAll(() => given.close());

  it('REL-14 resolves to the result of the work when it is committed, and leaves the connection idle', async () => {
    const transactions: object[] = [];
    const result = await runTransaction(given.database, async (transaction) => {
      transactions.push(transaction);
      expect(isCommitted(transaction)).toBe(false);
      await transaction.execute(INSERT);
      return 'made';
    });
    expect(result).toBe('made');
    expect(transactions.map(isCommitted)).toEqual([true]);
    expect(await things()).toEqual([{ name: 'a' }]);
    // More than the pool has: each connection is free again.
    await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        runTransaction(given.database, (transaction) => transaction.execute(`insert into things values ('${index}')`)),
      ),
    );
    expect(await things()).toHaveLength(26);
  });

  it('REL-14 rejects where the work swallowed the error of a statement', async () => {
    const transactions: object[] = [];
    const swallowing = runTransaction(given.database, async (transaction) => {
      transactions.push(transaction);
      await transaction.execute(INSERT);
      await transaction.execute('select 1 / 0').catch(() => {});
      return 'made';
    });
    await expect(swallowing).rejects.toThrow(TransactionRolledBackError);
    await expect(swallowing).rejects.toMatchObject({ code: 'TRANSACTION_ROLLED_BACK', statusCode: 503 });
    expect(transactions.map(isCommitted)).toEqual([false]);
    expect(await things()).toEqual([]);
  });

  it.each(['commit', 'rollback'])('REL-14 rejects where the work itself sent %s', async (statement) => {
    const ending = runTransaction(given.database, async (transaction) => {
      await transaction.execute(INSERT);
      await transaction.execute(statement);
    });
    await expect(ending).rejects.toMatchObject({ code: '25P01' });
  });

  it('REL-14 rejects with the error of the work, and with that of the commit', async () => {
    const refused = runTransaction(given.database, async (transaction) => {
      await transaction.execute(INSERT);
      throw new Error('The work failed');
    });
    await expect(refused).rejects.toThrow('The work failed');
    const orphan = runTransaction(given.database, (transaction) =>
      transaction.execute("insert into things values ('b', 'nobody')"),
    );
    // A foreign key that is checked by the commit.
    await expect(orphan).rejects.toMatchObject({ code: '23503' });
    expect(await things()).toEqual([]);
  });

  it('REL-14 refuses a transaction in place of the database: the outer one would be committed', async () => {
    const nested = given.database.transaction(async (outer) => {
      await outer.execute(INSERT);
      await expect(runTransaction(outer, (inner) => inner.execute('select 1'))).rejects.toThrow(TypeError);
      throw new Error('Roll back');
    });
    await expect(nested).rejects.toThrow('Roll back');
    expect(await things()).toEqual([]);
  });

  it('REL-14 rejects where the driver does not tell how the commit was answered', async () => {
    const silent = {
      transaction: (work: (transaction: unknown) => Promise<unknown>) => work({ execute: async () => ({ rows: [] }) }),
    };
    await expect(runTransaction(silent, async () => 'made')).rejects.toThrow(/PGlite from 0\.5\.6 on/);
  });
});

describe.each(committingDatabases.slice(0, 2))('a transaction by %s over a network', (_driver, open) => {
  let given: CommittingDatabase;
  beforeAll(async () => {
    given = await open();
    await given.database.execute('create table things (name text primary key)');
  });
  beforeEach(() => given.database.execute('truncate things'));
  afterAll(() => given.close());
  const things = () => given.rowsOf('select name from things');
  const insert = () => runTransaction(given.database, (transaction) => transaction.execute(INSERT));

  it('REL-14 rejects where a pooler made a rollback of the commit, and the next one is stored', async () => {
    given.proxy!.turnCommits(true);
    await expect(insert()).rejects.toThrow(TransactionRolledBackError);
    expect(await things()).toEqual([]);
    given.proxy!.turnCommits(false);
    await insert();
    expect(await things()).toEqual([{ name: 'a' }]);
  });

  it('REL-14 resolves where the connection breaks after the answer to the commit', async () => {
    given.proxy!.cutAfterCommits(true);
    await insert();
    given.proxy!.cutAfterCommits(false);
    expect(await things()).toEqual([{ name: 'a' }]);
  });

  it('REL-14 rejects where the connection breaks before the answer', async () => {
    const cut = runTransaction(given.database, async (transaction) => {
      await transaction.execute(INSERT);
      given.proxy!.cut();
    });
    await expect(cut).rejects.toThrow();
    expect(await things()).toEqual([]);
  });
});

it('HSE-4 each refusal has its name, its code and its advice, and a handler that lets it pass answers 503', async () => {
  const thrown = [
    new TransactionRolledBackError(),
    new SharedSessionsError(['prepare: false', 'max_pipeline: 0'], true),
    new UnmendedDriverError(),
  ];
  expect(thrown.map(({ name, code }) => [name, code])).toEqual([
    ['TransactionRolledBackError', 'TRANSACTION_ROLLED_BACK'],
    ['SharedSessionsError', 'SESSIONS_SHARED'],
    ['UnmendedDriverError', 'DRIVER_UNMENDED'],
  ]);
  expect(thrown.map(({ message }) => message)).toEqual([
    expect.stringMatching(/ROLLBACK, so nothing is stored: .* lost the transaction$/),
    expect.stringMatching(/pass prepare: false and max_pipeline: 0 to postgres\(…\) and apply .* PostgreSQL itself$/),
    expect.stringMatching(/without the patch of @sallyport\/idempotency: with max_pipeline: 0 /),
  ]);
  const app = Fastify();
  for (const [index, error] of thrown.entries()) app.get(`/${index}`, async () => Promise.reject(error));
  const answers = await Promise.all(thrown.map((_, index) => app.inject(`/${index}`)));
  expect(answers.map((answer) => [answer.statusCode, answer.json().code])).toEqual(
    thrown.map(({ code }) => [503, code]),
  );
  await app.close();
});
