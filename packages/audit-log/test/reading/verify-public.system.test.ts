import { asc, eq, gt, lte, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import { createAuditChain, readRows } from '../../src/chain/index.js';
import { signCheckpoint } from '../../src/notes/index.js';
import {
  auditChainHeads,
  auditRecords,
  auditSignedHeads,
  type Checkpoint,
  createPostgresAuditSink,
  retainAuditRecords,
  type VerifyOptions,
  verifyAuditLog,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';
import { keepLog } from './kept-log.js';
import { LOG_ROWS, rowTampering } from './tamperings.js';

const key = makeKey('k1');
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];

describe.each(auditDatabases)('verifying an audit log with the public key alone on %s', (kind, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;
  let checkpoints: Checkpoint[];
  let restoreTables: () => Promise<void>;
  const checkpoint = (made: Checkpoint) => void checkpoints.push(made);

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
    checkpoints = [];
    for (const rows of [5, LOG_ROWS - 5]) {
      const sink = createPostgresAuditSink({ database, key, checkpoint, checkpointKey });
      await sink.append(makeRecords(rows, () => ({ parameters: { amount: '12.50', number: 1 } })));
      await sink.close();
    }
    restoreTables = await keepLog(database, { withNotes: true });
  });
  afterAll(() => opened.close());
  beforeEach(restore);

  async function restore(): Promise<void> {
    checkpoints = checkpoints.slice(0, 2);
    await restoreTables();
  }

  const verify = (options: Partial<VerifyOptions> = {}) =>
    verifyAuditLog({ database, publicKeys, checkpoints, ...options });

  it('AUD-12 an unchanged log passes, and says up to which row', async () => {
    expect(await verify()).toEqual({
      intact: true,
      findings: [],
      rows: LOG_ROWS,
      lastSequence: LOG_ROWS,
      checkpoints: 2,
      coveredTo: LOG_ROWS,
      accepted: [],
      pending: 0,
    });
  });

  it('AUD-12 finds every random change to covered rows, within the rows of its checkpoint', async () => {
    await fc.assert(
      fc.asyncProperty(rowTampering, async (tampering) => {
        await restore();
        await tampering.apply(database);
        const { findings } = await verify();
        // A row behind the end of the chain is not covered.
        for (const sequence of tampering.named.sequences.filter((one) => one <= LOG_ROWS)) {
          const covering = findings.filter((one) => one.sequence <= sequence && sequence <= one.lastSequence);
          expect(covering, `${tampering.name}: ${sequence}`).not.toEqual([]);
        }
      }),
      { numRuns: cases(kind === 'PostgreSQL' ? 100 : 40), endOnFailure: true },
    );
  }, 60_000);

  it('AUD-12 finds a row that was rewritten with the key of the chain, and all after it linked anew', async () => {
    const chain = createAuditChain(key);
    const rows = [];
    for await (const row of readRows(database, auditRecords, { after: 6, upTo: null })) rows.push(row);
    const [before] = await database.select().from(auditRecords).where(eq(auditRecords.sequence, 6));
    let head = { sequence: 6, mac: before?.mac ?? '' };
    for (const [index, row] of rows.entries()) {
      const columns = index === 0 ? { ...row, actor: 'nobody' } : row;
      const link = chain.link(head, columns);
      await database
        .update(auditRecords)
        .set({ actor: columns.actor, previous: link.previous, mac: link.mac })
        .where(eq(auditRecords.sequence, row.sequence));
      head = { sequence: link.sequence, mac: link.mac };
    }
    await database.update(auditChainHeads).set({ mac: head.mac });
    // For the chain alone, nothing has happened.
    expect((await verifyAuditLog({ database, key })).findings).toEqual([]);
    const expected = [{ kind: 'replaced', sequence: 6, lastSequence: LOG_ROWS }];
    expect((await verify()).findings).toMatchObject(expected);
    expect((await verify({ key })).findings).toMatchObject(expected);
  });

  it('AUD-12 rows after the last checkpoint are not covered', async () => {
    await createPostgresAuditSink({ database, key }).append(makeRecords(2));
    expect(await verify()).toMatchObject({ intact: true, lastSequence: LOG_ROWS + 2, coveredTo: LOG_ROWS });
    await database.delete(auditRecords).where(gt(auditRecords.sequence, LOG_ROWS));
    await database.execute(sql`update ${auditChainHeads} set (sequence, mac) =
      (select sequence, mac from ${auditRecords} where sequence = ${LOG_ROWS})`);
    expect(await verify()).toMatchObject({ intact: true, lastSequence: LOG_ROWS });
  });

  it('AUD-12 a log passes after a cut, and each part of it is judged alone', async () => {
    const before = Date.UTC(2026, 10, 22);
    const sink = createPostgresAuditSink({ database, key, checkpoint, checkpointKey });
    await sink.append([makeRecord({ occurredAt: before })]);
    await sink.append(makeRecords(3));
    await sink.close();
    const all = [...checkpoints];
    const retained = { database, key, checkpointKey, checkpoint, before };
    expect(await retainAuditRecords({ ...retained, checkpoints: all })).toMatchObject({ deleted: LOG_ROWS });
    expect(await verify()).toMatchObject({ intact: true, coveredTo: LOG_ROWS + 4 });
    // Without the cut of the database, that of the file is sufficient.
    await database.update(auditChainHeads).set({ cut: null });
    expect(await verify()).toMatchObject({ intact: true, coveredTo: LOG_ROWS + 4 });
    expect((await verify({ checkpoints: all })).findings).toMatchObject([
      { kind: 'deleted', sequence: 1, lastSequence: LOG_ROWS },
    ]);
  });

  it('AUD-12 retention deletes no part that a checkpoint does not cover as it is, though its macs are right', async () => {
    const young = Date.UTC(2027, 0, 1);
    await database.execute(sql`truncate ${auditRecords}, ${auditChainHeads}, ${auditSignedHeads}`);
    const sink = createPostgresAuditSink({ database, key });
    await sink.append(makeRecords(LOG_ROWS));
    await sink.append([makeRecord({ occurredAt: young })]);
    const options = { database, key, checkpointKey, checkpoint: () => {}, before: young };
    await expect(retainAuditRecords({ ...options, checkpoints })).rejects.toMatchObject({
      findings: [
        { kind: 'replaced', sequence: 1, lastSequence: 5 },
        { kind: 'replaced', sequence: 6 },
      ],
    });
    expect(await retainAuditRecords(options)).toMatchObject({ deleted: LOG_ROWS });
  });

  it('AUD-12 a checkpoint that somebody else kept is proved by its own key, and that key proves nothing else', async () => {
    const other = makeCheckpointKey('auditor.example');
    const signed = (over: Partial<Checkpoint>) => signCheckpoint({ ...(checkpoints[0] as Checkpoint), ...over }, other);
    const kept = { checkpoint: await signed({}), publicKey: other.publicKey };
    expect(await verify({ checkpoints: [], kept: [kept] })).toMatchObject({
      intact: true,
      checkpoints: 1,
      coveredTo: 5,
    });
    const root = Buffer.alloc(32, 7).toString('base64');
    const another = { ...kept, checkpoint: await signed({ sequence: 1, root, frontier: [root] }) };
    expect((await verify({ kept: [another] })).findings).toMatchObject([{ kind: 'replaced', sequence: 1 }]);
    const stranger = { ...kept, publicKey: makeCheckpointKey('auditor.example').publicKey };
    expect((await verify({ kept: [stranger] })).findings).toMatchObject([{ kind: 'checkpoint', sequence: 5 }]);

    // A cut of that key hides nothing, wherever it is.
    const cut = await signed({ kind: 'cut', before: '2027-01-01T00:00:00.000Z' });
    await database.delete(auditRecords).where(lte(auditRecords.sequence, 5));
    const hidden = [{ kind: 'deleted', sequence: 1, lastSequence: 5 }];
    expect((await verify({ kept: [{ ...kept, checkpoint: cut }] })).findings).toMatchObject(hidden);
    await database.update(auditChainHeads).set({ cut: { sequence: 5, note: cut.note } });
    const findings = (await verify({ kept: [kept] })).findings;
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'head', sequence: 5 }));
    expect(findings).toContainEqual(expect.objectContaining(hidden[0]));
    await expect(verify({ kept: [{ ...kept, publicKey: 'x' }] })).rejects.toThrow('kept must be');
  });

  it('AUD-12 needs one kind of key', async () => {
    await expect(verifyAuditLog({ database })).rejects.toThrow('key or publicKeys must be given');
  });

  it('AUD-12 counts pending records whose seals it cannot verify', async () => {
    const sink = createPostgresAuditSink({ database, key });
    await database.transaction((tx) => sink.appendWithin(tx, makeRecords(2)));
    expect(await verify()).toMatchObject({ intact: true, pending: 2 });
    expect((await database.select().from(auditRecords).orderBy(asc(auditRecords.sequence))).length).toBe(LOG_ROWS);
    await database.execute(sql`delete from audit_pending`);
  });
});
