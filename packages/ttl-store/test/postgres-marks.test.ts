import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm/sql';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '../../../scripts/test-database.js';
import type { StoreMarks } from '../src/index.js';
import { createPostgresStore, createTtlEntriesTable } from '../src/postgres/index.js';

const DAY = 86_400_000;
const anyTime = { keepUntil: 0, notBefore: 0, notAfter: 1e14 } as const;

async function openMarks() {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const orm = database.connect();
  await createTtlEntriesTable(orm);
  const open = (): StoreMarks => createPostgresStore({ database: database.connect(), timeoutMillis: 10_000 }).marks!;
  const marks = open();
  await marks.replace(0, 'mark', null, 'id', DAY);
  const { run } = await marks.keep(0, { key: 'mark', value: '', run: '', minExpiresAt: 0 }, DAY);
  return { database, orm, marks, open, mark: { key: 'mark', value: 'id', run, minExpiresAt: 0 } };
}

it('RPL-6 what waits for a transaction that deletes the mark is not written after it', async () => {
  const { orm, marks, mark } = await openMarks();
  const entry = { key: randomUUID(), value: '1', ttlMillis: DAY, ...anyTime };
  expect((await marks.setIfAbsent(0, mark, entry)).outcome).toBe('written');
  let waiting: ReturnType<StoreMarks['setIfAbsent']> | undefined;
  await orm.transaction(async (transaction) => {
    await transaction.execute(sql`delete from ttl_entries`);
    waiting = marks.setIfAbsent(0, mark, entry);
    await sleep(300);
  });
  expect((await waiting)?.outcome).toBe('unmarked');
});

it('RPL-6 the run has no digits that depend on the session', async () => {
  const { marks, mark } = await openMarks();
  expect((await marks.keep(0, mark, DAY)).run).toMatch(/^\d+:[0-9A-F]{8}:\d{16}$/);
});
