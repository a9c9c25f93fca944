import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommittingDatabase, committingDatabases } from '../../../scripts/committing-databases.js';
import { createSystemParameters } from '../src/index.js';
import { createPostgresSource, createSystemParametersTable, transactionOf } from '../src/postgres/index.js';
import { MIN_LENGTH, tables } from './login-parameters.js';

describe.each(committingDatabases)('a commit that is lost, by %s', (_driver, open) => {
  let given: CommittingDatabase;
  beforeAll(async () => {
    given = await open();
    await createSystemParametersTable(given.database);
  });
  afterAll(() => given.close());

  it('REL-14 SYS-2 is 503, and the parameter keeps its value', async () => {
    const node = createSystemParameters({
      tables,
      source: createPostgresSource({ database: given.database }),
      timeoutMillis: 10_000,
      // PGlite has no network between, so there a statement fails whose error is swallowed.
      async onChange(change) {
        if (given.proxy === null && change.newValue === 7) {
          await transactionOf(change)
            .execute('select 1 / 0')
            .catch(() => {});
        }
      },
    });
    await node.start();
    const change = (value: number) => node.change({ key: MIN_LENGTH, value, version: 0, changedBy: 'ada' });
    given.proxy?.turnCommits(true);
    await expect(change(7)).rejects.toMatchObject({ statusCode: 503 });
    given.proxy?.turnCommits(false);
    expect(await node.find(MIN_LENGTH)).toMatchObject({ value: 6, version: 0 });
    await change(8);
    expect(await node.find(MIN_LENGTH)).toMatchObject({ value: 8, version: 1 });
    await node.close();
  });
});
