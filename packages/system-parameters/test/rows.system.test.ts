import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createSystemParameters,
  type ParameterSource,
  type SystemParametersEngine,
  type SystemParametersEngineOptions,
} from '../src/index.js';
import { createSystemParametersTable, systemParameters, transactionOf } from '../src/postgres/index.js';
import type { DrizzleParameterDatabase } from '../src/postgres/postgres-table.js';
import {
  FAILURE_COUNT,
  loginParameters,
  MAX_LENGTH,
  MIN_LENGTH,
  passwordParameters,
  tables,
  WHITELIST_ENABLED,
} from './login-parameters.js';
import { type SourceKind, sourceKinds } from './source-kinds.js';

describe.each(['PGlite', 'PostgreSQL'])('the rows on %s', (kindName) => {
  let kind: SourceKind;
  let database: DrizzleParameterDatabase;
  let source: ParameterSource;

  beforeAll(async () => {
    kind = await sourceKinds[kindName]!();
    database = kind.database!;
  });
  afterAll(() => kind.close());
  beforeEach(async () => {
    await kind.empty();
    source = kind.connect();
  });

  async function startNode(options: Partial<SystemParametersEngineOptions> = {}): Promise<SystemParametersEngine> {
    const node = createSystemParameters({ tables, source, timeoutMillis: 10_000, ...options });
    await node.start();
    return node;
  }

  it('LP-24 a corrupt row of a protection falls back to the protection', async () => {
    const node = await startNode();
    await node.change({ key: WHITELIST_ENABLED, value: true, version: 0, changedBy: 'a' });
    for (const value of ['TRUE', '1', '', ' true']) {
      await database.update(systemParameters).set({ value }).where(eq(systemParameters.key, WHITELIST_ENABLED));
      const late = await startNode({ source: kind.connect() });
      expect((await late.read(loginParameters)).ipWhitelistEnabled).toBe(true);
      expect((await late.find(WHITELIST_ENABLED)).fault).toBe('the stored value must be true or false');
    }
  });

  it('SYS-2 of edited rows that break a rule together one falls back, and a change repairs it', async () => {
    const node = await startNode();
    await node.change({ key: MIN_LENGTH, value: 8, version: 0, changedBy: 'a' });
    await node.change({ key: passwordParameters.requireDigit.key, value: true, version: 0, changedBy: 'a' });
    await database.update(systemParameters).set({ value: '100' }).where(eq(systemParameters.key, MIN_LENGTH));
    const late = await startNode({ source: kind.connect() });
    expect(await late.read(passwordParameters)).toEqual({ minLength: 6, maxLength: 32, requireDigit: true });
    expect((await late.find(MIN_LENGTH)).fault).toMatch(/break a rule: .*must not exceed/);
    expect((await late.find(MAX_LENGTH)).fault).toBeNull();
    await late.change({ key: MAX_LENGTH, value: 128, version: 0, changedBy: 'a' });
    expect(await late.read(passwordParameters)).toEqual({ minLength: 100, maxLength: 128, requireDigit: true });
  });

  it('SYS-2 rows that no single fallback repairs are all replaced', async () => {
    const node = await startNode();
    for (const key of [MIN_LENGTH, MAX_LENGTH]) await node.change({ key, value: 20, version: 0, changedBy: 'a' });
    const rules = ({ minLength, maxLength }: { minLength: number; maxLength: number }) =>
      minLength === 20 || maxLength === 20 ? ['never 20'] : [];
    const late = await startNode({ tables: [{ definitions: passwordParameters, rules }], source: kind.connect() });
    expect(await late.read(passwordParameters)).toEqual({ minLength: 6, maxLength: 32, requireDigit: false });
  });

  it('SYS-2 the next change creates a row that was deleted by hand', async () => {
    const node = await startNode();
    await kind.empty();
    expect(await node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'a' })).toMatchObject({
      version: 1,
    });
    expect((await source.read([FAILURE_COUNT, MIN_LENGTH])).length).toBe(2);
  });

  it('SYS-4 a row can hide a public parameter and can never publish a private one', async () => {
    await startNode();
    await database.update(systemParameters).set({ isPublic: true });
    await database.update(systemParameters).set({ isPublic: false }).where(eq(systemParameters.key, MIN_LENGTH));
    // The start of another node leaves the flags alone.
    const node = await startNode({ source: kind.connect() });
    expect(await node.publicValues()).toEqual({ [MAX_LENGTH]: 32, [passwordParameters.requireDigit.key]: false });
    expect(await node.find(MIN_LENGTH)).toMatchObject({ isPublic: false });
    expect(await node.find(FAILURE_COUNT)).toMatchObject({ isPublic: false });
  });

  it('AU-14 what the audit hook writes in the transaction is committed with the change or not at all', async () => {
    await database.execute('create table if not exists audit (line text)');
    await database.execute('delete from audit');
    const node = await startNode({
      async onChange(change) {
        await transactionOf(change).execute(`insert into audit values ('${change.oldValue} to ${change.newValue}')`);
        if (change.newValue === 9) throw new Error('no');
      },
    });
    await node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'a' });
    await node.change({ key: FAILURE_COUNT, value: 9, version: 1, changedBy: 'a' }).catch(() => {});
    const lines = await database.execute('select line from audit');
    const rows = (Array.isArray(lines) ? lines : (lines as unknown as { rows: unknown[] }).rows) as unknown[];
    expect([...rows]).toEqual([{ line: '5 to 3' }]);
  });

  it('SYS-1 nodes that start at once create one table, and one row per parameter', async () => {
    await Promise.all(Array.from({ length: 4 }, () => createSystemParametersTable(database)));
    await Promise.all(Array.from({ length: 4 }, () => startNode({ source: kind.connect() })));
    expect((await database.select().from(systemParameters)).length).toBe(7);
  });
});

describe('transactionOf', () => {
  it('refuses a change of another source', () => {
    expect(() => transactionOf({ transaction: null })).toThrow(/does not come from a PostgreSQL source/);
    expect(() => transactionOf({ transaction: {} })).toThrow(/does not come from a PostgreSQL source/);
  });
});
