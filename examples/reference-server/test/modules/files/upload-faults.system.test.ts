import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../../../scripts/test-needs.js';
import type { App } from '../../../src/app.js';
import { storageRefusal } from '../../../src/modules/files/errors.js';
import { fileContents, storedFiles } from '../../../src/storage/schema.js';
import { type Actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { type ObjectStore, openObjectStore } from './object-store.js';
import { beginUpload } from './raw-upload.js';
import { filesBelow, stored, textFile, upload } from './uploads.js';

const FULL_BYTES = 2 * 1024 * 1024;

const patiently = { timeout: 15_000 };

/** A file system of 2 MB, if this process may create one: as root on Linux. */
function mountSmall(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${FULL_BYTES}`, 'tmpfs', folder]).status === 0;
}

describe('uploads under faults', () => {
  let bench: TestBench;
  beforeAll(async () => {
    // Connections to PostgreSQL are descriptors, too.
    bench = await openTestBench('embedded');
  });
  afterEach(async () => {
    await bench.database.orm.delete(storedFiles);
  });
  afterAll(() => bench.close());

  const rows = () => bench.database.orm.select().from(storedFiles);

  async function started(environment: Record<string, string> = {}): Promise<{ app: App; admin: Actor }> {
    const app = await bench.app({ ...roomy, ...environment });
    return { app, admin: await root(app) };
  }

  describe('a client that disconnects', () => {
    /** The open descriptors of this process, below the folder and in total; zero if the system does not report them. */
    function descriptors(folder: string): { readonly ofFiles: number; readonly all: number } {
      if (!existsSync('/proc/self/fd')) return { ofFiles: 0, all: 0 };
      const targets = readdirSync('/proc/self/fd').map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return '';
        }
      });
      return { ofFiles: targets.filter((target) => target.startsWith(folder)).length, all: targets.length };
    }

    it('UP-13 UPL-8 200 uploads aborted in the middle leave no file, no row, no descriptor', async () => {
      const { app, admin } = await started();
      const origin = await app.listen({ host: '127.0.0.1', port: 0 });
      const folder = join(bench.folder, 'files');
      const before = descriptors(folder);
      for (let round = 0; round < 4; round += 1) {
        const file = textFile(200_000);
        const sockets = await Promise.all(
          Array.from({ length: 50 }, () => beginUpload(origin, { authorization: admin.headers.authorization }, file)),
        );
        await expect.poll(() => filesBelow(folder), patiently).toHaveLength(50);
        for (const socket of sockets) socket.destroy();
        await expect.poll(() => filesBelow(folder), patiently).toEqual([]);
      }
      await expect.poll(() => descriptors(folder).ofFiles, patiently).toBe(0);
      await expect.poll(() => descriptors(folder).all <= before.all, patiently).toBe(true);
      expect(await rows()).toEqual([]);
      expect((await upload(app, admin.headers, textFile(10))).statusCode).toBe(201);
      await admin.call('DELETE', `/admin/storage/files/${(await rows())[0]?.id}`);
    });

    it('UPL-7 downloads aborted in the middle leave no descriptor', async () => {
      const { app, admin } = await started();
      const origin = await app.listen({ host: '127.0.0.1', port: 0 });
      const id = await stored(app, admin.headers, textFile(8_000_000));
      const folder = join(bench.folder, 'files');
      for (let i = 0; i < 20; i += 1) {
        const downloading = get(`${origin}/admin/storage/files/${id}/content`, {
          headers: admin.headers,
          agent: false,
        });
        const [response] = (await once(downloading, 'response')) as [IncomingMessage];
        expect(response.statusCode).toBe(200);
        response.destroy();
      }
      await expect.poll(() => descriptors(folder).ofFiles, patiently).toBe(0);
      await admin.call('DELETE', `/admin/storage/files/${id}`);
    });
  });

  describe('a full disk', () => {
    it.each(['ENOSPC', 'EDQUOT'])('REL-7 UP-14 %s is STORAGE_FULL, however it is wrapped', (code) => {
      const reason = Object.assign(new Error('no room'), { code });
      expect(storageRefusal(reason)).toMatchObject({ code: 'STORAGE_FULL', statusCode: 507, cause: reason });
      const other = Object.assign(new Error('broken'), { code: 'EIO' });
      expect(storageRefusal(other)).toMatchObject({ code: 'STORAGE_UNAVAILABLE', statusCode: 503, cause: other });
    });

    it.skipIf(lacks('mount-rights'))(
      'REL-7 UP-14 on a file system of 2 MB a file that fits is stored, a larger one is refused and leaves nothing, and freed space is used',
      async () => {
        const folder = await mkdtemp(join(tmpdir(), 'sallyport-full-'));
        expect(mountSmall(folder)).toBe(true);
        try {
          const { app, admin } = await started({ SERVICE_STORAGE_DIR: folder });
          const filler = join(folder, 'filler');
          await writeFile(filler, Buffer.alloc(FULL_BYTES - 400_000));
          const small = await stored(app, admin.headers, textFile(100_000));

          const origin = await app.listen({ host: '127.0.0.1', port: 0 });
          const form = new FormData();
          const file = textFile(1_000_000);
          form.append('file', new Blob([file.content as Buffer<ArrayBuffer>], { type: file.type }), file.name);
          const refused = await fetch(`${origin}/admin/storage/files`, {
            method: 'POST',
            headers: { authorization: admin.headers.authorization, 'accept-language': 'en' },
            body: form,
          });
          expect([refused.status, await refused.json()]).toEqual([
            507,
            expect.objectContaining({ code: 'STORAGE_FULL', detail: 'There is no room for the file at the moment.' }),
          ]);
          expect((await rows()).map(({ id }) => id)).toEqual([small]);
          expect((await filesBelow(folder)).filter((name) => name !== 'filler')).toHaveLength(1);

          await rm(filler);
          const large = await stored(app, admin.headers, file);
          for (const id of [small, large]) await admin.call('DELETE', `/admin/storage/files/${id}`);
          expect(await filesBelow(folder)).toEqual([]);
          await app.close();
        } finally {
          spawnSync('umount', [folder]);
          await rm(folder, { recursive: true, force: true });
        }
      },
    );
  });

  describe('an object store', () => {
    let objects: ObjectStore;
    beforeAll(async () => {
      objects = await openObjectStore();
    });
    afterAll(() => objects.close());

    it('UPL-9 keeps contents until they are deleted, and serves them whole and in parts', async () => {
      const { app, admin } = await started({ ...objects.environment, SERVICE_STORAGE_DIR: join(bench.folder, 's3') });
      const file = textFile(500_000);
      const id = await stored(app, admin.headers, file);
      expect(await objects.keys()).toHaveLength(1);
      expect(await filesBelow(join(bench.folder, 's3'))).toEqual([]);
      const url = `/admin/storage/files/${id}/content`;
      expect((await app.inject({ url, headers: admin.headers })).rawPayload.equals(file.content)).toBe(true);
      const part = await app.inject({ url, headers: { ...admin.headers, range: 'bytes=10-19' } });
      expect([part.statusCode, part.rawPayload.equals(file.content.subarray(10, 20))]).toEqual([206, true]);
      await admin.call('DELETE', `/admin/storage/files/${id}`);
      expect(await objects.keys()).toEqual([]);
    });

    it('UPL-8 while it is unavailable uploads and contents are 503 and nothing is lost; remains are swept when it is back', async () => {
      const folder = join(bench.folder, 's3');
      const { app, admin } = await started({ ...objects.environment, SERVICE_STORAGE_DIR: folder });
      const id = await stored(app, admin.headers, textFile(1000));
      const gone = await stored(app, admin.headers, textFile(1000));
      const key = randomUUID();
      const headers = { ...admin.headers, 'idempotency-key': key };
      const file = textFile(1000);
      await objects.stop();
      for (let i = 0; i < 2; i += 1) {
        expect((await upload(app, headers, file)).json()).toMatchObject({ status: 503, code: 'STORAGE_UNAVAILABLE' });
      }
      expect((await admin.call('GET', `/admin/storage/files/${id}/content`)).json()).toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
        retryAfterSeconds: 5,
      });
      expect((await admin.call('DELETE', `/admin/storage/files/${gone}`)).statusCode).toBe(204);
      const listed = (await admin.call('GET', '/admin/storage/files')).json().data;
      expect(listed.map((entry: { id: string }) => entry.id)).toEqual([id]);
      expect(await filesBelow(folder)).toEqual([]);

      await objects.restart();
      expect((await upload(app, headers, file)).statusCode).toBe(201);
      await app.storedFiles.sweep({ arrivingMillis: 0, abandonedMillis: 0 });
      expect((await rows()).map(({ state }) => state)).toEqual(['stored', 'stored']);
      expect(await bench.database.orm.select().from(fileContents)).toEqual([]);
      expect(await objects.keys()).toHaveLength(2);
      for (const row of await rows()) await admin.call('DELETE', `/admin/storage/files/${row.id}`);
    });
  });
});
