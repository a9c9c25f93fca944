import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { type App, buildApp } from '../../../src/app.js';
import { readConfig } from '../../../src/config/config.js';
import { type Actor, roomy, root } from '../../support/accounts.js';
import { filesBelow, stored, textFile, upload } from './uploads.js';

/** Longer than a change may take before it is refused. */
const LOCKED_MILLIS = 2200;

/** Every table that an upload or a deletion writes, and those to which its record is moved later. */
const tables = [
  'stored_files',
  'file_contents',
  'idempotency_records',
  'audit_pending',
  'audit_records',
  'audit_chain_heads',
];

describe('uploads and deletions on PostgreSQL while a table is locked', () => {
  let database: TestDatabase;
  let folder: string;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-locks-'));
    const config = readConfig({
      SERVICE_PROFILE: 'development',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_AUDIT_CHAIN_KEY: `test:${randomBytes(32).toString('hex')}`,
      SERVICE_DATA_DIR: folder,
      SERVICE_DATABASE_URL: database.url,
      ...roomy,
    });
    app = await buildApp(config);
    admin = await root(app);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The targets of the records of successful operations. */
  async function recorded(action: string): Promise<unknown[]> {
    const query = `action=${action}&outcome=success&size=200`;
    const { data } = (await admin.call('GET', `/admin/audit-records?${query}`)).json();
    return data.map(({ target }: { target: unknown }) => target).sort();
  }

  async function filesInTable(): Promise<string[]> {
    const rows = await database.connect({ max: 1 }).$client`select id from stored_files order by id`;
    return rows.map(({ id }) => String(id));
  }

  it.each(tables)(
    'AUD-8 IDM-11 %s: nothing takes effect without its record, and a retry is answered',
    async (table) => {
      const client = database.connect({ max: 1 }).$client;
      const doomed = await stored(app, admin.headers, textFile(100));
      const [key, file] = [randomUUID(), textFile(100)];
      const headers = { ...admin.headers, 'idempotency-key': key };
      const remove = () => admin.call('DELETE', `/admin/storage/files/${doomed}`);

      const unlocked = client.begin(async (transaction) => {
        await transaction.unsafe(`lock table ${table} in access exclusive mode`);
        await sleep(LOCKED_MILLIS);
      });
      await sleep(50);
      const during = await Promise.all([upload(app, headers, file), remove()]);
      for (const { statusCode } of during) expect([201, 204, 503]).toContain(statusCode);
      await unlocked;

      // A retry says what became of the first attempt.
      const codeOf = async () => {
        const answer = await upload(app, headers, file);
        return answer.statusCode === 201 ? 'stored' : answer.json().code;
      };
      await expect.poll(codeOf, { timeout: 15_000, interval: 200 }).toBe('IDEMPOTENCY_SUBMITTED');
      await expect.poll(async () => (await remove()).statusCode, { timeout: 15_000, interval: 200 }).toBe(404);

      const files = await filesInTable();
      expect(files).not.toContain(doomed);
      await expect.poll(() => recorded('file.delete'), { timeout: 15_000 }).toContain(doomed);
      const deleted = await recorded('file.delete');
      await expect
        .poll(async () => (await recorded('file.upload')).filter((id) => !deleted.includes(id)), { timeout: 15_000 })
        .toEqual(files);
      // A request that was refused may have announced a content and published none: a sweep forgets it later.
      const contents = await filesBelow(join(folder, 'files'));
      const keysOf = async (from: string) =>
        (await client.unsafe(`select storage_key from ${from}`)).map((row) => basename(String(row.storage_key)));
      const kept = await keysOf('stored_files');
      expect(contents).toEqual(expect.arrayContaining(kept));
      expect([...kept, ...(await keysOf('file_contents'))]).toEqual(expect.arrayContaining(contents));
    },
  );
});
