import { inspect } from 'node:util';
import { asc, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import { createAuditChain, readRows, type StoredRow } from '../../src/chain/index.js';
import { type AuditRecord, AuditRecordRefusedError, AuditSetupError } from '../../src/index.js';
import {
  auditChainHeads,
  auditPending,
  auditRecords,
  auditSignedHeads,
  type Checkpoint,
  createPostgresAuditSink,
  type PostgresSinkOptions,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';

const key = makeKey();

describe.each(auditDatabases)('an audit sink on %s', (_name, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await database.delete(auditRecords);
    await database.delete(auditChainHeads);
    await database.delete(auditPending);
    await database.delete(auditSignedHeads);
  });

  const node = (index = 0, options: Partial<PostgresSinkOptions> = {}) =>
    createPostgresAuditSink({
      database: opened.nodes[index] as DrizzleDatabase,
      key,
      timeoutMillis: 15_000,
      ...options,
    });

  const rows = () => database.select().from(auditRecords).orderBy(asc(auditRecords.sequence));

  /** Verifies every row and its link to the one before it. Returns the ids in sequence. */
  async function verifiedIds(): Promise<string[]> {
    const chain = createAuditChain(key);
    const stored: StoredRow[] = [];
    for await (const row of readRows(database, auditRecords, { after: null, upTo: null })) stored.push(row);
    let previous = Buffer.alloc(32).toString('base64url');
    for (const [index, row] of stored.entries()) {
      expect(row.sequence).toBe(index + 1);
      expect(row.previous).toBe(previous);
      expect(chain.proves(row), `row ${row.sequence}`).toBe(true);
      previous = row.mac;
    }
    const [head] = await database.select().from(auditChainHeads);
    if (stored.length > 0) expect(head).toMatchObject({ sequence: stored.length, mac: previous });
    return stored.map(({ id }) => id);
  }

  it('AUD-2 stores every column of a record unchanged', async () => {
    const record = makeRecord({
      reason: 'X',
      parameters: { z: 1e21, a: [1e-7, -1.5, 0.1], ключ: '☃', __proto__: 'x' },
    });
    await node().append([record]);
    const [row] = await rows();
    expect(row).toMatchObject({ ...record, occurredAt: new Date(record.occurredAt), sequence: 1, keyId: 'k1' });
    expect(await verifiedIds()).toEqual([record.id]);
  });

  it('AUD-7 stores NUL, surrogates, byte order marks, long texts, ports, zones, extreme numbers, depth', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const deep = JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`);
    const hostile = [
      makeRecord({ actor: 'a\0b', target: '\uD800', reason: '\uDC00x', action: '\uFEFFread' }),
      makeRecord({
        parameters: { 'k\0': '\uD800', '\uDFFF': ['\0', '\\u0000', '\\\0', '\uD83D\uDE00'], '\uFEFF': '\uFEFF' },
      }),
      makeRecord({ actor: '\u{1F600}'.repeat(5000), action: 'x'.repeat(1 << 20), target: '\uFFFF'.repeat(9000) }),
      makeRecord({ clientIp: '[fe80::1%eth0]:443' }),
      makeRecord({ clientIp: `${'1'.repeat(100_000)}` }),
      makeRecord({ extra: { ...makeRecord().extra, userAgent: 'é'.repeat(1 << 20), requestId: 'r'.repeat(1 << 20) } }),
      makeRecord({ parameters: { a: 5e-324, b: Number.MAX_VALUE, c: -0, d: 1e21, e: 123456789012345680000 } }),
      makeRecord({ parameters: deep }),
      makeRecord({ parameters: circle as never }),
      makeRecord({ parameters: undefined as never, extra: null as never }),
      makeRecord({ parameters: 'text', durationMillis: Number.NaN }),
      makeRecord({ durationMillis: 0.1, occurredAt: 0.5 }),
      makeRecord({ parameters: JSON.parse('{"__proto__":{"x":1},"a\\u0000":1,"a\\ufffd":2}') }),
    ];
    const sink = node();
    await Promise.all(hostile.map((record) => sink.append([record])));
    expect((await verifiedIds()).sort()).toEqual(hostile.map(({ id }) => id).sort());
    const [smiley] = (await rows()).filter(({ id }) => id === hostile[1]?.id);
    expect(JSON.stringify(smiley?.parameters)).toContain('\u{1F600}');
    expect(smiley?.parameters).toMatchObject({ '\uFFFD': ['\uFFFD', '\\u0000', '\\\uFFFD', '\u{1F600}'] });
  });

  it('AUD-4 concurrent records share commits, and each row is stored when its append resolves', async () => {
    const sink = node();
    const records = makeRecords(300);
    await Promise.all(
      records.map(async (record, index) => {
        await sink.append([record]);
        if (index % 50 !== 0) return;
        expect(await database.select().from(auditRecords).where(eq(auditRecords.id, record.id))).toHaveLength(1);
      }),
    );
    expect((await verifiedIds()).sort()).toEqual(records.map(({ id }) => id).sort());
  });

  it('AUD-6 two nodes write one chain without a gap, including records of application transactions', async () => {
    const sinks = [node(0, { maxBatch: 7 }), node(1, { maxBatch: 3 })] as const;
    const records: AuditRecord[] = [];
    const appendSome = async (index: number) => {
      for (let turn = 0; turn < 15; turn += 1) {
        const some = makeRecords(1 + (turn % 3));
        records.push(...some);
        const sink = sinks[index % 2] as (typeof sinks)[0];
        if ((turn + index) % 5 === 0) {
          await (opened.nodes[index % 2] as DrizzleDatabase).transaction((tx) => sink.appendWithin(tx, some));
        }
        await sink.append(some);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => appendSome(index)));
    expect((await verifiedIds()).sort()).toEqual(records.map(({ id }) => id).sort());
    expect(await database.select().from(auditPending)).toEqual([]);
  });

  it('AUD-4 stores a record once that is appended again, alone or with others', async () => {
    const [first, second, third] = makeRecords(3) as [AuditRecord, AuditRecord, AuditRecord];
    const sink = node();
    await sink.append([first, first]);
    await Promise.all([sink.append([first, second]), sink.append([second, third]), node(1).append([third, first])]);
    expect((await verifiedIds()).sort()).toEqual([first.id, second.id, third.id].sort());
  });

  it('AUD-4 a record that the database refuses is refused alone', async () => {
    await database.execute(sql`alter table ${auditRecords} add constraint no_poison check (action <> 'poison')`);
    try {
      const sink = node();
      await sink.append([makeRecord()]);
      const records = makeRecords(40, (index) => (index === 13 || index === 30 ? { action: 'poison' } : {}));
      const outcomes = await Promise.allSettled(records.map((record) => sink.append([record])));
      expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([13, 30]);
      for (const outcome of outcomes) {
        if (outcome.status !== 'rejected') continue;
        expect(outcome.reason).toBeInstanceOf(AuditRecordRefusedError);
        expect(inspect(outcome.reason)).not.toContain('Ada');
      }
      expect(await verifiedIds()).toHaveLength(39);
      await expect(sink.append([makeRecord(), makeRecord({ action: 'poison' })])).rejects.toThrow();
      expect(await verifiedIds()).toHaveLength(39);
    } finally {
      await database.execute(sql`alter table ${auditRecords} drop constraint no_poison`);
    }
  });

  it('AUD-4 refuses a record without a time or an id, and stores the next one', async () => {
    const sink = node();
    for (const bad of [{ id: 'nobody' }, { occurredAt: Number.NaN }, { occurredAt: 1e18 }])
      await expect(sink.append([makeRecord(bad)])).rejects.toThrow(AuditRecordRefusedError);
    await sink.append([makeRecord()]);
    expect(await verifiedIds()).toHaveLength(1);
  });

  it('AUD-4 a full queue refuses at once, and loses nothing that it accepted', async () => {
    const sink = node(0, { maxQueued: 10 });
    const outcomes = await Promise.allSettled(makeRecords(25).map((record) => sink.append([record])));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(await verifiedIds()).toHaveLength(10);
    expect(sink.queued).toBe(0);
    await sink.append([makeRecord()]);
  });

  it('AUD-6 continues after the last row if the head was set back, and leaves a gap for deleted rows', async () => {
    const warnings: string[] = [];
    const log = { warn: (_details: object, message: string) => void warnings.push(message) };
    const sink = node(0, { log });
    await sink.append(makeRecords(5));
    await database.update(auditChainHeads).set({ sequence: 2, mac: 'x' });
    await sink.append(makeRecords(1));
    expect(await verifiedIds()).toHaveLength(6);
    await database.update(auditChainHeads).set({ sequence: 2, mac: 'x' });
    await node(1, { log }).append(makeRecords(1));
    expect(await verifiedIds()).toHaveLength(7);
    await sink.append(makeRecords(1));
    expect(warnings).toHaveLength(2);

    await database.delete(auditRecords).where(sql`sequence > 5`);
    const [fifth] = await database.select().from(auditRecords).where(eq(auditRecords.sequence, 5));
    await database.update(auditChainHeads).set({ sequence: 5, mac: fifth?.mac ?? '' });
    await sink.append(makeRecords(1));
    expect((await rows()).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 9]);
    expect(warnings).toHaveLength(3);
  });

  it('AUD-12 makes a checkpoint after checkpointEveryRecords records, and the last one at close', async () => {
    const made: Checkpoint[] = [];
    const checkpointKey = makeCheckpointKey();
    const sink = node(0, {
      checkpoint: (checkpoint) => void made.push(checkpoint),
      checkpointKey,
      checkpointEveryRecords: 3,
      now: () => 0,
    });
    for (const record of makeRecords(3)) await sink.append([record]);
    await vi.waitFor(() => expect(made).toHaveLength(1));
    await sink.append(makeRecords(1));
    await sink.close();
    await expect(sink.append([makeRecord()])).rejects.toThrow('closed');
    const stored = await rows();
    expect(made.at(-1)).toMatchObject({
      kind: 'progress',
      origin: checkpointKey.name,
      sequence: 4,
      mac: stored[3]?.mac,
      at: '1970-01-01T00:00:00.000Z',
    });
    expect(made.length).toBe(2);
  });

  it('AUD-12 delivers to every place, also while another one fails, and says which one', async () => {
    const [file, warnings]: [Checkpoint[], string[]] = [[], []];
    const failing = Object.assign(() => Promise.reject(new Error('503')), { destination: 'witness w.example' });
    const sink = node(0, {
      checkpoint: [failing, (checkpoint) => void file.push(checkpoint)],
      checkpointKey: makeCheckpointKey(),
      log: { warn: (_details, message) => void warnings.push(message) },
    });
    await sink.append(makeRecords(2));
    await sink.close();
    expect(file).toMatchObject([{ sequence: 2 }]);
    expect(warnings).toContain('An audit checkpoint could not be delivered (witness w.example)');
  });

  it('AUD-12 a checkpoint needs a key', () => {
    expect(() => node(0, { checkpoint: () => {} })).toThrow('checkpoint needs checkpointKey');
  });

  it('names every bad option at once, and no secret', () => {
    const secret = Buffer.from('0123456789'.repeat(5));
    const bad = {
      database: {},
      key: { id: '', secret },
      previousKeys: [{ id: 'x' }],
      timeoutMillis: 0,
      maxQueued: 0.5,
      maxbatch: 1,
    };
    expect(() => createPostgresAuditSink(bad as never)).toThrow(
      new AuditSetupError('createPostgresAuditSink', [
        'maxbatch is not an option; did you mean maxBatch?',
        'database must be a drizzle database: drizzle(…) of drizzle-orm/node-postgres, /postgres-js or /pglite',
        'key.id must be 1 to 64 letters, digits and ._-',
        'key.secret must be at least 32 random bytes',
        'previousKeys[0].secret is required: at least 32 random bytes',
        'timeoutMillis must be a whole number of milliseconds from 1 to 60000',
        'maxQueued must be a whole number of records from 1 to 1000000',
      ]),
    );
    expect(() => createPostgresAuditSink(bad as never)).not.toThrow(/0123456789/);
  });
});
