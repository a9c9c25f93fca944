import { eq, gt, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import {
  type Acceptance,
  type AuditGap,
  acceptAuditState,
  auditChainHeads,
  auditRecords,
  auditSignedHeads,
  type Checkpoint,
  type CheckpointKey,
  checkAuditState,
  createPostgresAuditSink,
  type PostgresAuditSink,
  retainAuditRecords,
  verifyAuditLog,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord } from '../records.js';

const key = makeKey();
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];
interface Accepting {
  readonly signer?: CheckpointKey;
  readonly missing?: readonly AuditGap[];
}
const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 0, 1);

describe.each(auditDatabases)('a gap that an operator accepted on %s', (_name, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;
  let delivered: Checkpoint[];
  let recorded: (readonly object[])[];
  let now: number;
  let day: number;
  const checkpoint = (made: Checkpoint) => void delivered.push(made);

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of [auditRecords, auditChainHeads, auditSignedHeads]) await database.delete(table);
    [delivered, recorded, now, day] = [[], [], Date.UTC(2026, 10, 21), 0];
  });

  const node = (options: object = {}): PostgresAuditSink =>
    createPostgresAuditSink({ ...{ database, key, checkpointKey, checkpoint, now: () => now }, ...options });

  /** One row a day. */
  async function append(sink: PostgresAuditSink, count: number): Promise<void> {
    now += 1000;
    for (let index = 0; index < count; index += 1, day += 1)
      await sink.append([makeRecord({ occurredAt: FIRST + day * DAY })]);
  }

  async function run(count: number): Promise<void> {
    const sink = node();
    await append(sink, count);
    await sink.close();
  }

  /** What an asynchronous standby holds that takes over: the log up to this row. */
  async function failOverTo(sequence: number, signed: string | undefined): Promise<void> {
    await database.delete(auditRecords).where(gt(auditRecords.sequence, sequence));
    await database.execute(sql`update ${auditChainHeads} set (sequence, mac) =
      (select sequence, mac from ${auditRecords} where sequence = ${sequence})`);
    if (signed === undefined) await database.delete(auditSignedHeads);
    else await database.update(auditSignedHeads).set({ note: signed });
  }

  /** Rows 1 to 5 with a checkpoint, 6 to 9 without, of which 8 and 9 are lost while the node lives, and 10 to 12. */
  async function loseTwo(): Promise<void> {
    await run(5);
    const sink = node();
    await append(sink, 4);
    await failOverTo(7, delivered[0]?.note);
    await append(sink, 3);
    await sink.close();
  }

  async function accept({ signer = checkpointKey, missing = [] }: Accepting = {}): Promise<Checkpoint> {
    now += 1000;
    const given = { database, key, checkpointKey: signer, publicKeys, checkpoints: [...delivered], now: () => now };
    const record = ({ gaps }: Acceptance) => void recorded.push(gaps);
    return (await acceptAuditState({ ...given, missing, record, checkpoint })).checkpoint;
  }

  const verify = (checkpoints: readonly Checkpoint[] = delivered) =>
    verifyAuditLog({ database, key, publicKeys, checkpoints });
  const verifyPublic = () => verifyAuditLog({ database, publicKeys, checkpoints: delivered });
  const retain = (before: number) =>
    retainAuditRecords({ database, key, checkpointKey, checkpoint, checkpoints: delivered, before, now: () => now });
  const remove = (sequence: number) => database.delete(auditRecords).where(eq(auditRecords.sequence, sequence));

  it('AUD-15 is named by the acceptance and no finding any more, with the key and with the public key alone', async () => {
    await loseTwo();
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 8, lastSequence: 9 }]);
    const accepted = await accept();
    expect(accepted).toMatchObject({ kind: 'accepted', sequence: 12, gaps: [{ from: 8, to: 9 }] });
    expect(accepted.note).toContain('\ngaps 8-9\n');
    for (const result of [await verify(), await verifyPublic()])
      expect(result).toMatchObject({ intact: true, coveredTo: 12, accepted: [{ gaps: [{ from: 8, to: 9 }] }] });
  });

  it('AUD-15 retention goes on up to it and beyond it', async () => {
    await loseTwo();
    await expect(retain(FIRST + 10 * DAY)).rejects.toThrow('was changed, from row 8 on');
    await accept();
    // The rows 1 to 7, then 10.
    expect(await retain(FIRST + 7 * DAY)).toMatchObject({ deleted: 7 });
    expect(await verify()).toMatchObject({ intact: true, rows: 3 });
    expect(await retain(FIRST + 10 * DAY)).toMatchObject({ deleted: 1, cut: { sequence: 10 } });
    await run(2);
    expect(await verify()).toMatchObject({ intact: true, rows: 4, coveredTo: 14 });
  });

  it('AUD-15 the next deletion is seen: beside it, before it, after it, at the end, and of rows that came later', async () => {
    await loseTwo();
    await accept();
    await run(4);
    const rows = await database.select().from(auditRecords);
    for (const sequence of [7, 10, 3, 12, 14]) {
      await remove(sequence);
      for (const { findings } of [await verify(), await verifyPublic()])
        expect(findings).toContainEqual(expect.objectContaining({ kind: 'deleted', sequence, lastSequence: sequence }));
      await database.insert(auditRecords).values(rows.filter((row) => row.sequence === sequence));
    }
    expect(await verify()).toMatchObject({ intact: true });
    await remove(16);
    expect((await verify()).findings).toMatchObject([{ kind: 'truncated', sequence: 16 }]);
  });

  it('AUD-15 retention deletes nothing where a row is missing beside the accepted ones', async () => {
    await loseTwo();
    await accept();
    await remove(10);
    await expect(retain(FIRST + 11 * DAY)).rejects.toThrow('was changed, from row 10 on');
  });

  it('AUD-15 supersedes checkpoints that cover lost rows, made before by other nodes', async () => {
    await run(5);
    const [one, other] = [node(), node()];
    await append(one, 4);
    const before = delivered[0]?.note;
    await append(other, 1);
    // Delivered: a checkpoint of row 10. Lost: the rows from 8 on.
    await other.close();
    await failOverTo(7, before);
    await append(one, 3);
    await one.close();
    const writing = node();
    await append(writing, 1);
    await writing.close();
    expect(await verify()).toMatchObject({ intact: false });
    await accept();
    await run(1);
    for (const result of [await verify(), await verifyPublic()]) expect(result).toMatchObject({ intact: true });
  });

  it('AUD-15 counts only with the key of the checkpoints: who has the database alone accepts nothing', async () => {
    await loseTwo();
    const own = makeCheckpointKey(checkpointKey.name);
    const forged = await accept({ signer: own });
    await database.update(auditSignedHeads).set({ note: forged.note });
    expect((await verify()).findings).toMatchObject([
      { kind: 'deleted', sequence: 8, lastSequence: 9 },
      { kind: 'checkpoint', sequence: 12 },
    ]);
    // Nor does an acceptance whose gap somebody widened.
    delivered.pop();
    const genuine = await accept();
    delivered.pop();
    await remove(10);
    const note = genuine.note.replace('\ngaps 8-9\n', '\ngaps 8-10\n');
    const widened = { ...genuine, gaps: [{ from: 8, to: 10 }], note };
    expect((await verify([...delivered, widened])).findings).toContainEqual(
      expect.objectContaining({ kind: 'deleted', sequence: 8, lastSequence: 10 }),
    );
  });

  it('AUD-15 an acceptance that only the database holds counts for nobody who verifies', async () => {
    await loseTwo();
    const accepted = await accept();
    delivered.pop();
    expect((await database.select().from(auditSignedHeads))[0]?.note).toBe(accepted.note);
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 8, lastSequence: 9 }]);
  });

  it('AUD-15 an old acceptance does not cover what is lost later, at the same sequences either', async () => {
    await loseTwo();
    const old = await accept();
    await run(4);
    // A backup of the time of the acceptance is restored, and the old acceptance delivered once more.
    await failOverTo(12, old.note);
    delivered.push(old);
    expect((await verify()).findings).toMatchObject([{ kind: 'truncated', sequence: 13, lastSequence: 16 }]);
    expect(await checkAuditState({ database, key, publicKeys, checkpoints: delivered })).toMatchObject({
      state: 'behind',
    });
    // And a log that is written on from there.
    await run(6);
    expect(await verify()).toMatchObject({ intact: false });
  });

  it('AUD-15 each further loss needs an acceptance of its own, which names all', async () => {
    await loseTwo();
    await accept();
    const sink = node();
    await append(sink, 3);
    await failOverTo(14, delivered.at(-1)?.note);
    await append(sink, 1);
    await sink.close();
    expect((await verify()).findings).toMatchObject([{ kind: 'deleted', sequence: 15, lastSequence: 15 }]);
    const gaps = [
      { from: 8, to: 9 },
      { from: 15, to: 15 },
    ];
    expect(await accept()).toMatchObject({ gaps });
    expect(await verify()).toMatchObject({ intact: true });
  });

  it('AUD-15 is later than every earlier checkpoint, also where the clock of a node is ahead', async () => {
    now += 3_600_000;
    await loseTwo();
    now -= 3_600_000;
    const accepted = await accept();
    expect(delivered.slice(0, -1).every(({ at }) => at < accepted.at)).toBe(true);
    await run(2);
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 14 });
    await remove(14);
    expect((await verify()).findings).toMatchObject([{ kind: 'truncated', sequence: 14 }]);
  });

  it('AUD-15 accepts what checkpoints name as lost, and refuses other missing rows until they are named', async () => {
    await loseTwo();
    await remove(3);
    // The checkpoint of row 5 shows that a failover did not take row 3.
    const before = await database.select().from(auditSignedHeads);
    await expect(accept()).rejects.toMatchObject({ unnamed: [{ from: 3, to: 3 }], present: [] });
    await expect(accept({ missing: [{ from: 2, to: 3 }] })).rejects.toMatchObject({ present: [{ from: 2, to: 2 }] });
    expect(recorded).toEqual([]);
    expect(await database.select().from(auditSignedHeads)).toEqual(before);
    expect((await verify()).findings).toMatchObject([
      { kind: 'deleted', sequence: 3 },
      { kind: 'deleted', sequence: 8, lastSequence: 9 },
    ]);

    const gaps = [
      { from: 3, to: 3 },
      { from: 8, to: 9 },
    ];
    expect(await accept({ missing: [{ from: 3, to: 3 }] })).toMatchObject({ gaps });
    // The record is made before the signature, and names what the checkpoint names.
    expect(recorded).toEqual([gaps]);
    for (const result of [await verify(), await verifyPublic()])
      expect(result).toMatchObject({ intact: true, accepted: [{ gaps }] });
  });

  it('AUD-15 refuses rows that were deleted beside the lost ones, after them, and at the end', async () => {
    await loseTwo();
    await run(2);
    for (const sequence of [5, 12, 14]) {
      const rows = await database.select().from(auditRecords).where(eq(auditRecords.sequence, sequence));
      await remove(sequence);
      await expect(accept()).rejects.toMatchObject({ unnamed: [{ from: sequence, to: sequence }] });
      await database.insert(auditRecords).values(rows);
    }
    expect(await accept()).toMatchObject({ gaps: [{ from: 8, to: 9 }] });
  });

  it('AUD-15 accepts no row that was deleted before a checkpoint covered it, unless it is named', async () => {
    await run(2);
    await createPostgresAuditSink({ database, key }).append([3, 4, 5].map(() => makeRecord()));
    await remove(4);
    await run(1);
    await expect(accept()).rejects.toMatchObject({ unnamed: [{ from: 4, to: 4 }] });
    expect(await accept({ missing: [{ from: 4, to: 4 }] })).toMatchObject({ gaps: [{ from: 4, to: 4 }] });
    await run(1);
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 7 });
  });
});
