import { parseAuditKey, verifyAuditLog } from '@sallyport/audit-log/postgres';
import { createPostgresIdempotencyStore } from '@sallyport/idempotency/postgres';
import { createPostgresSource } from '@sallyport/system-parameters/postgres';
import { createPostgresStore } from '@sallyport/ttl-store/postgres';
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { createAdministrators } from '../../src/modules/administrators/administrators.js';
import { createFileRecords } from '../../src/modules/files/file-records.js';
import type { Database } from '../../src/storage/database.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import {
  columnsOf,
  expectedOf,
  insertRow,
  readTables,
  rowsOfRelease,
  sorted,
  type Tables,
  withMadeUp,
} from './released-rows.js';

/** The key of the audit log in `release-rows`. Records that are added to it are signed with this key. */
const AUDIT_KEY = parseAuditKey('release:6f1d2c3b4a5968778695a4b3c2d1e0f00f1e2d3c4b5a69788796a5b4c3d2e1f0');

type Opened = Pick<Database, 'orm'>;

/** Fills a database of the release. Fails if a table, a column or a value other than null is missing in the fixture. */
export async function fillRelease({ orm }: Opened, tag: string): Promise<void> {
  const rows = rowsOfRelease(tag);
  const tables = await columnsOf(orm);
  expect([tag, Object.keys(rows).sort()]).toEqual([tag, [...tables.keys()].sort()]);
  for (const [table, columns] of tables) {
    const names = [...columns.keys()].sort();
    expect([tag, table, rows[table]?.length]).not.toEqual([tag, table, 0]);
    for (const row of rows[table] ?? []) expect([tag, table, Object.keys(row).sort()]).toEqual([tag, table, names]);
    const filled = names.filter((name) => rows[table]?.some((row) => row[name] !== null));
    expect([tag, table, filled]).toEqual([tag, table, names]);
  }
  for (const [table, each] of Object.entries(rows)) for (const row of each) await insertRow(orm, table, row);
}

/** The rows of the release are there, mean the same, and the constraints hold for them. */
export async function expectRelease(database: Opened, tag: string): Promise<void> {
  const expected = expectedOf(tag);
  const tables = await columnsOf(database.orm);
  const empty = Object.fromEntries([...tables.keys()].map((table) => [table, []]));
  const rows = await readTables(database.orm);
  expect(sorted(withMadeUp(rows, expected))).toEqual(sorted({ ...empty, ...expected }));
  await expectReadable(database, expected);
  await expectConstraints(database, rows);
}

/** The modules read what an earlier release wrote. */
async function expectReadable({ orm }: Opened, expected: Tables): Promise<void> {
  const idOf = (table: string, column: string, value: string) =>
    expected[table]?.find((row) => row[column] === value)?.id ?? '';
  const accounts = createAdministrators({ reading: orm });
  const grants = async (username: string) => [
    ...(await accounts.grantsOf(idOf('administrators', 'username', username))),
  ];
  expect(await grants('admin')).toEqual(['*']);
  expect(await grants('former')).toEqual([]);
  expect(await createPostgresStore({ database: orm }).get('auth:session:01a1f000')).toBe('{"v":1}');
  expect(await createPostgresStore({ database: orm }).get('gone')).toBeNull();

  if (expected.system_parameters !== undefined) {
    const key = 'admin.auth.captcha.enabled';
    const [parameter] = await createPostgresSource({ database: orm }).read([key]);
    expect(parameter).toMatchObject({ key, value: 'true', version: 4 });
  }
  if (expected.idempotency_records !== undefined) {
    const records = createPostgresIdempotencyStore({ database: orm }).openRecords({
      leaseMillis: 30_000,
      retentionMillis: 60_000,
    });
    const states = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => records.read(letter.repeat(43))));
    expect(states.map((each) => [each?.record.state, each?.leaseLapsed])).toEqual([
      ['SUBMITTED', false],
      ['UNKNOWN', false],
      ['PROCESSING', true],
      ['PROCESSING', false],
    ]);
  }
  if (expected.stored_files !== undefined) {
    const { items, total } = await createFileRecords({ reading: orm }).list({ page: 1, size: 10 }, null);
    expect([total, items.map(({ size }) => size)]).toEqual([2, [Number.MAX_SAFE_INTEGER, 10_485_760]]);
  }
  if (expected.audit_records !== undefined) {
    const verified = await verifyAuditLog({ database: orm, key: AUDIT_KEY });
    const pending = expected.audit_pending?.length ?? 0;
    const rows = expected.audit_records.length;
    expect(verified).toMatchObject({ intact: true, findings: [], rows, lastSequence: 5, pending });
  }
}

/** No row can be inserted a second time, and every constraint was checked for the rows that were there. */
async function expectConstraints({ orm }: Opened, found: Tables): Promise<void> {
  for (const [table, [row]] of Object.entries(found)) {
    if (row === undefined) continue;
    await expect(insertRow(orm, table, row)).rejects.toMatchObject({ cause: { code: '23505' } });
  }
  const unchecked = sql`select conname from pg_constraint where connamespace = 'public'::regnamespace and not convalidated`;
  expect(await rowsOf(orm, unchecked)).toEqual([]);
  const assigned = sql`delete from roles where id in (select role_id from administrator_roles)`;
  await expect(Promise.resolve(orm.execute(assigned))).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/^2300[13]|23503$/) },
  });
}
