import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import type { FormFile } from './multipart.js';
import { beginUpload } from './raw-upload.js';
import { filesBelow, textFile, upload } from './uploads.js';

/** Allows for a busy machine. */
const patiently = { timeout: 60_000, interval: 20 };
const csv = (content: Buffer): FormFile => ({ name: 'names.csv', type: 'text/csv', content });
/** «姓名,书名» and a line end. */
const gb18030 = csv(Buffer.from('d0d5c3fb2ccae9c3fb0a', 'hex'));
const utf16 = csv(Buffer.from('\ufeff姓名\n', 'utf16le'));

describe('uploaded texts', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());

  async function started(environment: Record<string, string> = {}): Promise<{ app: App; admin: Actor }> {
    const app = await bench.app({ ...roomy, ...environment });
    return { app, admin: await root(app) };
  }

  it('UPL-10 are stored and served with the charset that was found', async () => {
    const { app, admin } = await started();
    for (const [file, mediaType] of [
      [gb18030, 'text/csv; charset=gb18030'],
      [csv(Buffer.from('姓名,书名\n')), 'text/csv; charset=utf-8'],
      [{ ...gb18030, name: 'names.txt', type: 'text/plain' }, 'text/plain; charset=gb18030'],
    ] as const) {
      const { data } = (await upload(app, admin.headers, file)).json();
      expect(data.mediaType).toBe(mediaType);
      const list = await admin.call('GET', '/admin/storage/files');
      expect(list.json().data[0]).toMatchObject({ id: data.id, mediaType });
      const served = await admin.call('GET', `/admin/storage/files/${data.id}/content`);
      expect(served.headers['content-type']).toBe(mediaType);
      expect(served.headers['x-content-type-options']).toBe('nosniff');
      expect(served.rawPayload.equals(file.content as Buffer)).toBe(true);
    }
  });

  it('UPL-10 are accepted in the configured encodings only, and the simulation says the same', async () => {
    const utf8Only = await started({ SERVICE_UPLOAD_TEXT_ENCODINGS: 'utf-8' });
    const others = await started({ SERVICE_UPLOAD_TEXT_ENCODINGS: 'UTF-16, gb18030' });
    const byDefault = await started();
    for (const [{ app, admin }, file, expected] of [
      [utf8Only, gb18030, null],
      [others, gb18030, 'text/csv; charset=gb18030'],
      [others, utf16, 'text/csv; charset=utf-16le'],
      [byDefault, utf16, null],
      [byDefault, csv(Buffer.from('a\x0cb')), null],
      [byDefault, csv(Buffer.from('81308130', 'hex')), null],
    ] as const) {
      const answer = (await upload(app, admin.headers, file)).json();
      if (expected === null) expect(answer).toMatchObject({ status: 415, code: 'UPLOAD_TYPE_REFUSED' });
      else expect(answer.data.mediaType).toBe(expected);
      const simulated = await app.inject({
        method: 'POST',
        url: '/admin/storage/simulate?fileName=names.csv',
        headers: { ...admin.headers, 'content-type': 'text/csv' },
        payload: Buffer.from(file.content),
      });
      expect(simulated.json().data).toMatchObject({ accepted: expected !== null, mediaType: expected });
      if (expected === null) expect(simulated.json().data.reason).toBe('TEXT_INVALID');
    }
  });
});

describe('uploads under way', { timeout: 180_000 }, () => {
  let bench: TestBench;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => bench.close());

  it('UPL-10 are bounded for each administrator, not for others, and end with the connection', async () => {
    // The half-sent requests must not time out on a busy machine.
    const app = await bench.app({ ...roomy, SERVICE_REQUEST_TIMEOUT_SECONDS: '1800' });
    const admin = await root(app);
    const permissions = ['api:admin:storage:upload', 'api:admin:storage:simulate'];
    const [busy, other] = [await actor(app, admin, permissions), await actor(app, admin, permissions)];
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const begun = Array.from({ length: 64 }, () => beginUpload(origin, busy.headers, textFile(200_000)));
    sockets.push(...(await Promise.all(begun)));
    const incoming = () => filesBelow(join(bench.folder, 'files', 'incoming'));
    await expect.poll(async () => (await incoming()).length, patiently).toBe(64);

    const refused = await upload(app, { ...busy.headers, 'accept-language': 'zh-CN' }, textFile(10));
    expect(refused.headers['retry-after']).toBe('5');
    expect(refused.json()).toMatchObject({
      status: 429,
      code: 'UPLOAD_TOO_MANY',
      detail: '您正在进行的上传过多，请等待其中一个完成后再试。',
      retryAfterSeconds: 5,
    });
    const simulate = (by: Actor) =>
      app.inject({
        method: 'POST',
        url: '/admin/storage/simulate?fileName=a.txt',
        headers: { ...by.headers, 'content-type': 'text/plain' },
        payload: 'text',
      });
    expect((await simulate(busy)).json()).toMatchObject({ status: 429, code: 'UPLOAD_TOO_MANY' });
    expect((await simulate(other)).statusCode).toBe(200);
    expect((await upload(app, other.headers, textFile(10))).statusCode).toBe(201);

    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(incoming, patiently).toEqual([]);
    // A place is free when its upload has ended, which is after its file is gone.
    await expect.poll(async () => (await upload(app, busy.headers, textFile(10))).statusCode, patiently).toBe(201);
    expect((await simulate(busy)).statusCode).toBe(200);
  });
});
