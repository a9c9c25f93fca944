import { randomBytes, randomUUID } from 'node:crypto';
import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import { createPostgresAuditSink, parseAuditKey } from '@sallyport/audit-log/postgres';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresProcess, startPostgresProcess } from '../../../../scripts/postgres-process.js';
import { reconcileDatabase } from '../../faults/reconciled-rows.js';
import type { Database } from '../../src/storage/database.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { payments } from '../../src/storage/schema.js';

describe('the fault harness, on PostgreSQL', () => {
  let server: PostgresProcess;
  let database: Database;
  beforeAll(async () => {
    server = await startPostgresProcess('-c', 'fsync=off');
    database = await openPostgres(server.url);
  }, 60_000);
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  const reconciled = () => reconcileDatabase({ scenario: 'PLANTED', store: 'postgres' }, server.url);

  it('AUD-16 finds by itself a payment that was acknowledged and lost, one without a record, and a changed one', async () => {
    const { orm } = database;
    const sink = createPostgresAuditSink({ database: orm, key: parseAuditKey(`a:${randomBytes(32).toString('hex')}`) });
    const nextId = createRecordIds(Date.now);
    const [lost, paid, planted, createdBy] = Array.from({ length: 4 }, () => randomUUID()) as [string, ...string[]];
    const recordOf = (target: string | undefined) =>
      createAuditRecord(
        {
          ...{ action: 'payment.create', actor: `admin:${createdBy}`, target: target!, outcome: 'success' },
          parameters: { body: { payee: 'a', amount: '12.50' } },
        },
        { id: nextId(), occurredAt: Date.now() },
      );
    await orm.insert(payments).values({ id: paid!, payee: 'a', amount: '12.5', createdBy: createdBy! });
    await sink.append([recordOf(paid)]);
    expect(await reconciled()).toMatchObject({ rows: 1, measured: '1 success records, 0 differences', violations: [] });

    await sink.append([recordOf(lost)]);
    await orm.insert(payments).values({ id: planted!, payee: 'b', amount: '1', createdBy: createdBy! });
    await orm.update(payments).set({ amount: '13' }).where(eq(payments.id, paid!));
    const finding = await reconciled();
    const kinds = finding!.violations.map(({ kind, key, detail }) => [kind, key, detail.split(' ')[0]]);
    expect(kinds.sort()).toEqual(
      [
        ['row-differs', lost, 'row-missing'],
        ['row-differs', planted, 'record-missing'],
        ['row-differs', paid, 'changed'],
      ].sort(),
    );
    await sink.close();
  });
});
