import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { png, setParameter, stored, textFile, upload } from './uploads.js';

const LIST = 'admin.storage.upload.public-preview.allowed-extensions';
const SWITCH = 'admin.storage.upload.public-preview.enabled';
const ALLOWED = 'admin.storage.upload.allowed-extensions';
const TYPES = 'admin.storage.upload.allowed-mime-types';

describe('serving stored files', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  const text = textFile(1000, 'a text.txt');
  const read = (id: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url: `/admin/storage/files/${id}/content`, headers: { ...admin.headers, ...headers } });
  const preview = (id: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url: `/public/storage/preview?id=${id}`, headers });

  async function ticketFor(id: string, by = admin): Promise<string> {
    const response = await by.call('POST', '/auth/tickets', { purpose: 'storage:download', resource: id });
    return response.json().data.ticket;
  }
  const download = (id: string, ticket: string) => app.inject(`/public/storage/download?id=${id}&ticket=${ticket}`);

  describe('UPL-7 byte ranges (RFC 9110, 14)', () => {
    let id: string;
    beforeAll(async () => {
      id = await stored(app, admin.headers, text);
    });

    it.each([
      ['bytes=0-9', 0, 9],
      ['bytes=990-', 990, 999],
      ['bytes=-10', 990, 999],
      ['bytes=-5000', 0, 999],
      ['bytes=999-5000', 999, 999],
      ['BYTES=5-5', 5, 5],
    ])('UPL-7 %s is bytes %i to %i', async (range, first, last) => {
      const response = await read(id, { range });
      expect([response.statusCode, response.headers['content-range'], response.headers['content-length']]).toEqual([
        206,
        `bytes ${first}-${last}/1000`,
        String(last - first + 1),
      ]);
      expect(response.rawPayload.equals(text.content.slice(first, last + 1) as Buffer)).toBe(true);
    });

    it.each(['bytes=1000-', 'bytes=1000-2000', 'bytes=-0', `bytes=${'9'.repeat(40)}-`])(
      'UPL-7 %s is not satisfiable, and the answer has the length of the content',
      async (range) => {
        const response = await read(id, { range });
        expect(response.json()).toMatchObject({ status: 416, code: 'RANGE_NOT_SATISFIABLE' });
        expect(response.headers['content-range']).toBe('bytes */1000');
      },
    );

    it.each(['bytes=0-1,5-6', 'bytes=5-4', 'bytes=', 'bytes=-', 'lines=0-9', 'bytes=a-b', 'bytes=1-2x'])(
      'UPL-7 %s is ignored, and the whole content is sent',
      async (range) => {
        const response = await read(id, { range });
        expect([response.statusCode, response.rawPayload.length]).toEqual([200, 1000]);
        expect(response.headers['accept-ranges']).toBe('bytes');
      },
    );

    it('UPL-7 a range with If-Range is sent only if the content has not changed', async () => {
      const etag = String((await read(id)).headers.etag);
      const statusOf = async (ifRange: string) =>
        (await read(id, { range: 'bytes=0-9', 'if-range': ifRange })).statusCode;
      expect(await statusOf(etag)).toBe(206);
      for (const other of [`W/${etag}`, '"other"', new Date().toUTCString()]) expect(await statusOf(other)).toBe(200);
    });

    it('UPL-7 a client that has the content gets 304 and no body', async () => {
      const etag = String((await read(id)).headers.etag);
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const response = await read(id, { 'if-none-match': known, range: 'bytes=0-9' });
        expect([response.statusCode, response.body, response.headers.etag]).toEqual([304, '', etag]);
      }
      expect((await read(id, { 'if-none-match': '"x"' })).statusCode).toBe(200);
    });

    it('UPL-12 a client that wants one content gets it, and 412 for another', async () => {
      const etag = String((await read(id)).headers.etag);
      for (const wanted of [etag, `"x", ${etag}`, '*', ' * '])
        expect((await read(id, { 'if-match': wanted })).statusCode, wanted).toBe(200);
      // The comparison is strong: a weak tag matches nothing.
      for (const other of ['"x"', `W/${etag}`, '']) {
        const response = await read(id, { 'if-match': other });
        expect(response.json(), other).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
        expect([response.headers.etag, response.headers['content-range']]).toEqual([etag, undefined]);
      }
      expect((await read(id, { 'if-match': '"x"' }, 'HEAD')).statusCode).toBe(412);
      expect((await read(id, { 'if-match': etag }, 'HEAD')).statusCode).toBe(200);
    });

    it('UPL-12 If-Match comes before If-None-Match and ranges (RFC 9110, 13.2.2)', async () => {
      const etag = String((await read(id)).headers.etag);
      const statusOf = async (headers: Record<string, string>) => (await read(id, headers)).statusCode;
      expect(await statusOf({ 'if-match': '"x"', 'if-none-match': etag })).toBe(412);
      expect(await statusOf({ 'if-match': etag, 'if-none-match': etag })).toBe(304);
      expect(await statusOf({ 'if-match': '"x"', range: 'bytes=0-9' })).toBe(412);
      expect(await statusOf({ 'if-match': '"x"', range: 'bytes=5000-' })).toBe(412);
      expect(await statusOf({ 'if-match': etag, range: 'bytes=0-9' })).toBe(206);
      expect(await statusOf({ 'if-match': etag, range: 'bytes=0-9', 'if-range': '"x"' })).toBe(200);
      expect(await statusOf({ 'if-match': etag, range: 'bytes=5000-' })).toBe(416);
    });

    it('UPL-7 HEAD answers with the headers of GET, without a body or ranges', async () => {
      const [get, head] = [await read(id), await read(id, { range: 'bytes=0-9' }, 'HEAD')];
      const ofTheContent = /^(?:content-|accept-|etag|cache-)/;
      const about = (headers: object) => Object.entries(headers).filter(([name]) => ofTheContent.test(name));
      expect(about(head.headers)).toEqual(about(get.headers));
      expect([head.statusCode, head.body]).toEqual([200, '']);
      const known = await read(id, { 'if-none-match': String(get.headers.etag) }, 'HEAD');
      expect([known.statusCode, known.body]).toEqual([304, '']);
    });
  });

  it('UPL-7 UP-07 served content cannot be executed: fixed type, nosniff, sandbox, attachment', async () => {
    const id = await stored(app, admin.headers, text);
    const { headers } = await read(id);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toContain('sandbox');
    expect(headers['content-disposition']).toBe('attachment; filename="a text.txt"');
    expect(headers['cache-control']).toBe('no-store');
  });

  it('UPL-6 UPL-9 anybody can preview a marked file, inline, and each request checks again', async () => {
    const id = await stored(app, admin.headers, png, { publicPreview: 'true' });
    const response = await preview(id);
    expect([response.statusCode, response.rawPayload.equals(png.content)]).toEqual([200, true]);
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="pixel.png"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(response.headers['content-security-policy']).toContain('sandbox');
    const etag = String(response.headers.etag);
    expect((await preview(id, { 'if-none-match': etag })).statusCode).toBe(304);
    expect((await preview(id, {}, 'HEAD')).headers['content-length']).toBe(String(png.content.length));
  });

  it('UPL-6 a file that is not marked, deleted or unknown has no preview, and all get the same answer', async () => {
    const unmarked = await stored(app, admin.headers, png);
    const deleted = await stored(app, admin.headers, png, { publicPreview: 'true' });
    await admin.call('DELETE', `/admin/storage/files/${deleted}`);
    for (const id of [unmarked, deleted, '01a1fe6c-58d8-7678-ac10-501d938cc1f7', 'x', '../x']) {
      expect((await preview(encodeURIComponent(id))).json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });

  it('UP-05 UPL-5 marking a file whose extension is not on the list is refused, and nothing is stored', async () => {
    const count = async () => (await admin.call('GET', '/admin/storage/files')).json().page.total;
    const before = await count();
    const response = await upload(app, admin.headers, text, { publicPreview: 'true' });
    expect(response.json()).toMatchObject({ status: 403, code: 'UPLOAD_PREVIEW_REFUSED' });
    expect(await count()).toBe(before);
  });

  it('UP-05 UPL-6 removing an extension from the list ends existing previews, and adding it again restores them', async () => {
    const id = await stored(app, admin.headers, png, { publicPreview: 'true' });
    await setParameter(app, admin.headers, LIST, 'jpg');
    expect((await preview(id)).statusCode).toBe(404);
    await setParameter(app, admin.headers, LIST, 'jpg,jpeg,png,webp');
    expect((await preview(id)).statusCode).toBe(200);
  });

  it('UP-06 UPL-6 while previews are off no file is previewed, and none can be marked', async () => {
    const id = await stored(app, admin.headers, png, { publicPreview: 'true' });
    await setParameter(app, admin.headers, SWITCH, false);
    expect((await preview(id)).statusCode).toBe(404);
    const marked = await upload(app, admin.headers, png, { publicPreview: 'true' });
    expect(marked.json()).toMatchObject({ code: 'UPLOAD_PREVIEW_REFUSED' });
    await setParameter(app, admin.headers, SWITCH, true);
    expect((await preview(id)).statusCode).toBe(200);
  });

  it('UP-18 UPL-5 active content that an administrator lists is stored private, and neither marked nor previewed', async () => {
    const versions = [ALLOWED, TYPES].map(
      async (key) => (await admin.call('GET', `/admin/system-parameters/${key}`)).json().data.value,
    );
    const [extensions, types] = await Promise.all(versions);
    await setParameter(app, admin.headers, ALLOWED, `${extensions},html,svg,js`);
    await setParameter(app, admin.headers, TYPES, `${types},text/html,image/svg+xml,text/javascript`);
    const active = [
      ['page.html', 'text/html', '<!doctype html><title>x</title><script>alert(1)</script>'],
      ['image.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
      ['code.js', 'text/javascript', 'alert(1)'],
    ] as const;
    for (const [name, type, source] of active) {
      const file = { name, type, content: Buffer.from(source) };
      expect((await upload(app, admin.headers, file, { publicPreview: 'true' })).statusCode).toBe(403);
      const id = await stored(app, admin.headers, file);
      expect((await preview(id)).statusCode).toBe(404);
      const { headers } = await read(id);
      expect(headers['content-type']).toBe('application/octet-stream');
      expect(headers['content-disposition']).toMatch(/^attachment;/);
      const change = await admin.call('PUT', `/admin/system-parameters/${LIST}`, {
        value: `png,${name.split('.')[1]}`,
        version: (await admin.call('GET', `/admin/system-parameters/${LIST}`)).json().data.version,
      });
      expect(change.json()).toMatchObject({ status: 400, code: 'PARAMETER_INVALID' });
    }
    await setParameter(app, admin.headers, ALLOWED, extensions);
    await setParameter(app, admin.headers, TYPES, types);
  });

  it('UPL-9 TOK-10 a ticket downloads its file once, also with fifty parallel attempts', async () => {
    const id = await stored(app, admin.headers, text);
    const ticket = await ticketFor(id);
    const answers = await Promise.all(Array.from({ length: 50 }, () => download(id, ticket)));
    const served = answers.filter(({ statusCode }) => statusCode === 200);
    expect(served).toHaveLength(1);
    expect(served[0]?.rawPayload.equals(text.content)).toBe(true);
    expect(served[0]?.headers).toMatchObject({
      'content-disposition': 'attachment; filename="a text.txt"',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    for (const answer of answers) if (answer !== served[0]) expect(answer.json().code).toBe('TICKET_INVALID');
  });

  it('UPL-9 TOK-10 a ticket is valid for its file only, and ends with the permission', async () => {
    const [id, other] = [await stored(app, admin.headers, text), await stored(app, admin.headers, text)];
    expect((await download(other, await ticketFor(id))).json()).toMatchObject({ code: 'TICKET_INVALID' });
    const holder = await actor(app, admin, ['api:admin:storage:download']);
    const ticket = await ticketFor(id, holder);
    await admin.call('PUT', `/admin/roles/${holder.roleId}`, { permissions: ['api:admin:storage:list'] });
    expect((await download(id, ticket)).json()).toMatchObject({ code: 'TICKET_INVALID' });
  });

  it('UPL-11 a file marked for public preview is downloaded without a ticket, while flag, switch and list allow it', async () => {
    const id = await stored(app, admin.headers, png, { publicPreview: 'true' });
    const plain = () => app.inject(`/public/storage/download?id=${id}`);
    const response = await plain();
    expect([response.statusCode, response.rawPayload.equals(png.content)]).toEqual([200, true]);
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="pixel.png"',
      'referrer-policy': 'no-referrer',
    });
    const refused = { status: 403, code: 'TICKET_INVALID' };
    for (const [key, value] of [
      [LIST, 'jpg'],
      [SWITCH, false],
    ] as const) {
      const before = (await admin.call('GET', `/admin/system-parameters/${key}`)).json().data.value;
      await setParameter(app, admin.headers, key, value);
      expect((await plain()).json()).toMatchObject(refused);
      expect((await download(id, await ticketFor(id))).statusCode).toBe(200);
      await setParameter(app, admin.headers, key, before);
      expect((await plain()).statusCode).toBe(200);
    }
    expect((await download(id, 'x')).json()).toMatchObject(refused);
    await admin.call('DELETE', `/admin/storage/files/${id}`);
    expect((await plain()).json()).toMatchObject(refused);
  });

  it('UPL-11 without a ticket a private file and an unknown one have the same answer', async () => {
    const id = await stored(app, admin.headers, png);
    const answers = await Promise.all(
      [id, '01a1fe6c-58d8-7678-ac10-501d938cc1f7'].map(async (each) => {
        const response = await app.inject(`/public/storage/download?id=${each}`);
        const { requestId: _own, serverTime: _now, ...problem } = response.json();
        return { problem, headers: Object.keys(response.headers) };
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.problem).toMatchObject({ status: 403, code: 'TICKET_INVALID' });
  });

  it('UPL-9 a ticket for a file that was deleted meanwhile is 404', async () => {
    const id = await stored(app, admin.headers, text);
    const ticket = await ticketFor(id);
    await admin.call('DELETE', `/admin/storage/files/${id}`);
    expect((await download(id, ticket)).json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it('UPL-9 a file that is deleted between lookup and read is 404, not a storage failure', async () => {
    const file = await app.storedFiles.find(await stored(app, admin.headers, text));
    await admin.call('DELETE', `/admin/storage/files/${file.id}`);
    await expect(app.storedFiles.read(file, { first: 0, last: 9 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
