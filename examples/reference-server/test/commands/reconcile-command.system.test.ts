import { randomBytes, randomUUID } from 'node:crypto';
import { completionId, createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import {
  auditChainHeads,
  auditPending,
  auditRecords,
  createPostgresAuditSink,
  parseAuditKey,
} from '@sallyport/audit-log/postgres';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { administratorRoles, administrators, payments, roles, systemParameters } from '../../src/storage/schema.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import { type Actor, actor, roomy, root } from '../support/accounts.js';
import { runReconcile } from '../support/reconcile.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

const AUDIT_KEY = `test:${randomBytes(32).toString('hex')}`;

let bench: TestBench;
let app: App;
let admin: Actor;
let clerk: Actor;
beforeAll(async () => {
  bench = await openTestBench();
  app = await bench.app({ ...roomy, SERVICE_AUDIT_CHAIN_KEY: AUDIT_KEY });
  admin = await root(app);
  clerk = await actor(app, admin, ['api:admin:payments:list']);
});
afterAll(() => bench.close());

const orm = () => bench.database.orm;

async function pay(amount = '12.50'): Promise<string> {
  const headers = { ...admin.headers, 'idempotency-key': randomUUID() };
  const payload = { payee: 'Example Ltd', amount };
  return (await app.inject({ method: 'POST', url: '/admin/payments', headers, payload })).json().data.id;
}

/** The lines that the command prints of a row. They are gone when what was planted is taken back. */
async function whilePlanted(key: string, plant: () => Promise<unknown>, mend: () => Promise<unknown>) {
  await plant();
  const { status, output } = await runReconcile(bench);
  await mend();
  expect((await runReconcile(bench)).output).not.toContain(key);
  return { status, lines: output.split('\n').filter((line) => line.includes(key)) };
}

describe('a row that was changed past the application', () => {
  it('AUD-16 reconcile names a payment that was acknowledged and recorded, and is not there', async () => {
    const id = await pay();
    const [row] = await orm().select().from(payments).where(eq(payments.id, id));
    const found = await whilePlanted(
      id,
      () => orm().delete(payments).where(eq(payments.id, id)),
      () => orm().insert(payments).values(row!),
    );
    const says =
      /^row-missing payments \S+: There is no such row\. Record \S+ \(payment\.create, \S+Z\) says that there is\.$/;
    expect(found).toEqual({ status: 1, lines: [expect.stringMatching(says)] });
  });

  it('AUD-16 reconcile names a row without a record: one that was inserted, and one whose record was deleted', async () => {
    const id = randomUUID();
    const payment = { id, payee: 'Mallory', amount: '999.00', createdBy: admin.id };
    const says = [expect.stringMatching(/^record-missing payments \S+: No record says who made it\.$/)];
    const inserted = await whilePlanted(
      id,
      () => orm().insert(payments).values(payment),
      () => orm().delete(payments).where(eq(payments.id, id)),
    );
    expect(inserted).toEqual({ status: 1, lines: says });

    const paid = await pay();
    const isOfIt = eq(auditRecords.target, paid);
    const [record] = await orm().select().from(auditRecords).where(isOfIt);
    const deleted = await whilePlanted(
      paid,
      () => orm().delete(auditRecords).where(isOfIt),
      () => orm().insert(auditRecords).values(record!),
    );
    expect(deleted).toEqual({ status: 1, lines: says });
  });

  it('AUD-16 reconcile names a changed amount, a granted role and a changed parameter', async () => {
    const id = await pay();
    const setAmount = (amount: string) => orm().update(payments).set({ amount }).where(eq(payments.id, id));
    const amount = await whilePlanted(
      id,
      () => setAmount('99999.00'),
      () => setAmount('12.50'),
    );
    const says = /^changed payments \S+: amount is 99999\. Record \S+ \(payment\.create, \S+\) says 12\.5\.$/;
    expect(amount).toEqual({ status: 1, lines: [expect.stringMatching(says)] });

    const grant = { administratorId: clerk.id, roleId: admin.roleId };
    const granted = await whilePlanted(
      clerk.id,
      () => orm().insert(administratorRoles).values(grant),
      () =>
        orm()
          .delete(administratorRoles)
          .where(eq(administratorRoles.roleId, admin.roleId))
          .then(() =>
            orm()
              .insert(administratorRoles)
              .values({ ...grant, administratorId: admin.id }),
          ),
    );
    expect(granted.lines).toEqual([expect.stringMatching(/^changed administrators .*: roleIds is \["/)]);

    const key = 'admin.auth.login.failure-count';
    const isIt = eq(systemParameters.key, key);
    const parameter = await whilePlanted(
      key,
      () => orm().update(systemParameters).set({ value: '99' }).where(isIt),
      () => orm().update(systemParameters).set({ value: systemParameters.defaultValue }).where(isIt),
    );
    expect(parameter.lines).toEqual([expect.stringMatching(/^record-missing system_parameters /)]);
  });

  it('AUD-16 reconcile names a deleted account that is there again', async () => {
    const { id } = await actor(app, admin, []);
    const [row] = await orm().select().from(administrators).where(eq(administrators.id, id));
    expect((await admin.call('DELETE', `/admin/administrators/${id}`)).statusCode).toBe(204);
    const found = await whilePlanted(
      id,
      () => orm().insert(administrators).values(row!),
      () => orm().delete(administrators).where(eq(administrators.id, id)),
    );
    expect(found.lines).toEqual([expect.stringMatching(/^not-deleted administrators .* \(administrator\.delete, /)]);
  });
});

describe('what is no difference', () => {
  const nextId = createRecordIds(Date.now);
  const sinkOf = () => createPostgresAuditSink({ database: orm(), key: parseAuditKey(AUDIT_KEY) });
  const eventOf = (target: string, outcome: 'success' | 'unknown') => ({
    ...{ action: 'payment.create', actor: `admin:${admin.id}`, target, outcome },
    parameters: { body: { payee: 'a', amount: '1' } },
  });

  it('AUD-16 a record that still waits for the chain counts, and one without an outcome is listed apart', async () => {
    const id = randomUUID();
    const sink = sinkOf();
    const origin = { id: nextId(), occurredAt: Date.now() };
    await sink.begin([createAuditRecord(eventOf(id, 'unknown'), origin)]);
    const undecided = await runReconcile(bench);
    expect(undecided.status).toBe(0);
    expect(undecided.output).toContain(`undecided payments ${id}: Record ${origin.id} (payment.create, `);

    await orm().transaction(async (transaction) => {
      const completion = { ...origin, id: completionId(origin.id) };
      await transaction.insert(payments).values({ id, payee: 'a', amount: '1', createdBy: admin.id });
      await sink.appendWithin(transaction, [createAuditRecord(eventOf(id, 'success'), completion)]);
    });
    expect(await orm().$count(auditPending)).toBeGreaterThan(0);
    const completed = await runReconcile(bench);
    expect([completed.status, completed.output]).toEqual([0, expect.not.stringContaining('undecided')]);
    await sink.close();
  });

  it('AUD-16 rows are excused that are older than retention or --since, and counted; a log that was cut without it is not', async () => {
    const id = randomUUID();
    const old = new Date(Date.now() - 40 * 86_400_000);
    await orm().insert(payments).values({ id, payee: 'a', amount: '1', createdBy: admin.id, createdAt: old });
    expect((await runReconcile(bench)).output).toContain(`record-missing payments ${id}`);
    const since = await runReconcile(bench, '--since', new Date(Date.now() - 86_400_000).toISOString());
    expect(since.status).toBe(0);
    expect(since.output).toMatch(/payments: .*; rows from before \S+ without a record 1;/);
    expect((await runReconcile(bench, '--since', 'yesterday')).errors).toContain('--since must be a date');
    await orm().delete(payments).where(eq(payments.id, id));

    const kept = await orm().select().from(auditRecords);
    const cutAt = 3;
    await orm().delete(auditRecords).where(sql`${auditRecords.sequence} <= ${cutAt}`);
    expect((await runReconcile(bench)).output).toMatch(/record-missing administrators /);
    const setCut = (cut: { sequence: number; note: string } | null) => orm().update(auditChainHeads).set({ cut });
    await setCut({ sequence: cutAt, note: '' });
    const excused = await runReconcile(bench);
    expect(excused.status).toBe(0);
    expect(excused.output).toMatch(/administrators: .*; rows from before \S+ without a record [1-9]/);
    await setCut(null);
    await orm()
      .insert(auditRecords)
      .values(kept.filter(({ sequence }) => sequence <= cutAt));
    expect((await runReconcile(bench)).status).toBe(0);
  });

  it('AUD-16 nothing is written, and many rows are compared in pages', async () => {
    const ids = Array.from({ length: 1700 }, () => randomUUID()).sort();
    await orm()
      .insert(roles)
      .values(ids.map((id) => ({ id, name: id, permissions: [] })));
    // The app moves what waits into the chain meanwhile.
    const written = () =>
      rowsOf(
        orm(),
        sql`select (select count(*) from ${auditRecords}) + (select count(*) from ${auditPending}) as records`,
      );
    const before = await written();
    const { output } = await runReconcile(bench);
    const named = [...output.matchAll(/^record-missing roles (\S+):/gm)].map(([, id]) => id);
    expect(named).toEqual(ids);
    expect(await written()).toEqual(before);
    await orm().delete(roles).where(sql`${roles.name} = ${roles.id}::text`);
  });
});
