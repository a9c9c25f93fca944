import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCheckpointKey, parseCheckpointKey } from '@sallyport/audit-log/postgres';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signCheckpoint } from '../../../../../packages/audit-log/src/notes/index.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { type Actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

const PATH = '/admin/audit-records/verify';

describe('a verification with a checkpoint of the client', () => {
  const pair = generateCheckpointKey('kept/audit');
  let bench: TestBench;
  let folder: string;
  let admin: Actor;
  let note: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-given-'));
    bench = await openTestBench();
    const file = join(folder, 'checkpoints');
    const app = await bench.app({
      ...roomy,
      SERVICE_AUDIT_CHECKPOINT_FILE: file,
      SERVICE_AUDIT_CHECKPOINT_KEY: pair.privateKey,
    });
    admin = await root(app);
    // The checkpoint of the stop is kept by an auditor, and the file of the service is lost.
    await app.close();
    note = await readFile(file, 'utf8');
    const next = await bench.app({ ...roomy, SERVICE_AUDIT_CHECKPOINT_KEY: pair.privateKey });
    admin = await root(next);
  });
  afterAll(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A key that anybody has made, and what it signs. */
  const other = generateCheckpointKey('kept/audit');
  async function signedByOther(over: object): Promise<string> {
    const root = Buffer.alloc(32, 7).toString('base64');
    const content = { kind: 'progress', sequence: 1, root, frontier: [root], mac: null, at: new Date().toISOString() };
    const others = { before: null, since: null, gaps: [], ...over };
    return (await signCheckpoint({ ...content, ...others } as never, parseCheckpointKey(other.privateKey))).note;
  }

  const alarms = async () =>
    (
      await rowsOf<{ target: string }>(
        bench.database.orm,
        sql`select target from audit_records where action = 'security.audit-log-broken'`,
      )
    ).map(({ target }) => target);

  async function resultOf(payload: object) {
    const started = await admin.call('POST', PATH, payload);
    expect(started.statusCode, started.body).toBe(202);
    return vi.waitFor(async () => {
      const found = (await admin.call('GET', started.headers.location as string)).json().data;
      expect(found.state).toBe('finished');
      return found;
    });
  }

  it('CON-8 API-4: the note covers its rows, by the keys of the service or by the one that is given', async () => {
    expect(await resultOf({})).toMatchObject({ intact: true, coveredTo: 0, given: null });
    const rows = Number(note.split('\n')[1]);
    const given = { origin: 'kept/audit', sequence: rows, at: expect.any(String), ownKey: true };
    expect(await resultOf({ checkpoint: note })).toMatchObject({ intact: true, coveredTo: rows, given });
    const pasted = { checkpoint: ` ${note.replaceAll('\n', '\r\n')} `.trimStart(), publicKey: ` ${pair.publicKey}\n` };
    expect(await resultOf(pasted)).toMatchObject({ intact: true, coveredTo: rows, given });
  });

  it('CON-8 AUD-13: a note that anybody has signed is compared, and raises no alarm', async () => {
    const found = await resultOf({ checkpoint: await signedByOther({}), publicKey: other.publicKey });
    expect(found).toMatchObject({ intact: false, given: { origin: 'kept/audit', ownKey: false } });
    expect(await alarms()).toEqual([]);
  });

  it('CON-8: what is no note, or not signed with the key, is refused in words of both languages, and verifies nothing', async () => {
    const other = generateCheckpointKey('kept/audit').publicKey;
    const cut = `${note.split('\n\n')[0]}\n`;
    const bad = [
      [{ checkpoint: 'not a note' }, '/checkpoint', 'whole note'],
      [{ checkpoint: cut }, '/checkpoint', 'whole note'],
      [{ checkpoint: note, publicKey: other }, '/checkpoint', 'not signed with this key'],
      [{ checkpoint: note, publicKey: 'a key' }, '/publicKey', 'public key of checkpoints'],
      [{ checkpoint: 'x'.repeat(16_385) }, '/checkpoint', 'at most'],
      [{ checkpoint: note, more: 1 }, '/more', 'not an accepted'],
    ] as const;
    for (const [payload, pointer, words] of bad) {
      const answer = await admin.call('POST', PATH, payload);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().errors).toContainEqual({ pointer, detail: expect.stringContaining(words) });
    }
  });

  it('CON-8: rows that differ from those of the note are found, though the service lost its own checkpoints', async () => {
    await bench.database.orm.execute(sql`delete from audit_records where sequence = 1`);
    const found = await resultOf({ checkpoint: note, publicKey: pair.publicKey });
    expect(found.intact).toBe(false);
    expect(found.findings[0]).toMatchObject({ sequence: 1 });
  });

  it('CON-8 AUD-13: the key of a client proves no cut, and findings that the log has without its note raise the alarm', async () => {
    const cut = await signedByOther({ kind: 'cut', before: '2030-01-01T00:00:00.000Z' });
    const stored = JSON.stringify({ sequence: 1, note: cut });
    await bench.database.orm.execute(sql`update audit_chain_heads set cut = ${stored}::jsonb`);
    const { id, findings } = await resultOf({ checkpoint: await signedByOther({}), publicKey: other.publicKey });
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'head', sequence: 1 }));
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'deleted', sequence: 1 }));
    await vi.waitFor(async () => expect(await alarms()).toContain(id));
  });
});
