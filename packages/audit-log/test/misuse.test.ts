import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { createAuditRecord, createRecordIds } from '../src/index.js';
import {
  createAuditedChanges,
  createAuditReader,
  createAuditSettlement,
  createAuditTables,
  createFileCheckpoint,
  createPostgresAuditSink,
  defineAuditRecords,
  generateCheckpointKey,
  NothingToVerifyError,
  parseCheckpointKey,
  readCheckpointFile,
  verifyAuditLog,
} from '../src/postgres.js';

/** What other teams got wrong, and were not told. */
describe('mistakes', () => {
  const key = { id: 'k', secret: randomBytes(32) };
  const checkpointKey = parseCheckpointKey(generateCheckpointKey('test/audit').privateKey);
  const publicKeys = [checkpointKey.publicKey];
  let database: PgliteDatabase;
  let close: () => Promise<void>;
  let folder: string;
  beforeAll(async () => {
    const client = await openTestEmbedded();
    database = drizzle(client);
    close = () => client.close();
    folder = await mkdtemp(join(tmpdir(), 'audit-misuse-'));
    await createAuditTables(database);
    const checkpoint = createFileCheckpoint(join(folder, 'notes'));
    const sink = createPostgresAuditSink({ database, key, checkpointKey, checkpoint });
    const nextId = createRecordIds(Date.now);
    for (let count = 0; count < 3; count += 1)
      await sink.append([createAuditRecord({ action: 'thing.create' }, { id: nextId(), occurredAt: Date.now() })]);
    await sink.close();
  });
  afterAll(async () => {
    await close();
    await rm(folder, { recursive: true });
  });

  it('AUD-12 a public key without a genuine checkpoint verifies nothing, and says so', async () => {
    await expect(verifyAuditLog({ database, publicKeys })).rejects.toThrow(NothingToVerifyError);
    await writeFile(join(folder, 'emptied'), '');
    const checkpoints = readCheckpointFile(join(folder, 'emptied'));
    await expect(verifyAuditLog({ database, publicKeys, checkpoints })).rejects.toThrow(NothingToVerifyError);
  });

  it('AUD-12 the checkpoints of a file are read anew each time', async () => {
    const checkpoints = readCheckpointFile(join(folder, 'notes'));
    for (let time = 0; time < 2; time += 1)
      expect(await verifyAuditLog({ database, publicKeys, checkpoints })).toMatchObject({ intact: true, coveredTo: 3 });
  });

  it('AUD-5 a misspelt filter is refused, since it would select every record', async () => {
    const reader = createAuditReader({ database });
    await expect(reader.search({ actorr: 'x' } as never)).rejects.toThrow(
      'filter.actorr is not an option; did you mean',
    );
    await expect(reader.export({ ipp: 'x' } as never).next()).rejects.toThrow(/ipp/);
  });

  it('AUD-8 ADP-1 a change with an unknown member or without an action is refused, and an empty window of settlement', async () => {
    const sink = createPostgresAuditSink({ database, key });
    const { change } = createAuditedChanges({ database, sink });
    await expect(change({ evnt: { action: 'a.b' } } as never, async () => {})).rejects.toThrow(
      'evnt is not an option; did you mean',
    );
    for (const action of ['', 5, undefined])
      await expect(change({ event: { action } } as never, async () => {})).rejects.toThrow('event.action must be');
    const window = { olderThanSeconds: 500, youngerThanSeconds: 100 };
    expect(() => createAuditSettlement({ database, sink, findOutcome: async () => null, ...window })).toThrow(
      'olderThanSeconds must be less than youngerThanSeconds',
    );
    const table = defineAuditRecords('own_records');
    expect(() => createAuditSettlement({ database, sink, findOutcome: async () => null, table })).toThrow(
      'table and pending must be given together',
    );
    await sink.close();
  });
});
