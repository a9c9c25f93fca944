import { randomBytes } from 'node:crypto';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { createContentLedger } from '../../../src/storage/content-ledger.js';
import { fileContents, storedFiles } from '../../../src/storage/schema.js';
import { type Actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { filesBelow, stored, textFile, upload } from './uploads.js';

const newKey = () => randomBytes(16).toString('hex');
const event = { action: 'test.change', actor: null };
const AT_ONCE = { arrivingMillis: 0, abandonedMillis: 0 };

describe('the ledger of contents', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let folder: string;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
    folder = join(bench.folder, 'files');
  });
  afterEach(async () => {
    await bench.database.orm.delete(storedFiles);
    await bench.database.orm.delete(fileContents);
    await rm(folder, { recursive: true, force: true });
    await mkdir(join(folder, 'incoming'), { recursive: true });
  });
  afterAll(() => bench.close());

  const ledgerOf = () => createContentLedger(bench.database);
  const run = (statement: string) => bench.database.orm.execute(sql.raw(statement));
  const files = () => bench.database.orm.select().from(storedFiles);
  const noted = async () =>
    Object.fromEntries(
      (await bench.database.orm.select().from(fileContents)).map((row) => [row.storageKey, row.state]),
    );
  const placeOf = (key: string) => join(folder, key.slice(0, 2), key);

  /** Publishes a content as an upload does. */
  async function publish(key: string): Promise<void> {
    await mkdir(dirname(placeOf(key)), { recursive: true });
    await writeFile(placeOf(key), 'content');
  }

  it('UPL-8 an upload that is done, refused or deleted leaves no row in it', async () => {
    const id = await stored(app, admin.headers, textFile(10));
    expect(await noted()).toEqual({});
    expect((await upload(app, admin.headers, { ...textFile(10), name: 'x.exe' })).statusCode).toBe(415);
    expect((await admin.call('DELETE', `/admin/storage/files/${id}`)).statusCode).toBe(204);
    expect([await noted(), await files(), await filesBelow(folder)]).toEqual([{}, [], []]);
  });

  it('UPL-8 IDM-11 the sweep takes what a crash left once its lease has run out, and nothing that is stored or arriving', async () => {
    const kept = await stored(app, admin.headers, textFile(10));
    const [crashed, arriving] = [newKey(), newKey()];
    for (const key of [crashed, arriving]) {
      await ledgerOf().announce(key);
      await publish(key);
    }
    await app.storedFiles.sweep();
    expect(await filesBelow(folder)).toHaveLength(3);
    await run("update file_contents set changed_at = now() - interval '61 seconds'");
    await ledgerOf().renew(arriving);
    await app.storedFiles.sweep();
    expect(await noted()).toEqual({ [arriving]: 'arriving', [crashed]: 'abandoned' });
    expect(await filesBelow(folder)).not.toContain(crashed);
    expect(await filesBelow(folder)).toHaveLength(2);
    // A write that the storage completes late is removed by a later sweep.
    await publish(crashed);
    await app.storedFiles.sweep();
    expect(await filesBelow(folder)).toHaveLength(3);
    await run("update file_contents set changed_at = now() - interval '61 minutes' where state = 'abandoned'");
    await app.storedFiles.sweep();
    expect(await noted()).toEqual({ [arriving]: 'arriving' });
    expect(await filesBelow(folder)).toHaveLength(2);
    expect((await admin.call('GET', `/admin/storage/files/${kept}/content`)).statusCode).toBe(200);
  });

  it('UPL-8 content that cannot be removed does not stop the sweep', async () => {
    const keys = [newKey(), newKey()].sort() as [string, string];
    for (const key of keys) {
      await publish(key);
      await bench.changes.change({ event }, (transaction) => ledgerOf().discardWithin(transaction, key));
    }
    await rm(placeOf(keys[0]));
    await mkdir(placeOf(keys[0]));
    await app.storedFiles.sweep();
    expect(await noted()).toEqual({ [keys[0]]: 'removed' });
    expect(await filesBelow(folder)).toEqual([]);
    await rmdir(placeOf(keys[0]));
    await app.storedFiles.sweep();
    expect(await noted()).toEqual({});
  });

  it('AUD-8 a content that a sweep took cannot become a file, and one that became a file cannot be abandoned', async () => {
    const [swept, kept] = [newKey(), newKey()];
    for (const key of [swept, kept]) await ledgerOf().announce(key);
    await bench.changes.change({ event }, (transaction) => ledgerOf().keepWithin(transaction, kept));
    expect(await ledgerOf().abandonOld(AT_ONCE)).toEqual([swept]);
    const keeping = bench.changes.change({ event }, (transaction) => ledgerOf().keepWithin(transaction, swept));
    await expect(keeping).rejects.toThrow('a sweep took the content');
    expect(await ledgerOf().abandon(kept)).toBe(false);
    expect(await ledgerOf().abandon(swept)).toBe(true);
  });

  it('AUD-8 a change that is rolled back keeps nothing: the content is still arriving', async () => {
    const key = newKey();
    await ledgerOf().announce(key);
    const failing = bench.changes.change({ event }, async (transaction) => {
      await ledgerOf().keepWithin(transaction, key);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await noted()).toEqual({ [key]: 'arriving' });
    expect(await ledgerOf().abandon(key)).toBe(true);
  });

  describe('OPS-5 rows of an earlier release', () => {
    async function earlier(state: 'pending' | 'removed' | 'stored', age: string) {
      const [id, key] = [crypto.randomUUID(), newKey()];
      await run(`insert into stored_files
        (id, state, storage_key, display_name, extension, media_type, size, sha256, public_preview, created_by, created_at)
        values ('${id}', '${state}', '${key}', 'a.txt', 'txt', 'text/plain', 10, '${newKey()}', false, '${admin.id}',
          now() - interval '${age}')`);
      await publish(key);
      return { id, key };
    }

    it('OPS-5 UPL-8 what it left of uploads and deletions is swept, and what its nodes still write is not', async () => {
      const [dead, live, removed, kept] = [
        await earlier('pending', '61 minutes'),
        await earlier('pending', '1 minute'),
        await earlier('removed', '1 minute'),
        await earlier('stored', '1 year'),
      ];
      await app.storedFiles.sweep();
      expect((await files()).map(({ id }) => id).sort()).toEqual([live.id, kept.id].sort());
      expect((await filesBelow(folder)).sort()).toEqual([live.key, kept.key].sort());
      expect(await noted()).toEqual({});
      const { data } = (await admin.call('GET', '/admin/storage/files')).json();
      expect(data).toMatchObject([{ id: kept.id, createdByAudience: 'admin' }]);
      for (const { id } of [dead, live, removed]) {
        expect((await admin.call('GET', `/admin/storage/files/${id}/content`)).statusCode).toBe(404);
      }
    });

    it('OPS-5 IDM-3 the retry of an upload that it stored is SUBMITTED, with other content a mismatch, and leaves nothing', async () => {
      const key = crypto.randomUUID();
      const headers = { ...admin.headers, 'idempotency-key': key };
      const file = textFile(10, 'a.txt');
      const id = await stored(app, headers, file);
      await run('delete from idempotency_records');
      const contents = await filesBelow(folder);
      expect((await upload(app, headers, file)).json()).toMatchObject({ code: 'IDEMPOTENCY_SUBMITTED' });
      expect((await upload(app, headers, textFile(10))).json()).toMatchObject({ code: 'IDEMPOTENCY_DIGEST_MISMATCH' });
      await run(`update stored_files set state = 'pending' where id = '${id}'`);
      expect((await upload(app, headers, file)).json()).toMatchObject({ code: 'IDEMPOTENCY_PROCESSING' });
      expect(await filesBelow(folder)).toEqual(contents);
      expect(Object.values(await noted())).toEqual(['abandoned', 'abandoned', 'abandoned']);
    });
  });
});
