import { eq, gt, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import {
  type AuditStateOptions,
  acceptAuditState,
  auditChainHeads,
  auditRecords,
  auditSignedHeads,
  type Checkpoint,
  checkAuditState,
  createPostgresAuditSink,
  retainAuditRecords,
  verifyAuditLog,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';

const key = makeKey();
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];

describe.each(auditDatabases)('the state of an audit log at the start on %s', (_name, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;
  let checkpoints: Checkpoint[];
  let now: number;
  const checkpoint = (made: Checkpoint) => void checkpoints.push(made);

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of [auditRecords, auditChainHeads, auditSignedHeads]) await database.delete(table);
    [checkpoints, now] = [[], Date.UTC(2026, 10, 21)];
    await write(5);
    await write(3);
  });

  /** A run of the service that appends records: its last checkpoint covers them. */
  async function write(count: number, options: object = {}): Promise<void> {
    now += 1000;
    const sink = createPostgresAuditSink({
      ...{ database, key, checkpointKey, checkpoint, now: () => now },
      ...options,
    });
    await sink.append(makeRecords(count));
    await sink.close();
  }

  /** The database as it was when it ended at this row. */
  async function restoreTo(sequence: number): Promise<void> {
    await database.delete(auditRecords).where(gt(auditRecords.sequence, sequence));
    await database.execute(sql`update ${auditChainHeads} set (sequence, mac) =
      (select sequence, mac from ${auditRecords} where sequence = ${sequence})`);
    const note = checkpoints.find((one) => one.sequence === sequence)?.note;
    if (note !== undefined) await database.update(auditSignedHeads).set({ note });
    else await database.delete(auditSignedHeads);
  }

  const check = (options: Partial<AuditStateOptions> = {}) =>
    checkAuditState({ database, key, publicKeys, checkpoints, ...options });
  const accept = async () => {
    now += 1000;
    return acceptAuditState({
      database,
      key,
      checkpointKey,
      checkpoints: [...checkpoints],
      checkpoint,
      now: () => now,
    });
  };
  const verify = () => verifyAuditLog({ database, key, publicKeys, checkpoints });

  it('AUD-9 a log that contains its newest checkpoint is consistent, with more records and without the key too', async () => {
    expect(await check()).toMatchObject({ state: 'consistent', lastSequence: 8, checkpoint: { sequence: 8 } });
    await createPostgresAuditSink({ database, key }).append(makeRecords(2));
    expect(await check({ key: null })).toMatchObject({ state: 'consistent', lastSequence: 10, missing: null });
  });

  it('AUD-9 names the rows of a log that was cut, or restored to an older state', async () => {
    await restoreTo(5);
    const found = await check();
    expect(found).toMatchObject({ state: 'behind', lastSequence: 5, agreedTo: 5, missing: { from: 6, to: 8 } });
    expect(found.detail).toMatch(/ends at row 5, .* covers rows up to 8/);
    await database.delete(auditRecords);
    expect(await check()).toMatchObject({ state: 'behind', lastSequence: 0, missing: { from: 1, to: 8 } });
  });

  it('AUD-9 names what is missing of a log that agrees with no checkpoint that is known', async () => {
    await restoreTo(3);
    const found = await check();
    expect(found).toMatchObject({ state: 'behind', lastSequence: 3, agreedTo: 0, missing: { from: 4, to: 8 } });
    await createPostgresAuditSink({ database, key }).append([makeRecord({ action: 'accept' })]);
    expect(await accept()).toMatchObject({ checkpoint: { sequence: 4, since: 0 } });
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 4 });
  });

  it('AUD-9 an accepted state is delivered to the places that can be reached, and the others are named', async () => {
    await restoreTo(5);
    const away = Object.assign(() => Promise.reject(new Error('503')), { destination: 'witness w' });
    const given = { database, key, checkpointKey, checkpoints: [...checkpoints], now: () => now + 1000 };
    await expect(acceptAuditState({ ...given, checkpoint: away })).rejects.toThrow('503');
    expect(await check()).toMatchObject({ state: 'behind' });
    const { failures } = await acceptAuditState({ ...given, checkpoint: [away, checkpoint] });
    expect(failures).toMatchObject([{ destination: 'witness w', error: new Error('503') }]);
    expect(await check()).toMatchObject({ state: 'consistent' });
  });

  it('AUD-9 finds a log that was restored to an older state and written on', async () => {
    await restoreTo(5);
    await createPostgresAuditSink({ database, key }).append(makeRecords(9));
    expect(await check()).toMatchObject({ state: 'different', lastSequence: 14, missing: { from: 6, to: 8 } });
  });

  it('AUD-9 finds a changed row of the newest checkpoint, with the key', async () => {
    await database.update(auditRecords).set({ actor: 'nobody' }).where(eq(auditRecords.sequence, 8));
    expect(await check()).toMatchObject({ state: 'different', missing: { from: 8, to: 8 } });
  });

  it('AUD-9 knows nothing without a genuine checkpoint', async () => {
    expect(await check({ checkpoints: [] })).toMatchObject({ state: 'unknown', lastSequence: 8, checkpoint: null });
    const others = [makeCheckpointKey().publicKey];
    expect(await check({ publicKeys: others })).toMatchObject({ state: 'unknown', checkpoint: null });
  });

  it('AUD-9 forged checkpoints of later rows change nothing', async () => {
    const note = (checkpoints[1] as Checkpoint).note.replace('\n8\n', '\n9\n');
    const forged = { ...(checkpoints[1] as Checkpoint), sequence: 9, note };
    expect(await check({ checkpoints: [...checkpoints, forged] })).toMatchObject({ state: 'consistent' });
  });

  it('AUD-9 a log is consistent after retention, also of all rows', async () => {
    await retainAuditRecords({ database, key, checkpointKey, checkpoint, before: Date.UTC(2030, 0, 1) });
    expect(await check()).toMatchObject({ state: 'consistent', lastSequence: 8 });
    expect(await check({ checkpoints: checkpoints.slice(0, 2) })).toMatchObject({ state: 'consistent' });
  });

  it('AUD-9 an accepted state is consistent, is continued, and verify says what was accepted', async () => {
    await restoreTo(5);
    expect((await verify()).findings).toMatchObject([{ kind: 'truncated', sequence: 6 }]);
    await createPostgresAuditSink({ database, key }).append([makeRecord({ action: 'accept' })]);
    const accepted = await accept();
    expect(accepted).toMatchObject({
      state: { state: 'behind', agreedTo: 5, missing: { from: 7, to: 8 } },
      checkpoint: { kind: 'accepted', sequence: 6, since: 5 },
    });
    expect(await check()).toMatchObject({ state: 'consistent' });
    await write(4);
    expect(await check()).toMatchObject({ state: 'consistent', checkpoint: { sequence: 10 } });
    const verified = await verify();
    expect(verified).toMatchObject({ intact: true, coveredTo: 10, accepted: [{ since: 5 }] });
    // From then on, the accepted log counts.
    await restoreTo(6);
    expect(await check()).toMatchObject({ state: 'behind', missing: { from: 7, to: 10 } });
    expect((await verify()).findings).toMatchObject([{ kind: 'truncated', sequence: 7 }]);
  });

  it('AUD-9 accepts a log that was restored and written on, and one with a changed row', async () => {
    await restoreTo(5);
    await write(9, { checkpoint: null });
    await accept();
    expect(await check()).toMatchObject({ state: 'consistent', lastSequence: 14 });
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 14 });

    await createPostgresAuditSink({ database, key }).append(makeRecords(2));
    await database.update(auditRecords).set({ actor: 'nobody' }).where(eq(auditRecords.sequence, 15));
    const before = checkpoints.length;
    await write(1);
    expect(checkpoints.length).toBe(before);
    await accept();
    await write(1);
    expect(checkpoints.length).toBe(before + 2);
    // The change stays a finding.
    expect((await verify()).findings).toMatchObject([{ kind: 'changed', sequence: 15 }]);
  });

  it('AUD-9 accepts a log whose stored cut is not genuine, and checkpoints are made again', async () => {
    await database.update(auditChainHeads).set({ cut: { sequence: 3, note: 'nonsense' } });
    const before = checkpoints.length;
    await write(1);
    expect(checkpoints.length).toBe(before);
    await accept();
    await write(1);
    expect(checkpoints.length).toBe(before + 2);
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 10 });
  });
});
