import { createHmac } from 'node:crypto';
import { eq, lte } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuditChain, type DrizzleDatabase } from '../../src/chain/index.js';
import { createCheckpointMaker } from '../../src/checkpoints/index.js';
import {
  AUDIT_TABLE_DEFAULTS,
  AuditLogBrokenError,
  auditChainHeads,
  auditRecords,
  auditSignedHeads,
  type Checkpoint,
  CheckpointRefusedError,
  checkAuditState,
  createPostgresAuditSink,
  retainAuditRecords,
  verifyAuditLog,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';

const key = makeKey('k1');
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];
const YOUNG = Date.UTC(2027, 0, 1);

/** Releases before the signed checkpoints made such cuts, and a holder of the key of the chain still can. */
describe.each(auditDatabases)('cuts that the key of the chain proves on %s', (_name, open) => {
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
    for (const table of [auditRecords, auditChainHeads, auditSignedHeads]) await database.delete(table);
    checkpoints = [];
    await append(20);
  });

  async function append(count: number, options: object = {}): Promise<void> {
    const sink = createPostgresAuditSink({ database, key, ...options });
    await sink.append(makeRecords(count));
    await sink.close();
  }

  /** Deletes the rows up to this one, with a cut that says so. */
  async function cutAt(sequence: number): Promise<void> {
    const [row] = await database.select().from(auditRecords).where(eq(auditRecords.sequence, sequence));
    const content = { kind: 'cut', sequence, mac: row?.mac ?? '', count: sequence, at: 't', keyId: 'k1' } as const;
    const { kind, mac, count, at, keyId } = content;
    const fields = ['sallyport audit checkpoint v1', kind, String(sequence), mac, String(count), at, keyId];
    const texts = fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join('');
    const signature = createHmac('sha256', key.secret).update(texts).digest('base64url');
    await database.update(auditChainHeads).set({ cut: { ...content, signature } });
    await database.delete(auditRecords).where(lte(auditRecords.sequence, sequence));
  }

  const verify = (options: object = {}) => verifyAuditLog({ database, key, publicKeys, checkpoints, ...options });
  const check = () => checkAuditState({ database, key, publicKeys, checkpoints });
  const maker = () =>
    createCheckpointMaker({
      ...{ ...AUDIT_TABLE_DEFAULTS, database, key: checkpointKey, publicKeys: [], now: Date.now, history: null },
      ...{ chain: createAuditChain(key), knownSequence: () => 0, onGap: () => {} },
    });

  it('AUD-6 AUD-12 a log that an earlier release cut is continued, and verified by the public key from the next cut on', async () => {
    await cutAt(14);
    expect(await verify()).toMatchObject({ intact: true, rows: 6, coveredTo: 0 });
    await append(1, { checkpoint, checkpointKey });
    expect(checkpoints).toMatchObject([{ sequence: 21 }]);
    expect(await verify()).toMatchObject({ intact: true, coveredTo: 21 });
    expect(await check()).toMatchObject({ state: 'consistent' });
    const sink = createPostgresAuditSink({ database, key });
    await sink.append([makeRecord({ occurredAt: YOUNG })]);
    await sink.close();
    const own = { database, key, checkpointKey, checkpoint, before: YOUNG };
    expect(await retainAuditRecords({ ...own, checkpoints: [...checkpoints] })).toMatchObject({ deleted: 7 });
    expect(await verify({ key: null })).toMatchObject({ intact: true, coveredTo: 21 });
  });

  it.each([21, 22])('AUD-9 AUD-12 such a cut at row %i does not hide the rows of a signed checkpoint', async (cut) => {
    await append(1, { checkpoint, checkpointKey });
    checkpoints.length = 0;
    const running = maker();
    checkpoints.push((await running.make())?.checkpoint as Checkpoint);
    expect(checkpoints).toMatchObject([{ sequence: 21 }]);
    await append(1);
    await cutAt(cut);
    expect((await verify()).findings).toContainEqual(
      expect.objectContaining({ kind: 'head', detail: 'The stored cut of retention is not genuine.' }),
    );
    expect(['behind', 'different']).toContain((await check()).state);
    for (const node of [running, maker()]) await expect(node.make()).rejects.toThrow(CheckpointRefusedError);
    const retained = retainAuditRecords({ database, key, checkpointKey, checkpoint, checkpoints, before: YOUNG });
    await expect(retained).rejects.toThrow(AuditLogBrokenError);
  });

  it('AUD-12 such a cut before a signed checkpoint does not hide the rows that it covers', async () => {
    await append(1, { checkpoint, checkpointKey });
    await cutAt(15);
    expect((await verify()).findings).toMatchObject([{ kind: 'replaced', sequence: 16, lastSequence: 21 }]);
  });
});
