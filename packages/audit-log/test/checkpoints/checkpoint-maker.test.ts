import { eq, gt, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import { createAuditChain } from '../../src/chain/index.js';
import { createCheckpointMaker } from '../../src/checkpoints/index.js';
import {
  AUDIT_TABLE_DEFAULTS,
  auditChainHeads,
  auditRecords,
  auditSignedHeads,
  type Checkpoint,
  CheckpointRefusedError,
  createPostgresAuditSink,
  retainAuditRecords,
  verifyAuditLog,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';

const key = makeKey();
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];

describe.each(auditDatabases)('making checkpoints on %s', (_name, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;
  /** The sequences of the rows that were read. */
  let read: number[];
  let gaps: object[];

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    [read, gaps] = [[], []];
    for (const table of [auditRecords, auditChainHeads, auditSignedHeads]) await database.delete(table);
  });

  const append = (count: number) => createPostgresAuditSink({ database, key }).append(makeRecords(count));

  function node(options: { readonly known?: number; readonly signer?: typeof checkpointKey } = {}) {
    const chain = createAuditChain(key);
    const proves = (row: Parameters<typeof chain.proves>[0]) => {
      read.push(row.sequence);
      return chain.proves(row);
    };
    return createCheckpointMaker({
      ...AUDIT_TABLE_DEFAULTS,
      database,
      chain: { ...chain, proves },
      key: options.signer ?? checkpointKey,
      publicKeys,
      now: Date.now,
      knownSequence: () => options.known ?? 0,
      onGap: (gap) => void gaps.push(gap),
      history: null,
    });
  }

  async function made(maker = node()): Promise<Checkpoint> {
    const result = await maker.make();
    if (result === null) throw new Error('no checkpoint');
    return result.checkpoint;
  }

  const verify = (checkpoints: readonly Checkpoint[]) => verifyAuditLog({ database, publicKeys, checkpoints });
  const refusal = (maker = node()) => maker.make().catch((error: unknown) => error);

  it('AUD-12 reads the rows since the last checkpoint only, after a restart and of another node too', async () => {
    await append(5);
    const one = node();
    const first = await made(one);
    expect([first.sequence, read]).toEqual([5, [1, 2, 3, 4, 5]]);
    await append(3);
    read = [];
    const second = await made(node());
    expect([second.sequence, read]).toEqual([8, [5, 6, 7, 8]]);
    await append(1);
    read = [];
    const third = await made(one);
    expect([third.sequence, read]).toEqual([9, [8, 9]]);
    expect(await verify([first, second, third])).toMatchObject({ intact: true, coveredTo: 9, checkpoints: 3 });
    expect(await made(one)).toBe(third);
  });

  it('AUD-12 an empty log has no checkpoint', async () => {
    expect(await node().make()).toBeNull();
  });

  it('AUD-12 signs no row that was changed after it was written, and names it', async () => {
    await append(3);
    await made();
    await append(3);
    await database.update(auditRecords).set({ actor: 'nobody' }).where(eq(auditRecords.sequence, 5));
    const refused = await refusal();
    expect(refused).toBeInstanceOf(CheckpointRefusedError);
    expect(refused).toMatchObject({ sequence: 5 });
  });

  it('AUD-9 AUD-12 signs no log that was cut, or restored to an older state and written on', async () => {
    await append(4);
    const running = node();
    await made(running);
    const older = await database.select().from(auditSignedHeads);
    await append(4);
    await made(running);
    // Restored: rows, head and the newest checkpoint in the database.
    await database.delete(auditRecords).where(gt(auditRecords.sequence, 4));
    await database.execute(sql`update ${auditChainHeads} set (sequence, mac) =
      (select sequence, mac from ${auditRecords} where sequence = 4)`);
    await database.update(auditSignedHeads).set({ note: older[0]?.note ?? '' });
    expect(await refusal(running)).toMatchObject({ name: 'CheckpointRefusedError', sequence: 5 });
    await append(6);
    expect(await refusal(running)).toMatchObject({ name: 'CheckpointRefusedError', sequence: 8 });
  });

  it('AUD-12 signs nothing while the newest rows are missing, and a gap once others follow', async () => {
    await append(6);
    const first = await made();
    await append(2);
    await database.delete(auditRecords).where(eq(auditRecords.sequence, 8));
    expect(await refusal()).toMatchObject({ sequence: 8 });
    await append(2);
    const second = await made();
    expect([second.sequence, gaps]).toEqual([10, [{ from: 8, to: 8 }]]);
    expect((await verify([first, second])).findings).toMatchObject([{ kind: 'deleted', sequence: 8, lastSequence: 8 }]);
  });

  it('AUD-12 a checkpoint that somebody wrote into the database is not continued', async () => {
    await append(3);
    const forged = await made(node({ signer: makeCheckpointKey() }));
    expect((await database.select().from(auditSignedHeads))[0]?.note).toBe(forged.note);
    read = [];
    const genuine = await made();
    expect([genuine.sequence, genuine.root, read]).toEqual([3, forged.root, [1, 2, 3]]);
  });

  it('AUD-12 continues after a cut, also where retention deletes the rows that it would read', async () => {
    const first = Date.UTC(2026, 0, 1);
    const sink = createPostgresAuditSink({ database, key });
    for (let day = 0; day < 8; day += 1) await sink.append([makeRecord({ occurredAt: first + day * 86_400_000 })]);
    const maker = node();
    await database.update(auditChainHeads).set({ sequence: 2 });
    const one = await made(node({ known: 2 }));
    await database.update(auditChainHeads).set({ sequence: 8 });
    const cuts: Checkpoint[] = [];
    await retainAuditRecords({
      ...{ database, key, checkpointKey, before: first + 5 * 86_400_000 },
      checkpoint: (cut) => void cuts.push(cut),
    });
    const two = await made(maker);
    expect([one.sequence, cuts[0]?.sequence, two.sequence]).toEqual([2, 5, 8]);
    expect(await verify([one, ...cuts, two])).toMatchObject({ intact: true, coveredTo: 8 });
    // With the cut that the database holds.
    expect(await verify(cuts)).toMatchObject({ intact: true });
  });

  it('AUD-12 signs nothing after a cut that is not genuine', async () => {
    await append(3);
    await database.update(auditChainHeads).set({ cut: { sequence: 1, note: 'nonsense' } });
    await expect(node().make()).rejects.toThrow('cut of retention is not genuine');
  });
});
