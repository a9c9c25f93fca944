import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { storedFiles } from '../../../src/storage/schema.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { formWith } from './multipart.js';
import { filesBelow, png, setParameter, stored, textFile, upload } from './uploads.js';

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('stored files', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    const { data } = (await admin.call('GET', '/admin/storage/files?size=200')).json();
    for (const { id } of data) await admin.call('DELETE', `/admin/storage/files/${id}`);
  });

  const contents = () => filesBelow(join(bench.folder, 'files'));
  const content = (id: string) => app.inject({ url: `/admin/storage/files/${id}/content`, headers: admin.headers });

  it('UPL-9 a file is uploaded, listed, read and deleted', async () => {
    const response = await upload(app, admin.headers, png);
    expect(response.statusCode).toBe(201);
    const { data } = response.json();
    expect(data).toEqual({
      id: expect.any(String),
      fileName: 'pixel.png',
      extension: 'png',
      mediaType: 'image/png',
      size: png.content.length,
      sha256: sha256(png.content),
      publicPreview: false,
      createdBy: admin.id,
      createdByAudience: 'admin',
      createdAt: expect.any(Number),
    });
    const list = (await admin.call('GET', '/admin/storage/files')).json();
    expect(list).toMatchObject({ data: [data], page: { number: 1, size: 20, total: 1, next: null } });
    const read = await content(data.id);
    expect([read.statusCode, read.rawPayload.equals(png.content)]).toEqual([200, true]);
    expect((await admin.call('DELETE', `/admin/storage/files/${data.id}`)).statusCode).toBe(204);
    expect((await content(data.id)).json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await admin.call('DELETE', `/admin/storage/files/${data.id}`)).statusCode).toBe(404);
    expect((await admin.call('GET', '/admin/storage/files')).json().data).toEqual([]);
    expect(await contents()).toEqual([]);
    expect(await bench.database.orm.select().from(storedFiles)).toEqual([]);
  });

  it('UPL-9 HTTP-1 the list is paged, newest first', async () => {
    const names = ['a.txt', 'b.txt', 'c.txt'];
    for (const name of names) await stored(app, admin.headers, textFile(10, name));
    const page = async (query: string) => {
      const { data, page } = (await admin.call('GET', `/admin/storage/files?${query}`)).json();
      return [data.map(({ fileName }: { fileName: string }) => fileName), page.total];
    };
    expect(await page('size=2')).toEqual([['c.txt', 'b.txt'], 3]);
    expect(await page('size=2&page=2')).toEqual([['a.txt'], 3]);
  });

  it('UPL-9 TOK-8 each endpoint needs its own permission', async () => {
    const id = await stored(app, admin.headers, png);
    const requests = {
      upload: async (by: Actor) => upload(app, by.headers, png),
      list: async (by: Actor) => by.call('GET', '/admin/storage/files'),
      read: async (by: Actor) => by.call('GET', `/admin/storage/files/${id}/content`),
      download: async (by: Actor) => by.call('POST', '/auth/tickets', { purpose: 'storage:download', resource: id }),
      delete: async (by: Actor) => by.call('DELETE', `/admin/storage/files/${id}`),
    };
    for (const right of Object.keys(requests)) {
      const holder = await actor(app, admin, [`api:admin:storage:${right}`]);
      for (const [name, request] of Object.entries(requests)) {
        const { statusCode } = await request(holder);
        expect([right, name, statusCode < 300]).toEqual([right, name, name === right]);
      }
    }
  });

  it('UP-23 an upload without a token or permission is refused before its body is read', async () => {
    const reader = await actor(app, admin, ['api:admin:storage:list']);
    for (const [headers, status] of [
      [{}, 401],
      [reader.headers, 403],
    ] as const) {
      let isRead = false;
      const payload = new Readable({
        read() {
          isRead = true;
          this.push(null);
        },
      });
      const response = await app.inject({
        method: 'POST',
        url: '/admin/storage/files',
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
        payload,
      });
      expect([response.statusCode, isRead]).toEqual([status, false]);
    }
  });

  it('UPL-2 UPL-3 UPL-8 a refused upload leaves neither a row nor a byte', async () => {
    const refused = [
      [{ ...png, content: new Uint8Array() }, 400, 'UPLOAD_EMPTY'],
      [textFile(10 * 1024 * 1024 + 1), 413, 'UPLOAD_TOO_LARGE'],
      [{ ...png, name: 'pixel.exe' }, 415, 'UPLOAD_TYPE_REFUSED'],
      [{ ...png, name: 'pixel.jpg', type: 'image/jpeg' }, 415, 'UPLOAD_TYPE_REFUSED'],
    ] as const;
    for (const [file, status, code] of refused) {
      const response = await upload(app, admin.headers, file);
      expect(response.json()).toMatchObject({ status, code, errors: [{ pointer: '/file' }] });
      expect(response.json().detail).not.toBe('');
    }
    const body = { method: 'POST', url: '/admin/storage/files', headers: admin.headers } as const;
    expect((await app.inject({ ...body, payload: { file: 'x' } })).statusCode).toBeGreaterThanOrEqual(400);
    expect(await contents()).toEqual([]);
    expect(await bench.database.orm.select().from(storedFiles)).toEqual([]);
  });

  it('UPL-8 a file exists only after its final verdict: during the upload it is neither listed nor swept', async () => {
    const { headers, payload } = formWith(textFile(100_000));
    let sendRest = () => {};
    const rest = new Promise<void>((resolve) => {
      sendRest = resolve;
    });
    async function* slowly() {
      yield payload.subarray(0, 50_000);
      await rest;
      yield payload.subarray(50_000);
    }
    const uploading = app.inject({
      method: 'POST',
      url: '/admin/storage/files',
      headers: { ...admin.headers, ...headers },
      payload: Readable.from(slowly()),
    });
    // Injected requests start when they are awaited.
    const answered = uploading.then((response) => response);
    await expect.poll(contents, { timeout: 10_000 }).toHaveLength(1);
    expect((await admin.call('GET', '/admin/storage/files')).json().data).toEqual([]);
    expect(await bench.database.orm.select().from(storedFiles)).toEqual([]);
    await app.storedFiles.sweep();
    sendRest();
    expect((await answered).statusCode).toBe(201);
    expect((await admin.call('GET', '/admin/storage/files')).json().data).toHaveLength(1);
  });

  it('UP-19 UPL-7 two uploads with the same name are two files, stored under names that the server chooses', async () => {
    const other = await actor(app, admin, ['api:admin:storage:upload']);
    const files = [textFile(50), textFile(50)] as const;
    const ids = [await stored(app, admin.headers, files[0]), await stored(app, other.headers, files[1])];
    const read = await Promise.all(ids.map(async (id) => sha256((await content(id)).rawPayload)));
    expect(read).toEqual(files.map((file) => sha256(file.content)));
    const names = await contents();
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/);
  });

  it('UPL-7 paths, control characters and direction marks are removed from names, in the list and in the header', async () => {
    const id = await stored(app, admin.headers, { ...png, name: '../../etc/ev\u202eil\u0007.png' });
    const [{ fileName }] = (await admin.call('GET', '/admin/storage/files')).json().data;
    expect(fileName).toBe('evil.png');
    expect((await content(id)).headers['content-disposition']).toBe('attachment; filename="evil.png"');
  });

  it('UPL-9 HTTP-4 the form takes one field beside its file, and any other field is refused', async () => {
    for (const fields of [{ other: 'x' }, { publicPreview: 'yes' }] as Record<string, string>[]) {
      const response = await upload(app, admin.headers, png, fields);
      expect(response.json()).toMatchObject({ status: 400, code: 'UPLOAD_MALFORMED' });
    }
    expect(await contents()).toEqual([]);
  });

  it('UPL-1 a changed parameter applies to the next upload', async () => {
    const key = 'admin.storage.upload.max-size-mb';
    const large = textFile(1024 * 1024 + 1);
    await setParameter(app, admin.headers, key, 1);
    expect((await upload(app, admin.headers, large)).json()).toMatchObject({ code: 'UPLOAD_TOO_LARGE' });
    await setParameter(app, admin.headers, key, 2);
    expect((await upload(app, admin.headers, large)).statusCode).toBe(201);
    await setParameter(app, admin.headers, key, 10);
  });

  it('UPL-9 IDM-3 one upload for each Idempotency-Key is stored: the same again is SUBMITTED, a different one a mismatch', async () => {
    const headers = { ...admin.headers, 'idempotency-key': randomUUID() };
    const file = textFile(100);
    expect((await upload(app, headers, file)).statusCode).toBe(201);
    expect((await upload(app, headers, file)).json()).toMatchObject({ status: 409, code: 'IDEMPOTENCY_SUBMITTED' });
    for (const other of [textFile(100), { ...file, name: 'other.txt' }]) {
      expect((await upload(app, headers, other)).json()).toMatchObject({
        status: 422,
        code: 'IDEMPOTENCY_DIGEST_MISMATCH',
      });
    }
    const ofAnother = await actor(app, admin, ['api:admin:storage:upload']);
    expect((await upload(app, { ...headers, ...ofAnother.headers }, file)).statusCode).toBe(201);
    const bad = await upload(app, { ...admin.headers, 'idempotency-key': 'x' }, file);
    expect(bad.json()).toMatchObject({ status: 400, code: 'IDEMPOTENCY_KEY_INVALID' });
    expect(await contents()).toHaveLength(2);
  });

  it('UPL-9 IDM-3 exactly one of many parallel uploads with the same key is stored; a late retry does not bring it back', async () => {
    const headers = { ...admin.headers, 'idempotency-key': randomUUID() };
    const file = textFile(1000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => upload(app, headers, file)));
    const accepted = answers.filter(({ statusCode }) => statusCode === 201);
    expect(accepted).toHaveLength(1);
    for (const answer of answers) {
      if (answer !== accepted[0]) expect(answer.json().code).toMatch(/^IDEMPOTENCY_(?:PROCESSING|SUBMITTED)$/);
    }
    expect(await contents()).toHaveLength(1);
    await admin.call('DELETE', `/admin/storage/files/${accepted[0]?.json().data.id}`);
    expect((await upload(app, headers, file)).json()).toMatchObject({ code: 'IDEMPOTENCY_SUBMITTED' });
    expect(await contents()).toEqual([]);
    expect((await upload(app, { ...headers, 'idempotency-key': randomUUID() }, file)).statusCode).toBe(201);
  });

  it('UPL-9 IDM-6 a refused upload releases its key', async () => {
    const headers = { ...admin.headers, 'idempotency-key': randomUUID() };
    expect((await upload(app, headers, { ...png, name: 'pixel.exe' })).statusCode).toBe(415);
    expect((await upload(app, headers, png)).statusCode).toBe(201);
  });
});
