import { asc, eq, type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import type { AuditRecord } from '../../src/index.js';
import {
  auditChainHeads,
  auditPending,
  auditRecords,
  createAuditReader,
  createPostgresAuditSink,
  type PostgresAuditSink,
  type PostgresSinkOptions,
  retainAuditRecords,
  verifyAuditLog,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';

const key = makeKey();

describe.each(auditDatabases)('audit records that are committed with a change on %s', (_name, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;
  let sinks: PostgresAuditSink[] = [];

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
    await database.execute(sql`create table changes (id uuid primary key)`);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await Promise.all(sinks.map((sink) => sink.close()));
    sinks = [];
    for (const table of [auditRecords, auditChainHeads, auditPending]) await database.delete(table);
    await database.execute(sql`delete from changes`);
  });

  /** Sweeps by timer only once an hour: the tests call them. */
  function node(index = 0, options: Partial<PostgresSinkOptions> = {}): PostgresAuditSink {
    const own = opened.nodes[index] as DrizzleDatabase;
    const sink = createPostgresAuditSink({ database: own, key, timeoutMillis: 15_000, sweepSeconds: 3600, ...options });
    sinks.push(sink);
    return sink;
  }

  const change = (sink: PostgresAuditSink, record: AuditRecord) =>
    database.transaction(async (tx) => {
      await tx.execute(sql`insert into changes values (${record.id})`);
      await sink.appendWithin(tx, [record]);
    });
  const age = () => database.update(auditPending).set({ writtenAt: new Date(0) });
  const stored = () => database.select().from(auditRecords).orderBy(asc(auditRecords.sequence));
  const storedIds = async () => (await stored()).map(({ id }) => id);
  const waitingIds = async () => (await database.select().from(auditPending)).map(({ id }) => id);
  const verify = (options: Partial<PostgresSinkOptions> = {}) => verifyAuditLog({ database, key, ...options });

  it('IDM-7 AUD-4 commits a record with its change, or neither, and stores it once', async () => {
    const sink = node();
    const kept = makeRecord();
    await change(sink, kept);
    expect(await waitingIds()).toEqual([kept.id]);
    await expect(
      database.transaction(async (tx) => {
        await sink.appendWithin(tx, [makeRecord()]);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await sink.append([{ ...kept, durationMillis: 99 }]);
    expect(await waitingIds()).toEqual([]);
    expect(await stored()).toMatchObject([{ id: kept.id, durationMillis: 99 }]);
    expect(await verify()).toMatchObject({ intact: true, rows: 1, pending: 0 });
  });

  it('IDM-7 accepts a transaction without writes, and two calls in one transaction', async () => {
    const sink = node();
    const [first, second] = makeRecords(2) as [AuditRecord, AuditRecord];
    await database.transaction(async (tx) => {
      await sink.appendWithin(tx, [first]);
      await sink.appendWithin(tx, [first, second]);
    });
    expect((await waitingIds()).sort()).toEqual([first.id, second.id].sort());
  });

  it('IDM-7 REL-3 writes nothing outside a transaction, where a driver may send it after a reconnect', async () => {
    await expect(node().appendWithin(database, [makeRecord()])).rejects.toThrow(TypeError);
    expect(await waitingIds()).toEqual([]);
  });

  it('PRF-5 AUD-4 writes records in a statement of the caller, under its condition', async () => {
    const sink = node();
    const [first, second, dropped] = makeRecords(3) as [AuditRecord, AuditRecord, AuditRecord];
    const changeAlso = (id: string, also: SQL) =>
      database.transaction((tx) =>
        tx.execute(sql`
          with changed as (insert into changes values (${id}) on conflict do nothing returning 1), also as (${also})
          select 1
        `),
      );
    const isChanged = sql`exists (select from changed)`;
    await changeAlso(first.id, sink.appendIf(isChanged, [first, second]));
    await changeAlso(first.id, sink.appendIf(isChanged, [dropped]));
    await changeAlso(second.id, sink.appendIf(isChanged, []));
    expect((await waitingIds()).sort()).toEqual([first.id, second.id].sort());
    await sink.append([first]);
    await age();
    expect(await node(1).sweep()).toBe(1);
    expect(await storedIds()).toEqual([first.id, second.id]);
    expect(await verify()).toMatchObject({ intact: true, rows: 2, pending: 0 });
  });

  it('REL-1 AUD-4 any node chains the records of a crashed process unchanged, after sweepSeconds', async () => {
    const records = makeRecords(450, () => ({ reason: 'WHY', target: 'é\u{1F600}' }));
    await database.transaction((tx) => node().appendWithin(tx, records));
    const other = node(1);
    expect(await other.sweep()).toBe(0);
    expect(await storedIds()).toEqual([]);
    await age();
    expect(await other.sweep()).toBe(records.length);
    expect((await storedIds()).sort()).toEqual(records.map(({ id }) => id).sort());
    const [record] = records as [AuditRecord];
    const [row] = await database.select().from(auditRecords).where(eq(auditRecords.id, record.id));
    expect(row).toMatchObject({ ...record, occurredAt: new Date(record.occurredAt) });
    expect(await waitingIds()).toEqual([]);
    expect(await verify()).toMatchObject({ intact: true, rows: records.length });
  });

  it('REL-1 sweeps without being called', async () => {
    const record = makeRecord();
    await change(node(), record);
    await age();
    node(1, { sweepSeconds: 1 });
    await vi.waitFor(async () => expect(await storedIds()).toEqual([record.id]), { timeout: 15_000 });
  });

  it('REL-1 chains every record once when slow processes and the sweeps of two nodes overlap', async () => {
    const [one, other] = [node(0, { maxBatch: 7 }), node(1, { maxBatch: 3 })];
    const records = makeRecords(60);
    for (const record of records) await change(one, record);
    await age();
    await Promise.all([
      ...records.map(async (record, index) => {
        if (index % 3 === 0) await one.append([record]);
        if (index % 4 === 0) await other.append([record]);
      }),
      one.sweep(),
      other.sweep(),
    ]);
    await age();
    await Promise.all([one.sweep(), other.sweep()]);
    expect((await storedIds()).sort()).toEqual(records.map(({ id }) => id).sort());
    expect(await waitingIds()).toEqual([]);
    expect((await verify()).findings).toEqual([]);
  });

  it('REL-1 deletes a pending record that is in the chain already', async () => {
    const sink = node();
    const record = makeRecord();
    await node(1).append([record]);
    await change(sink, record);
    await age();
    await sink.sweep();
    expect(await storedIds()).toEqual([record.id]);
    expect(await waitingIds()).toEqual([]);
  });

  it('AUD-6 does not chain a forged or changed pending record, finds it, and chains the others', async () => {
    const warnings: object[] = [];
    const sink = node(0, { log: { warn: (details) => void warnings.push(details) } });
    const [changed, moved, genuine] = makeRecords(3) as [AuditRecord, AuditRecord, AuditRecord];
    for (const record of [changed, moved, genuine]) await change(sink, record);
    const strange = '00000000-0000-7000-8000-000000000000';
    await database.execute(
      sql`update audit_pending set record = replace(record, 'Ada', 'Eve') where id = ${changed.id}`,
    );
    await database.execute(sql`update audit_pending set id = ${strange} where id = ${moved.id}`);
    await database.execute(sql`
      insert into audit_pending
        select gen_random_uuid(), record, '', 'k1', now() from audit_pending, generate_series(1, 100)`);
    await age();
    expect(await sink.sweep()).toBe(1);
    expect(await sink.sweep()).toBe(0);
    expect(await storedIds()).toEqual([genuine.id]);
    expect(warnings).toHaveLength(302);
    const { intact, findings, pending } = await verify();
    expect(intact).toBe(false);
    expect(findings).toHaveLength(302);
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'pending', id: changed.id, sequence: 0 }));
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'pending', id: strange }));
    expect(pending).toBe(302);
  });

  it('AUD-6 does not chain a record that was put back after retention deleted it, and keeps chaining others', async () => {
    const checkpointKey = makeCheckpointKey();
    const [day, before] = [86_400_000, Date.UTC(2026, 6, 1)];
    const old = makeRecord({ occurredAt: before - day });
    const sink = node();
    await change(sink, old);
    await database.execute(sql`create table stolen as table audit_pending`);
    await sink.append([old]);
    await sink.append([makeRecord({ occurredAt: before + day })]);
    const retain = () => retainAuditRecords({ database, key, checkpoint: () => {}, checkpointKey, before });
    expect(await retain()).toMatchObject({ deleted: 1 });

    await database.execute(sql`insert into audit_pending table stolen`);
    await database.execute(sql`drop table stolen`);
    const young = makeRecord({ occurredAt: before });
    await change(sink, young);
    await age();
    const warnings: unknown[] = [];
    const log = { warn: (details: object, message: string) => void warnings.push([details, message]) };
    const other = node(1, { checkpointKey, log });
    expect(await other.sweep()).toBe(1);
    expect(await other.sweep()).toBe(0);
    expect((await storedIds()).includes(old.id)).toBe(false);
    expect((await storedIds()).includes(young.id)).toBe(true);
    expect(await waitingIds()).toEqual([old.id]);
    expect(warnings).toEqual([[{ id: old.id, keyId: key.id }, expect.stringContaining('retention has deleted')]]);

    // A time that nobody signed holds no record back.
    const [head] = await database.select().from(auditChainHeads);
    const cut = head?.cut as { readonly sequence: number; readonly note: string };
    const note = cut.note.replace('before 2026', 'before 2036');
    expect(note).not.toBe(cut.note);
    await database.update(auditChainHeads).set({ cut: { ...cut, note } });
    expect(await node(1, { checkpointKey }).sweep()).toBe(1);
  });

  it('AUD-6 chains and verifies records that were sealed with an earlier key', async () => {
    const record = makeRecord();
    await change(node(), record);
    expect(await verify()).toMatchObject({ intact: true, pending: 1 });
    await age();
    const next = makeKey('k2');
    expect(await node(1, { key: next }).sweep()).toBe(0);
    expect(await node(1, { key: next, previousKeys: [key] }).sweep()).toBe(1);
    expect(await verify({ key: next })).toMatchObject({ intact: true, rows: 1, pending: 0 });
  });

  it('AUD-4 a pending record that the database refuses does not block others', async () => {
    const records = makeRecords(20, (index) => (index === 7 ? { action: 'poison' } : {}));
    await database.transaction((tx) => node().appendWithin(tx, records));
    await age();
    await database.execute(sql`alter table ${auditRecords} add constraint no_poison check (action <> 'poison')`);
    const warnings: string[] = [];
    const other = node(1, { log: { warn: (_details, message) => void warnings.push(message) } });
    try {
      expect(await other.sweep()).toBe(19);
      expect(await waitingIds()).toEqual([records[7]?.id]);
      expect(warnings).toHaveLength(1);
    } finally {
      await database.execute(sql`alter table ${auditRecords} drop constraint no_poison`);
    }
    expect(await other.sweep()).toBe(1);
  });

  it('AUD-5 a search finds a pending record once it is chained', async () => {
    const record = makeRecord({ actor: 'admin:search' });
    const reader = createAuditReader({ database });
    await change(node(), record);
    expect((await reader.search({ actor: 'admin:search' })).records).toEqual([]);
    await age();
    await node(1).sweep();
    expect((await reader.search({ actor: 'admin:search' })).records).toMatchObject([{ id: record.id }]);
  });
});
