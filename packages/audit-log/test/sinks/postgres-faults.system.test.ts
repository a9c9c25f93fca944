import { asc, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import type { AuditRecord } from '../../src/index.js';
import {
  auditChainHeads,
  auditPending,
  auditRecords,
  type Checkpoint,
  createAuditTables,
  createPostgresAuditSink,
} from '../../src/postgres.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';

const key = makeKey();

describe('an audit sink while PostgreSQL fails', () => {
  let own: TestDatabase;
  let watcher: ReturnType<TestDatabase['connect']>;

  beforeEach(async () => {
    own = await createTestDatabase();
    watcher = own.connect({ max: 1 });
    await createAuditTables(watcher);
  });
  afterEach(() => own.drop());

  const cutConnections = () =>
    watcher.execute(
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${own.name} and pid <> pg_backend_pid()`,
    );

  /** Simulates a start or a failover of PostgreSQL. */
  async function allowConnections(allow: boolean): Promise<void> {
    const server = postgres(inject('databaseUrl'), { max: 1 });
    await server.unsafe(`alter database ${own.name} allow_connections ${allow}`);
    await server.end();
  }

  async function storedIds(): Promise<string[]> {
    const rows = await watcher
      .select({ id: auditRecords.id, sequence: auditRecords.sequence })
      .from(auditRecords)
      .orderBy(asc(auditRecords.sequence));
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
    return rows.map(({ id }) => id);
  }

  it('REL-3 AUD-4 two nodes store every acknowledged record once while their connections are cut', async () => {
    const sinks = [own.connect(), own.connect()].map((database) =>
      createPostgresAuditSink({ database, key, timeoutMillis: 15_000, maxBatch: 20 }),
    );
    const acknowledged: string[] = [];
    const refused: string[] = [];
    let cutting = true;
    const work = Array.from({ length: 20 }, async (_, index) => {
      while (cutting) {
        const record = makeRecord();
        await sinks[index % 2]?.append([record]).then(
          () => acknowledged.push(record.id),
          () => refused.push(record.id),
        );
      }
    });
    for (let cut = 0; cut < 40; cut += 1) {
      const before = acknowledged.length;
      await cutConnections();
      if (cut % 4 === 0)
        await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before), { timeout: 15_000 });
    }
    cutting = false;
    await Promise.all(work);

    const ids = await storedIds();
    expect(new Set(ids).size).toBe(ids.length);
    expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id) => !acknowledged.includes(id) && !refused.includes(id))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(40);
  });

  it('AU-09 refuses within its timeout while PostgreSQL is away, and continues when it is back', async () => {
    const sink = createPostgresAuditSink({ database: own.connect({ connect_timeout: 1 }), key, timeoutMillis: 500 });
    await sink.append([makeRecord()]);
    await allowConnections(false);
    await cutConnections();
    const refused = makeRecords(20);
    const outcomes = await Promise.allSettled(refused.map((record) => sink.append([record])));
    expect(outcomes.map(({ status }) => status)).toEqual(refused.map(() => 'rejected'));
    expect(
      JSON.stringify(outcomes.map((outcome) => ('reason' in outcome ? String(outcome.reason) : ''))),
    ).not.toContain('Ada');
    await allowConnections(true);

    const records: AuditRecord[] = [];
    await vi.waitFor(
      async () => {
        records[0] = makeRecord();
        await sink.append(records);
      },
      { timeout: 15_000 },
    );
    expect(sink.queued).toBe(0);
    expect(await storedIds()).toContain(records[0]?.id);
  });

  it('AUD-4 refuses within its timeout while another transaction locks the head, and continues after it', async () => {
    const sink = createPostgresAuditSink({ database: own.connect(), key, timeoutMillis: 300 });
    await sink.append([makeRecord()]);
    await watcher.transaction(async (transaction) => {
      await transaction.select().from(auditChainHeads).for('update');
      // Longer than any attempt: the number of statements sent to a hanging database stays bounded.
      for (let turn = 0; turn < 6; turn += 1) {
        const outcomes = await Promise.allSettled(makeRecords(30).map((record) => sink.append([record])));
        expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
        expect(sink.queued).toBe(0);
      }
      const [waiting] = await transaction.execute<{ count: string }>(
        sql`select count(*) from pg_stat_activity where datname = ${own.name} and wait_event_type = 'Lock'`,
      );
      expect(Number(waiting?.count)).toBeGreaterThan(0);
      expect(Number(waiting?.count)).toBeLessThanOrEqual(3);
    });
    const late = makeRecord();
    await vi.waitFor(() => sink.append([late]), { timeout: 15_000 });
    const ids = await storedIds();
    expect(ids.filter((id) => id === late.id)).toHaveLength(1);
  });

  it('AUD-4 a node that stops in a transaction blocks nobody, and its record is chained after the commit', async () => {
    const sink = createPostgresAuditSink({ database: own.connect(), key, timeoutMillis: 15_000 });
    const stopped = own.connect({ max: 1 });
    const late = makeRecord();
    let goOn: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let outcome: Promise<unknown> = Promise.resolve();
    await new Promise<void>((held) => {
      outcome = stopped.transaction(async (tx) => {
        await createPostgresAuditSink({ database: stopped, key }).appendWithin(tx, [late]);
        held();
        await ended;
      });
    });
    const others = makeRecords(3);
    await sink.append(others);
    goOn();
    await outcome;
    await watcher.update(auditPending).set({ writtenAt: new Date(0) });
    expect(await sink.sweep()).toBe(1);
    expect(await storedIds()).toEqual([...others.map(({ id }) => id), late.id]);
  });

  it('AUD-12 signs no rows that it cannot read, says so, and the next process signs them without a new record', async () => {
    const [made, warnings]: [Checkpoint[], string[]] = [[], []];
    const options = {
      key,
      timeoutMillis: 500,
      checkpoint: (one: Checkpoint) => void made.push(one),
      checkpointKey: makeCheckpointKey(),
      checkpointEverySeconds: 1,
      log: { warn: (_details: object, message: string) => void warnings.push(message) },
    };
    const sink = createPostgresAuditSink({ ...options, database: own.connect({ connect_timeout: 1 }) });
    await sink.append(makeRecords(3));
    await allowConnections(false);
    await cutConnections();
    await sink.close();
    expect([made, warnings.at(-1)]).toEqual([[], 'An audit checkpoint could not be made']);
    await allowConnections(true);
    const next = createPostgresAuditSink({ ...options, database: own.connect() });
    await vi.waitFor(() => expect(made).toMatchObject([{ kind: 'progress', sequence: 3 }]), { timeout: 10_000 });
    await next.close();
  });

  it('AUD-4 refuses every record while the table is missing, and says why without quoting one', async () => {
    const sink = createPostgresAuditSink({ database: own.connect(), key });
    await watcher.execute(sql`drop table ${auditRecords}`);
    await expect(sink.append([makeRecord()])).rejects.toMatchObject({
      code: '42P01',
      message: expect.not.stringContaining('Ada'),
    });
    await createAuditTables(watcher);
    await sink.append([makeRecord()]);
    expect(await storedIds()).toHaveLength(1);
  });
});
