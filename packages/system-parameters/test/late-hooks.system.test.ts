import { isCommitted } from '@sallyport/plugin-kit/commits';
import { runTransaction } from '@sallyport/plugin-kit/postgres';
import { type PgDatabase, type PgQueryResultHKT, pgTable, text } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CommittingDatabase, committingDatabases } from '../../../scripts/committing-databases.js';
import { createSystemParameters, type ParameterChange } from '../src/index.js';
import { createPostgresSource, createSystemParametersTable, transactionOf } from '../src/postgres/index.js';
import { MIN_LENGTH, tables } from './login-parameters.js';

type Transaction = PgDatabase<PgQueryResultHKT>;

const audit = pgTable('audit', { line: text() });
const insert = (line: string) => `insert into audit values ('${line}')`;

/** A promise, and what resolves it. */
function signal() {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

describe.each(committingDatabases)('a hook that goes on after its limit, by %s', (_driver, open) => {
  let given: CommittingDatabase;
  const lines = () => given.rowsOf('select line from audit order by line');

  beforeAll(async () => {
    given = await open();
    await createSystemParametersTable(given.database);
    await given.database.execute('create table audit (line text)');
  });
  beforeEach(() => given.database.execute('truncate audit, system_parameters'));
  afterAll(() => given.close());

  async function startNode(timeoutMillis: number, onChange?: (change: ParameterChange) => Promise<void>) {
    const source = createPostgresSource({ database: given.database });
    const node = createSystemParameters({ tables, source, timeoutMillis, ...(onChange && { onChange }) });
    await node.start();
    return node;
  }
  const change = (node: Awaited<ReturnType<typeof startNode>>) =>
    node.change({ key: MIN_LENGTH, value: 8, version: 0, changedBy: 'ada' });

  it.each<[string, (transaction: Transaction, late: Promise<void>) => Promise<unknown>]>([
    [
      'a statement',
      async (transaction, late) => {
        await late;
        await transaction.execute(insert('late'));
      },
    ],
    [
      'a statement that was made before',
      async (transaction, late) => {
        const statement = transaction.insert(audit).values({ line: 'late' }).prepare('made_before');
        await late;
        await statement.execute();
      },
    ],
    [
      'a savepoint',
      async (transaction, late) => {
        await late;
        await transaction.transaction((inner) => inner.execute(insert('late')));
      },
    ],
    [
      'a statement within a savepoint',
      (transaction, late) =>
        transaction.transaction(async (inner) => {
          await inner.execute(insert('in time'));
          await late;
          await inner.execute(insert('late'));
        }),
    ],
  ])('SYS-2 AU-14 writes nothing any more, in no transaction of others either: %s', async (_, write) => {
    const late = signal();
    let outcome: Promise<string> | undefined;
    const slow = await startNode(200, async (made) => {
      const writing = write(transactionOf<Transaction>(made), late.given);
      outcome = writing.then(
        () => 'written',
        (error: Error) => String((error.cause as Error | undefined)?.message ?? error.message),
      );
      await writing;
    });
    await expect(change(slow)).rejects.toMatchObject({ statusCode: 503 });
    // It waits for the lock, and so for the rollback.
    await change(await startNode(10_000));

    // The connection of the change is that of another transaction now. PGlite has one connection.
    const begun = signal();
    const done = signal();
    const names = given.proxy === null ? ['a'] : ['a', 'b'];
    let running = 0;
    const others = names.map((name) =>
      runTransaction(given.database, async (transaction) => {
        await transaction.execute(insert(name));
        running += 1;
        if (running === names.length) begun.give();
        await done.given;
      }),
    );
    await begun.given;
    late.give();
    const seen = await outcome;
    done.give();
    await Promise.allSettled(others);
    expect(seen).toBe('the change is over, and so is its transaction');
    expect(await lines()).toEqual(names.map((line) => ({ line })));
  });

  it('SYS-2 AU-14 keeps what was written in time, and says whether that was committed', async () => {
    const handed: object[] = [];
    const node = await startNode(10_000, async (made) => {
      const transaction = transactionOf<Transaction>(made);
      handed.push(transaction);
      await transaction.transaction((inner) => inner.execute(insert('in time')));
      if (made.newValue === 9) throw new Error('no');
    });
    await change(node);
    const failing = node.change({ key: MIN_LENGTH, value: 9, version: 1, changedBy: 'ada' });
    await expect(failing).rejects.toMatchObject({ code: 'PARAMETER_CHANGE_NOT_RECORDED' });
    expect(handed.map(isCommitted)).toEqual([true, false]);
    for (const transaction of handed)
      await expect((transaction as Transaction).execute(insert('late'))).rejects.toThrow();
    expect(await lines()).toEqual([{ line: 'in time' }]);
  });
});
