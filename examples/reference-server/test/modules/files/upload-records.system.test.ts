import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { fileContents, idempotencyRecords, storedFiles } from '../../../src/storage/schema.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { filesBelow, stored, textFile, upload } from './uploads.js';

describe('an upload, its audit record and the record of its key', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await bench.database.orm.delete(storedFiles);
    await bench.database.orm.delete(fileContents);
    await rm(folder(), { recursive: true, force: true });
    await mkdir(join(folder(), 'incoming'), { recursive: true });
  });
  afterAll(() => bench.close());

  const run = (statement: string) => bench.database.orm.execute(sql.raw(statement));
  const files = () => bench.database.orm.select().from(storedFiles);
  const folder = () => join(bench.folder, 'files');
  const keyed = (key: string) => ({ ...admin.headers, 'idempotency-key': key });
  const stateOf = async (key: string, by = admin) => (await by.call('GET', `/idempotency/${key}`)).json();
  async function recordsOf(action: string): Promise<Record<string, unknown>[]> {
    const { data } = (await admin.call('GET', `/admin/audit-records?action=${action}&size=200`)).json();
    return data;
  }

  it('AUD-8 AUD-1 an upload and a deletion have one record each, with what they changed', async () => {
    const file = textFile(10, 'recorded.txt');
    const id = await stored(app, admin.headers, file);
    await admin.call('DELETE', `/admin/storage/files/${id}`);
    const values = { fileName: 'recorded.txt', size: 10, sha256: expect.any(String), publicPreview: false };
    const uploads = (await recordsOf('file.upload')).filter(({ target }) => target === id);
    expect(uploads).toMatchObject([{ outcome: 'success', actor: `admin:${admin.id}`, parameters: { detail: values } }]);
    const deletions = (await recordsOf('file.delete')).filter(({ target }) => target === id);
    expect(deletions).toMatchObject([
      { outcome: 'success', parameters: { detail: { oldValue: values, newValue: null } } },
    ]);
  });

  it('AUD-8 while records cannot be written, an upload and a deletion are 503 and change nothing; then the same key works', async () => {
    const id = await stored(app, admin.headers, textFile(10));
    const key = randomUUID();
    const file = textFile(10);
    const before = await filesBelow(folder());
    await run('alter table audit_pending rename to pending_away');
    await run('alter table audit_records rename to records_away');
    try {
      expect((await upload(app, keyed(key), file)).statusCode).toBe(503);
      expect((await admin.call('DELETE', `/admin/storage/files/${id}`)).statusCode).toBe(503);
    } finally {
      await run('alter table pending_away rename to audit_pending');
      await run('alter table records_away rename to audit_records');
    }
    expect((await files()).map((row) => row.id)).toEqual([id]);
    expect(await filesBelow(folder())).toEqual(before);
    await expect.poll(async () => (await upload(app, keyed(key), file)).statusCode, { timeout: 15_000 }).toBe(201);
    const [, newer] = (await files()).sort((one, two) => one.id.localeCompare(two.id));
    expect((await recordsOf('file.upload')).some(({ target }) => target === newer?.id)).toBe(true);
    expect((await admin.call('DELETE', `/admin/storage/files/${id}`)).statusCode).toBe(204);
  });

  it('IDM-11 GET /idempotency/:key knows an upload while it runs and when it is stored, for its uploader only', async () => {
    const key = randomUUID();
    expect((await stateOf(key)).status).toBe(404);
    expect((await upload(app, keyed(key), textFile(10))).statusCode).toBe(201);
    const request = { method: 'POST', path: '/admin/storage/files', state: 'SUBMITTED' };
    expect((await stateOf(key)).data).toEqual({ state: 'SUBMITTED', requests: [request] });
    expect((await stateOf(key.toUpperCase())).data).toEqual({ state: 'SUBMITTED', requests: [request] });
    const other = await actor(app, admin, ['api:admin:storage:upload']);
    expect((await stateOf(key, other)).status).toBe(404);
  });

  it('IDM-11 IDM-6 a refused upload leaves its key unused', async () => {
    const key = randomUUID();
    expect((await upload(app, keyed(key), { ...textFile(10), name: 'x.exe' })).statusCode).toBe(415);
    expect((await stateOf(key)).status).toBe(404);
    expect((await upload(app, keyed(key), textFile(10))).statusCode).toBe(201);
  });

  it('IDM-11 UPL-8 the key of a dead upload is free after its lease: the retry is stored, the dead one cannot commit', async () => {
    const key = randomUUID();
    const file = textFile(1000);
    const other = await bench.app(roomy);
    // The process stands still after it has published the content.
    let goOn = () => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const insert = bench.database.orm.transaction.bind(bench.database.orm);
    let isFirst = true;
    vi.spyOn(bench.database.orm, 'transaction').mockImplementation(async (...args) => {
      const mine = isFirst && (await bench.database.orm.select().from(fileContents)).length > 0;
      if (mine) {
        isFirst = false;
        await paused;
      }
      return insert(...args) as never;
    });
    const first = upload(app, keyed(key), file).then((answer) => answer);
    await expect.poll(async () => isFirst, { timeout: 15_000 }).toBe(false);
    expect((await upload(other, keyed(key), file)).json()).toMatchObject({
      code: 'IDEMPOTENCY_PROCESSING',
      retryAfterSeconds: expect.any(Number),
    });
    expect((await stateOf(key)).data.state).toBe('PROCESSING');
    await bench.database.orm.update(idempotencyRecords).set({ leasedUntil: sql`now()` });
    expect((await upload(other, keyed(key), file)).statusCode).toBe(201);
    goOn();
    expect((await first).statusCode).toBeGreaterThanOrEqual(409);
    expect(await files()).toHaveLength(1);
    expect(await filesBelow(folder())).toContain((await files())[0]?.storageKey);
    await other.storedFiles.sweep({ arrivingMillis: 0, abandonedMillis: 0 });
    const contents = (await files()).map(({ storageKey }) => storageKey);
    expect(await filesBelow(folder())).toEqual(contents);
    expect((await stateOf(key)).data.state).toBe('SUBMITTED');
    await other.close();
  });

  it('AUD-8 UPL-8 an upload whose content a sweep took meanwhile is 503, and the same key is stored', async () => {
    const key = randomUUID();
    const file = textFile(1000);
    const transaction = bench.database.orm.transaction.bind(bench.database.orm);
    const spy = vi.spyOn(bench.database.orm, 'transaction').mockImplementation(async (...args) => {
      if ((await bench.database.orm.select().from(fileContents)).length === 0) return transaction(...args) as never;
      spy.mockRestore();
      await run("update file_contents set changed_at = now() - interval '2 minutes'");
      await app.storedFiles.sweep();
      return transaction(...args) as never;
    });
    expect((await upload(app, keyed(key), file)).json()).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await files()).toEqual([]);
    expect((await upload(app, keyed(key), file)).statusCode).toBe(201);
    expect(await filesBelow(folder())).toEqual((await files()).map(({ storageKey }) => storageKey));
  });
});
