import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { expect, it } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { createAuditRecord, createRecordIds } from '../src/index.js';
import {
  createAuditReader,
  createAuditSettlement,
  createAuditTables,
  createPostgresAuditSink,
  verifyAuditLog,
} from '../src/postgres.js';

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
