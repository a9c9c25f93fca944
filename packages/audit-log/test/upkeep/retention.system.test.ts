import { asc, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import {
  AuditLogBrokenError,
  type AuditVerification,
  auditChainHeads,
  auditDeliveries,
  auditRecords,
  auditSignedHeads,
  type Checkpoint,
  createPostgresAuditSink,
  type RetentionOptions,
  retainAuditRecords,
  verifyAuditLog,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';

const key = makeKey();
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];
const DAY = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 0, 1);

describe.each(auditDatabases)('retention of an audit log on %s', (_name, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;
  let checkpoints: Checkpoint[];
  const checkpoint = (made: Checkpoint) => void checkpoints.push(made);

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await database.delete(auditRecords);
    await database.delete(auditChainHeads);
    await database.delete(auditSignedHeads);
    checkpoints = [];
    const sink = createPostgresAuditSink({ database, key, checkpoint, checkpointKey });
    for (let day = 0; day < 10; day += 1) await sink.append([makeRecord({ occurredAt: FIRST_DAY + day * DAY })]);
    await sink.close();
  });

  const retain = (day: number, options: Partial<RetentionOptions> = {}) =>
    retainAuditRecords({ database, key, checkpoint, checkpointKey, before: FIRST_DAY + day * DAY, ...options });
  const verify = (given: Iterable<Checkpoint> = checkpoints) =>
    verifyAuditLog({ database, key, publicKeys, checkpoints: given });
  const sequences = async () =>
    (
      await database.select({ sequence: auditRecords.sequence }).from(auditRecords).orderBy(asc(auditRecords.sequence))
    ).map(({ sequence }) => sequence);

  it('AUD-6 deletes old records, leaves a checkpoint of the cut, and the rest of the log passes', async () => {
    const result = await retain(4, { now: () => 0 });
    expect(result).toMatchObject({
      deleted: 4,
      cut: {
        kind: 'cut',
        sequence: 4,
        at: '1970-01-01T00:00:00.000Z',
        before: '2026-01-05T00:00:00.000Z',
      },
    });
    expect(checkpoints.at(-1)).toEqual(result.cut);
    expect(await sequences()).toEqual([5, 6, 7, 8, 9, 10]);
    expect((await verify()).findings).toEqual([]);
    expect((await verify([])).findings).toEqual([]);

    await createPostgresAuditSink({ database: opened.nodes[1], key }).append([makeRecord()]);
    expect(await retain(7)).toMatchObject({ deleted: 3, cut: { sequence: 7 } });
    expect(await retain(7)).toEqual({ deleted: 0, cut: null, heldBackBy: null });
    expect((await verify()).findings).toEqual([]);
    expect((await verify()).lastSequence).toBe(11);
  });

  it('AUD-6 finds changes to the rows after the cut', async () => {
    await retain(4);
    await database.delete(auditRecords).where(eq(auditRecords.sequence, 5));
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 5, lastSequence: 5 }]);
    await database.update(auditRecords).set({ actor: 'nobody' }).where(eq(auditRecords.sequence, 6));
    await database.execute(sql`
      insert into ${auditRecords} select 2, gen_random_uuid(), occurred_at, actor, action, target, outcome, reason,
        duration_millis, parameters, client_ip, extra, previous, mac, key_id from ${auditRecords} where sequence = 8
    `);
    expect((await verify()).findings).toMatchObject([
      { kind: 'inserted', sequence: 2 },
      { kind: 'deleted', sequence: 5 },
      { kind: 'changed', sequence: 6 },
    ]);
  });

  it('AUD-6 a log continues and passes after every record was deleted', async () => {
    expect(await retain(50)).toMatchObject({ deleted: 10, cut: { sequence: 10 } });
    expect((await verify()).findings).toEqual([]);
    const warnings: string[] = [];
    const log = { warn: (_details: object, message: string) => void warnings.push(message) };
    await createPostgresAuditSink({ database: opened.nodes[1], key, log }).append(makeRecords(2));
    expect(await sequences()).toEqual([11, 12]);
    expect((await verify()).findings).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('AUD-6 deletes no part with findings, unless evenIfBroken is set', async () => {
    await database.update(auditRecords).set({ actor: 'nobody' }).where(eq(auditRecords.sequence, 3));
    const refused = await retain(6).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AuditLogBrokenError);
    expect((refused as AuditLogBrokenError).findings).toMatchObject([{ kind: 'changed', sequence: 3 }]);
    expect(await sequences()).toHaveLength(10);
    expect(await retain(6, { evenIfBroken: true })).toMatchObject({ deleted: 6 });
    expect((await verify()).findings).toEqual([]);
  });

  it('AUD-6 a forged cut deletes nothing, and does not prevent a genuine one', async () => {
    await retain(2);
    const [genuine] = await database.select({ cut: auditChainHeads.cut }).from(auditChainHeads);
    for (const forged of [{ ...genuine?.cut, sequence: 9 }, { sequence: 'x' }, 'nonsense']) {
      await database.update(auditChainHeads).set({ cut: forged as never });
      const refused = await retain(6).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(AuditLogBrokenError);
      expect((refused as AuditLogBrokenError).findings).toContainEqual(expect.objectContaining({ kind: 'head' }));
      expect(await sequences()).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    }
    expect(await retain(6, { evenIfBroken: true, checkpoints })).toMatchObject({ deleted: 4, cut: { sequence: 6 } });
    expect((await verify()).findings).toEqual([]);
  });

  it('AUD-6 deletes nothing if the checkpoint of the cut cannot be written', async () => {
    const checkpoint = async () => {
      throw new Error('disk full');
    };
    await expect(retain(6, { checkpoint })).rejects.toThrow('disk full');
    expect(await sequences()).toHaveLength(10);
    expect((await verify()).findings).toEqual([]);
  });

  it('AUD-13 keeps what a destination has not acknowledged, and says for whom', async () => {
    const place = { chain: 'audit_records', mac: null };
    await database.insert(auditDeliveries).values([
      { ...place, destination: 'archive', sequence: 5 },
      { ...place, destination: 'siem', sequence: 3 },
      { ...place, chain: 'other_records', destination: 'siem', sequence: 0 },
    ]);
    expect(await retain(2)).toMatchObject({ deleted: 2, heldBackBy: null });
    expect(await retain(6)).toMatchObject({ deleted: 1, cut: { sequence: 3 }, heldBackBy: 'siem' });
    expect(await retain(6)).toEqual({ deleted: 0, cut: null, heldBackBy: 'siem' });
    expect(await sequences()).toEqual([4, 5, 6, 7, 8, 9, 10]);
    await database.delete(auditDeliveries).where(eq(auditDeliveries.destination, 'siem'));
    expect(await retain(6)).toMatchObject({ deleted: 2, heldBackBy: 'archive' });
    expect(await retain(6, { evenIfUndelivered: true })).toMatchObject({ deleted: 1, heldBackBy: null });
    expect((await verify()).findings).toEqual([]);
    await database.delete(auditDeliveries);
  });

  /** Retains, and puts some of the deleted rows back, as an interrupted retention would have left them. */
  async function retainAndLeave(day: number, first: number): Promise<void> {
    await database.execute(sql`create table kept as table ${auditRecords}`);
    await retain(day);
    await database.execute(
      sql`insert into ${auditRecords} select * from kept where sequence between ${first} and ${day}`,
    );
    await database.execute(sql`drop table kept`);
  }

  it('AUD-6 AUD-12 rows that retention left or somebody put back are a finding, and the next retention deletes them', async () => {
    await retainAndLeave(6, 3);
    const left = [{ kind: 'inserted', sequence: 3, lastSequence: 6, detail: expect.stringContaining('Run retention') }];
    const [withKey, withPublicKey] = await Promise.all([
      verify(),
      verifyAuditLog({ database, publicKeys, checkpoints }),
    ]);
    expect(withKey.findings).toMatchObject(left);
    expect(withPublicKey.findings).toMatchObject(left);
    expect(await retain(6)).toEqual({ deleted: 4, cut: null, heldBackBy: null });
    expect(await sequences()).toEqual([7, 8, 9, 10]);
    expect((await verify()).findings).toEqual([]);
  });

  it('AUD-6 rows that a retention is deleting are no finding', async () => {
    await retainAndLeave(6, 1);
    const deleting = (async () => {
      for (let sequence = 1; sequence <= 6; sequence += 1) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        await database.delete(auditRecords).where(eq(auditRecords.sequence, sequence));
      }
    })();
    expect((await verify()).findings).toEqual([]);
    await deleting;
  });

  it('AUD-6 a verification that waits for a retention is ended by its progress, as between rows', async () => {
    await retainAndLeave(6, 3);
    const seen: unknown[] = [];
    const onProgress = (progress: unknown) => {
      seen.push(progress);
      throw new Error('stopped');
    };
    await expect(verifyAuditLog({ database, publicKeys, checkpoints, onProgress })).rejects.toThrow('stopped');
    expect(seen).toEqual([{ rows: 8, sequence: 10, lastSequence: 10, faults: 0 }]);
  });

  it('AUD-6 AUD-12 rows of a cut that is not stored yet are compared like others', async () => {
    const found: AuditVerification[] = [];
    const interrupted = async (cut: Checkpoint) => {
      checkpoints.push(cut);
      found.push(await verify());
      throw new Error('interrupted');
    };
    await expect(retain(6, { checkpoint: interrupted })).rejects.toThrow('interrupted');
    expect(found).toMatchObject([{ intact: true, rows: 10 }]);
    await database.update(auditRecords).set({ actor: 'nobody' }).where(eq(auditRecords.sequence, 3));
    const { findings } = await verifyAuditLog({ database, publicKeys, checkpoints });
    expect(findings).toMatchObject([{ kind: 'replaced', sequence: 1, lastSequence: 6 }]);
  });

  it('AUD-6 the further one of two concurrent retentions deletes nothing beyond the cut that is stored', async () => {
    const late = async (cut: Checkpoint) => {
      checkpoint(cut);
      await retain(3);
    };
    expect(await retain(7, { checkpoint: late })).toEqual({ deleted: 0, cut: null, heldBackBy: null });
    expect(await sequences()).toEqual([4, 5, 6, 7, 8, 9, 10]);
    expect((await verify([])).findings).toEqual([]);
    expect((await verify()).findings).toEqual([]);
    expect(await retain(7, { checkpoints })).toMatchObject({ deleted: 4, cut: { sequence: 7 } });
    expect((await verify()).findings).toEqual([]);
  });

  it('AUD-6 a log passes at any moment while it is written and cut', async () => {
    const sink = createPostgresAuditSink({ database: opened.nodes[1], key, timeoutMillis: 15_000 });
    let writing = true;
    const work = (async () => {
      while (writing) await sink.append(makeRecords(3));
    })();
    for (let day = 1; day < 10; day += 2) {
      const [result] = await Promise.all([verify(), retain(day)]);
      expect(result.findings).toEqual([]);
    }
    writing = false;
    await work;
    expect((await verify()).findings).toEqual([]);
  });

  it('names every bad option at once', async () => {
    await expect(retainAuditRecords({ database: {}, key } as never)).rejects.toThrow(
      /\n- database must .*\n- before is required: .*\n- checkpoint is required: /,
    );
  });
});
