import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { type AuditRecord, createAuditRecord, createRecordIds } from '../src/index.js';
import {
  type AuditSettlementOptions,
  createAuditReader,
  createAuditSettlement,
  createAuditTables,
  createPostgresAuditSink,
  verifyAuditLog,
} from '../src/postgres.js';
import { completionId } from '../src/records/index.js';
import { makeKey, makeRecord } from './records.js';

it('AUD-8 settles begun records whose outcome is found later, once for any number of nodes, and deletes none', async () => {
  const client = await openTestEmbedded();
  const orm = drizzle(client);
  await createAuditTables(orm);
  const key = { id: 'k', secret: randomBytes(32) };
  const sink = createPostgresAuditSink({ database: orm, key, sweepSeconds: 3600 });
  let time = 1_795_000_000_000;
  const nextId = createRecordIds(() => time);
  const record = (target: string, outcome: 'unknown' | 'success' = 'unknown') =>
    createAuditRecord({ action: 'session.revoke', target, outcome }, { id: nextId(), occurredAt: time });
  await sink.begin(['ended', 'live', 'lost'].map((target) => record(target)));
  await sink.append([record('other', 'success')]);
  await orm.execute(sql`update audit_pending set written_at = now() - interval '2 hours'`);
  await sink.sweep();

  const truths = new Map([
    ['ended', { outcome: 'success' as const }],
    ['live', { outcome: 'failure' as const, reason: 'NOT_DONE' }],
  ]);
  const asked: unknown[] = [];
  const nodes = [1, 2].map(() =>
    createAuditSettlement({
      database: orm,
      sink,
      now: () => time,
      findOutcome: async ({ target }) => {
        asked.push(target);
        return truths.get(target ?? '') ?? null;
      },
    }),
  );
  // A process may still be at work on them.
  expect(await nodes[0]!.settle()).toBe(0);
  expect(asked).toEqual([]);

  time += 121_000;
  await Promise.all(nodes.map((node) => node.settle()));
  const listed = async () => {
    const { records } = await createAuditReader({ database: orm }).search();
    return new Map(records.map(({ target, outcome, reason }) => [target, [outcome, reason]]));
  };
  const settled = new Map([
    ['ended', ['success', null]],
    ['live', ['failure', 'NOT_DONE']],
    ['lost', ['unknown', null]],
    ['other', ['success', null]],
  ]);
  expect(await listed()).toEqual(settled);
  const { rows } = await orm.execute<{ count: number }>(sql`select count(*)::int as count from audit_records`);
  expect(rows).toEqual([{ count: 6 }]);
  expect((await verifyAuditLog({ database: orm, key })).intact).toBe(true);

  // What can't be found is asked for a day, and stays.
  asked.length = 0;
  await nodes[0]!.settle();
  expect(asked).toEqual(['lost']);
  time += 86_400_000;
  asked.length = 0;
  await nodes[0]!.settle();
  expect(asked).toEqual([]);
  expect(await listed()).toEqual(settled);
  await Promise.all(nodes.map((node) => node.close()));
  await sink.close();
  await client.close();
});

const HOUR = 3_600_000;

/** A log with begun records of an hour ago, whose completions never came. */
async function openLog(targets: readonly string[]) {
  const client = await openTestEmbedded();
  const database = drizzle(client);
  await createAuditTables(database);
  const sink = createPostgresAuditSink({ database, key: makeKey(), sweepSeconds: 3600, timeoutMillis: 15_000 });
  const begun = targets.map((target) => makeRecord({ target, outcome: 'unknown', occurredAt: Date.now() - HOUR }));
  await sink.append(begun);
  const warnings: string[] = [];
  const settlementOf = (findOutcome: AuditSettlementOptions['findOutcome']) => {
    const log = { warn: (details: object) => void warnings.push(String((details as { err: Error }).err)) };
    const settlement = createAuditSettlement({ database, sink, findOutcome, log });
    onTestFinished(() => settlement.close());
    return settlement;
  };
  onTestFinished(async () => {
    await sink.close();
    await client.close();
  });
  const listed = async () => {
    const { records } = await createAuditReader({ database }).search();
    return new Map(records.map(({ target, outcome }) => [target, outcome]));
  };
  return { database, sink, begun, warnings, settlementOf, listed };
}

it('AUD-8 a settlement replaces no success that was committed with its change and waits for the chain', async () => {
  const { database, sink, begun, settlementOf, listed } = await openLog(['paid']);
  const [record] = begun as [AuditRecord];
  const success = { ...record, id: completionId(record.id), outcome: 'success' } as const;
  await database.transaction((transaction) => sink.appendWithin(transaction, [success]));
  const settlement = settlementOf(async () => ({ outcome: 'failure' }));
  expect(await settlement.settle()).toBe(0);
  await database.execute(sql`update audit_pending set written_at = now() - interval '2 hours'`);
  expect(await sink.sweep()).toBe(1);
  expect(await settlement.settle()).toBe(0);
  expect(await listed()).toEqual(new Map([['paid', 'success']]));
});

it('AUD-8 records whose outcome is never found do not keep the following ones from theirs', async () => {
  const { warnings, settlementOf, listed } = await openLog(['broken', 'silent', 'refused', 'done']);
  onTestFinished(() => void vi.useRealTimers());
  let ask = () => {};
  const isAsked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const settlement = settlementOf(async ({ target }) => {
    if (target === 'broken') throw new Error('mail server away');
    if (target === 'refused') return { outcome: 'success', reason: 7 as never };
    if (target === 'done') return { outcome: 'success' };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    ask();
    return new Promise(() => {});
  });
  const settled = settlement.settle();
  await isAsked;
  await vi.advanceTimersByTimeAsync(15_000);
  vi.useRealTimers();
  expect(await settled).toBe(1);
  expect(warnings).toHaveLength(1);
  expect([...(await listed())].filter(([, outcome]) => outcome !== 'unknown')).toEqual([['done', 'success']]);
});
