import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import { signCheckpoint } from '../../src/notes/index.js';
import {
  type AuditVerification,
  auditChainHeads,
  auditRecords,
  type Checkpoint,
  createPostgresAuditSink,
  type VerifyOptions,
  type VerifyProgress,
  verifyAuditLog,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeCheckpointKey, makeKey, makeRecord, makeRecords } from '../records.js';
import { keepLog } from './kept-log.js';
import { anyTampering, everyColumnChange, LOG_ROWS, rowTampering, type Tampering } from './tamperings.js';

const earlier = makeKey('k0', 'sm3');
const key = makeKey('k1');
const checkpointKey = makeCheckpointKey();
const publicKeys = [checkpointKey.publicKey];

describe.each(auditDatabases)('verifying an audit log on %s', (kind, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;
  let checkpoints: Checkpoint[];
  let restore: () => Promise<void>;

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
    checkpoints = [];
    const checkpoint = (made: Checkpoint) => void checkpoints.push(made);
    const parameters = { amount: '12.50', number: 1, list: [1e21, 1e-7, 'x'] };
    // Two keys, two hashes, two nodes.
    const first = createPostgresAuditSink({ database, key: earlier, checkpoint, checkpointKey });
    for (const record of makeRecords(5, () => ({ parameters }))) await first.append([record]);
    await first.close();
    const second = createPostgresAuditSink({
      database: opened.nodes[1],
      key,
      previousKeys: [earlier],
      checkpoint,
      checkpointKey,
    });
    await second.append(makeRecords(LOG_ROWS - 5, () => ({ parameters })));
    await second.close();
    restore = await keepLog(database);
  });
  afterAll(() => opened.close());
  beforeEach(() => restore());

  const verify = (options: Partial<VerifyOptions> = {}) =>
    verifyAuditLog({ database, key, previousKeys: [earlier], publicKeys, checkpoints, ...options });

  function expectNamed(result: AuditVerification, { name, named }: Tampering): void {
    for (const sequence of named.sequences) {
      const covering = result.findings.filter((one) => one.sequence <= sequence && sequence <= one.lastSequence);
      expect(
        covering.some(({ kind }) => named.kinds.includes(kind)),
        `${name}: ${named.kinds} of ${sequence} in ${JSON.stringify(result.findings, null, 1)}`,
      ).toBe(true);
    }
    expect(result.intact).toBe(false);
  }

  it('AUD-6 an unchanged log with two keys, two hashes and two nodes passes', async () => {
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
    expect((await verify({ checkpoints: [] })).intact).toBe(true);
  });

  it('API-4 tells how far it is, waits for whom it tells, and ends with the error of that one', async () => {
    const sink = createPostgresAuditSink({ database, key, previousKeys: [earlier] });
    await sink.append(makeRecords(420 - LOG_ROWS));
    await sink.close();
    await database.execute(sql`update ${auditRecords} set action = 'changed' where sequence = 6`);
    const told: VerifyProgress[] = [];
    let running = 0;
    const { rows } = await verify({
      async onProgress(progress) {
        running += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
        told.push({ ...progress, faults: progress.faults + running - 1 });
        running -= 1;
      },
    });
    expect(rows).toBe(420);
    expect(told).toEqual([200, 400].map((sequence) => ({ rows: sequence, sequence, lastSequence: 420, faults: 1 })));
    const stop = () => Promise.reject(new Error('enough'));
    await expect(verify({ onProgress: stop })).rejects.toThrow('enough');
  });

  it.each(everyColumnChange)('AUD-6 finds the changed row: $name', async (tampering) => {
    const [row] = await database.select({ id: auditRecords.id }).from(auditRecords).where(sql`sequence = 6`);
    await tampering.apply(database);
    const result = await verify();
    expectNamed(result, tampering);
    const [named] = result.findings.filter(({ sequence }) => sequence === 6);
    if (tampering.name.startsWith('id ')) expect(named?.id).not.toBe(row?.id);
    else expect(named?.id).toBe(row?.id);
    // A changed row causes no findings for other rows.
    expect(result.findings).toHaveLength(1);
  });

  it('AUD-6 finds every random change to the tables, with its row', async () => {
    await fc.assert(
      fc.asyncProperty(anyTampering, async (tampering) => {
        await restore();
        await tampering.apply(database);
        expectNamed(await verify(), tampering);
      }),
      { numRuns: cases(kind === 'PostgreSQL' ? 200 : 60), endOnFailure: true },
    );
  }, 60_000);

  it('AUD-6 finds a change to rows after further records were appended', async () => {
    await fc.assert(
      fc.asyncProperty(rowTampering, async (tampering) => {
        await restore();
        await tampering.apply(database);
        await createPostgresAuditSink({ database, key, previousKeys: [earlier] }).append(makeRecords(2));
        expect((await verify()).intact, tampering.name).toBe(false);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it('AUD-6 finds a history that was cut off and written again, and a row restored from the old one', async () => {
    await database.execute(sql`delete from ${auditRecords} where sequence > 8`);
    await database.execute(
      sql`update ${auditChainHeads} set (sequence, mac) =
        (select sequence, mac from ${auditRecords} where sequence = 8)`,
    );
    await createPostgresAuditSink({ database, key, previousKeys: [earlier] }).append(makeRecords(10));
    const anew = await verify();
    expect(anew.findings).toMatchObject([{ kind: 'replaced', sequence: 6, lastSequence: LOG_ROWS }]);
    expect((await verify({ checkpoints: [] })).intact).toBe(true);

    await database.execute(sql`delete from ${auditRecords} where sequence = 11`);
    await database.execute(sql`insert into ${auditRecords} select * from kept_records where sequence = 11`);
    expect((await verify({ checkpoints: [] })).findings).toMatchObject([
      { kind: 'replaced', sequence: 11 },
      { kind: 'replaced', sequence: 12 },
    ]);
  });

  it('AUD-6 finds forged checkpoints and those of another key', async () => {
    const [genuine] = checkpoints as [Checkpoint];
    const stranger = await signCheckpoint(genuine, makeCheckpointKey());
    const note = genuine.note.replace('kind progress', 'kind cut');
    const forged = [{ ...genuine, note }, stranger];
    const result = await verify({ checkpoints: [...checkpoints, ...forged] });
    expect(result.findings.map(({ kind }) => kind)).toEqual(forged.map(() => 'checkpoint'));
    expect(result.checkpoints).toBe(2);
  });

  it('AUD-6 finds every row of a key that is not given, and says so', async () => {
    const result = await verify({ previousKeys: [], checkpoints: [] });
    expect(result.findings).toHaveLength(5);
    expect(result.findings[0]?.detail).toContain('key that is not given');
  });

  it('AUD-6 a log passes at any moment while it is written', async () => {
    const sinks = opened.nodes.map((node) =>
      createPostgresAuditSink({ database: node, key, previousKeys: [earlier], timeoutMillis: 15_000 }),
    );
    let writing = true;
    const work = sinks.map(async (sink) => {
      while (writing) await sink.append([makeRecord()]);
    });
    for (let turn = 0; turn < 8; turn += 1) expect((await verify()).findings).toEqual([]);
    writing = false;
    await Promise.all(work);
  });

  it('AUD-6 an empty log passes, unless a checkpoint covers rows', async () => {
    await database.execute(sql`truncate ${auditRecords}, ${auditChainHeads}`);
    expect(await verify({ checkpoints: [] })).toMatchObject({ intact: true, rows: 0, lastSequence: 0 });
    expect((await verify()).findings).toMatchObject([{ kind: 'truncated', sequence: 1, lastSequence: LOG_ROWS }]);
  });

  it('names every bad option at once', async () => {
    await expect(verifyAuditLog({ database: {}, key: {} } as never)).rejects.toThrow(
      /\n- database must .*\n- key\.id is required: .*\n- key\.secret is required: /,
    );
  });
});
