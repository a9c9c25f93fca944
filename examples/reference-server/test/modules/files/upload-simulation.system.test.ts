import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import type { FormFile } from './multipart.js';
import { filesBelow, png, setParameter, textFile, upload } from './uploads.js';

const MEGABYTE = 1024 * 1024;

describe('POST /admin/storage/simulate', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  const simulate = ({ name, type, content }: FormFile, trial: Record<string, string> = {}, by = admin) =>
    app.inject({
      method: 'POST',
      url: `/admin/storage/simulate?${new URLSearchParams({ fileName: name, ...trial })}`,
      headers: { ...by.headers, 'content-type': type },
      payload: Buffer.from(content),
    });

  it('UPL-3 reports the result of every rule, and its verdict is that of an upload', async () => {
    const files: readonly FormFile[] = [
      png,
      { ...png, name: 'pixel.jpg', type: 'image/jpeg' },
      { ...png, name: 'pixel.exe', type: 'application/x-msdownload' },
      { name: 'data.json.txt', type: 'application/json', content: Buffer.from('{}') },
      { ...textFile(10), content: Buffer.from('a\0b') },
      { ...textFile(10), content: Buffer.alloc(0) },
    ];
    for (const file of files) {
      const { data } = (await simulate(file)).json();
      const answer = await upload(app, admin.headers, file);
      expect([file.name, data.accepted]).toEqual([file.name, answer.statusCode === 201]);
      if (!data.accepted) expect(answer.body).toContain(data.reason === 'EMPTY' ? 'UPLOAD_EMPTY' : data.reason);
      else expect(data.mediaType).toBe(answer.json().data.mediaType);
    }
    const { data } = (await simulate({ ...png, name: 'pixel.exe', type: 'application/x-msdownload' })).json();
    const outcomes = Object.fromEntries(
      data.rules.map(({ rule, outcome }: { rule: string; outcome: string }) => [rule, outcome]),
    );
    expect(outcomes).toMatchObject({ nonEmpty: 'passed', size: 'passed', extension: 'refused', mediaType: 'refused' });
  });

  it('UPL-1 tries other values without changing the current ones, and stores nothing', async () => {
    const svg = {
      name: 'a.svg',
      type: 'image/svg+xml',
      content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    };
    const files = () => filesBelow(join(bench.folder, 'files'));
    const before = await files();
    const verdict = async (trial?: Record<string, string>) => (await simulate(svg, trial)).json().data.accepted;
    expect(await verdict()).toBe(false);
    expect(await verdict({ allowedExtensions: 'svg', allowedMimeTypes: 'image/svg+xml' })).toBe(true);
    expect(await verdict({ validationEnabled: 'false' })).toBe(true);
    expect(await verdict()).toBe(false);
    const large = textFile(2 * MEGABYTE);
    await setParameter(app, admin.headers, 'admin.storage.upload.max-size-mb', 1);
    expect((await simulate(large)).json()).toMatchObject({ status: 413, code: 'UPLOAD_TOO_LARGE' });
    expect((await simulate(large, { maxSizeMb: '2' })).json()).toMatchObject({ data: { accepted: true } });
    await setParameter(app, admin.headers, 'admin.storage.upload.max-size-mb', 10);
    const smaller = (await simulate(large, { maxSizeMb: '1' })).json().data;
    expect([smaller.accepted, smaller.reason]).toEqual([false, 'TOO_LARGE']);
    expect(await files()).toEqual(before);
  });

  it('UPL-1 UPL-5 values that a parameter would refuse are refused here too, each with its reason', async () => {
    const response = await simulate(png, { allowedExtensions: '*', maxSizeMb: '0' });
    expect(response.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(response.json().errors).toHaveLength(2);
    expect((await simulate(png, { other: 'x' })).json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it('UPL-9 needs its own permission', async () => {
    const uploader = await actor(app, admin, ['api:admin:storage:upload']);
    expect((await simulate(png, {}, uploader)).statusCode).toBe(403);
    const tester = await actor(app, admin, ['api:admin:storage:simulate']);
    expect((await simulate(png, {}, tester)).statusCode).toBe(200);
    expect((await upload(app, tester.headers, png)).statusCode).toBe(403);
  });

  it('UPL-2 an endless body is refused, answered and cut off, whatever the size limit', async () => {
    const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'text '), Buffer.from('\r\n')]);
    for (const maxSizeMb of ['1', '1000000']) {
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      const closed = new Promise<true>((resolve) => socket.once('close', () => resolve(true)));
      socket.write(
        `POST /admin/storage/simulate?fileName=a.txt&maxSizeMb=${maxSizeMb} HTTP/1.1\r\nhost: test\r\n` +
          `authorization: ${admin.headers.authorization}\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      // Far beyond the limit: a server that reads all of it has no bound.
      const endless = Readable.from(Array.from({ length: 6400 }, () => piece));
      const taken = new Promise<false>((resolve) => endless.once('end', () => resolve(false)));
      endless.pipe(socket, { end: false });
      const isCut = await Promise.race([closed, taken]);
      socket.destroy();
      expect(isCut).toBe(true);
      expect(answer).toMatch(/^HTTP\/1\.1 413 .*UPLOAD_TOO_LARGE/s);
    }
    expect(await filesBelow(join(bench.folder, 'files', 'incoming'))).toEqual([]);
  }, 60_000);
});
