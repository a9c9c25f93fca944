import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ExampleProcess, startExample } from '../../../scripts/example-process.js';
import { openBrowser } from '../../../scripts/test-browser.js';
import { lacks } from '../../../scripts/test-needs.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const UNKNOWN = 'c56a4180-65aa-42ec-a945-5fd21dec0538';

interface Answer {
  readonly status: number;
  readonly body: { readonly data?: { readonly id: string }; readonly reason?: string; readonly code?: string };
}

async function upload({ origin }: ExampleProcess, name: string, type: string, content: Buffer | string) {
  const body = new FormData();
  body.set('file', new File([content], name, { type }));
  const response = await fetch(`${origin}/files`, { method: 'POST', body });
  return { status: response.status, body: await response.json() } as Answer;
}

const INCOMING = 'incoming';

/** The objects in a bucket of s3rver. */
const objectsIn = async (bucket: string) =>
  (await readdir(bucket)).filter((name) => name.endsWith('._S3rver_object')).map((name) => join(bucket, name));

describe('uploads to a bucket', { timeout: 90_000 }, () => {
  let folder: string;
  let server: ExampleProcess;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'uploads-s3-'));
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('EXM-1 UPL-7 UPL-8 stores a file that passes, and serves it as its verified type', async () => {
    server = await startExample('uploads-s3', { DATA_DIR: folder });
    const taken = await upload(server, '照片.png', 'image/png', PNG);
    expect(taken).toMatchObject({ status: 201, body: { data: { fileName: '照片.png', mediaType: 'image/png' } } });
    const objects = await objectsIn(join(folder, 'bucket/files'));
    expect(await Promise.all(objects.map((path) => readFile(path)))).toEqual([PNG]);
    expect(await readdir(join(folder, INCOMING))).toEqual([]);

    const served = await fetch(`${server.origin}/files/${taken.body.data?.id}`);
    expect(Buffer.from(await served.arrayBuffer())).toEqual(PNG);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="__.png"; filename*=UTF-8''%E7%85%A7%E7%89%87.png`,
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    });
    expect((await fetch(`${server.origin}/files/${UNKNOWN}`)).status).toBe(404);
    expect((await fetch(`${server.origin}/files/..%2Fsecret`)).status).toBe(400);
  });

  it('EXM-1 ADP-10 a refusal has its reason, and leaves nothing', async () => {
    server = await startExample('uploads-s3', { DATA_DIR: folder });
    const tooLarge = ' '.repeat(1024 * 1024 + 1);
    expect(await upload(server, 'photo.png', 'image/png', 'text')).toMatchObject({
      status: 415,
      body: { code: 'UPLOAD_TYPE_REFUSED', reason: 'HEADER_MISMATCH' },
    });
    expect((await upload(server, 'a.exe', 'text/plain', 'MZ')).body.reason).toBe('EXTENSION_NOT_ALLOWED');
    expect((await upload(server, 'a.txt', 'text/plain', tooLarge)).body.reason).toBe('TOO_LARGE');
    expect(await objectsIn(join(folder, 'bucket/files'))).toEqual([]);
    expect(await readdir(join(folder, INCOMING))).toEqual([]);
  });

  it('EXM-1 UPL-8 uses the bucket that the environment names; while it is away, 503 and nothing is left', async () => {
    const directory = join(folder, 'elsewhere');
    const options = { address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: 'mine' }] };
    const store = new S3rver(options);
    const { port } = await store.run();
    let isRunning = true;
    const end = async () => {
      if (isRunning) await store.close();
      isRunning = false;
    };
    onTestFinished(end);
    server = await startExample('uploads-s3', {
      DATA_DIR: folder,
      S3_BUCKET: 'mine',
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    });
    expect((await upload(server, 'a.txt', 'text/plain', 'text')).status).toBe(201);
    expect(await objectsIn(join(directory, 'mine'))).toHaveLength(1);
    expect(existsSync(join(folder, 'bucket'))).toBe(false);

    await end();
    expect(await upload(server, 'b.txt', 'text/plain', 'text')).toMatchObject({
      status: 503,
      body: { code: 'UPLOAD_NOT_STORED' },
    });
    expect(await readdir(join(folder, INCOMING))).toEqual([]);
    expect(await objectsIn(join(directory, 'mine'))).toHaveLength(1);
  });

  it.skipIf(lacks('chromium'))(
    'EXM-1 ADP-10 the page shows a refusal with its reason and advice, then a link to the stored file',
    async () => {
      server = await startExample('uploads-s3', { DATA_DIR: folder });
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        await page.goto(server.origin);
        const choose = async (name: string, mimeType: string, buffer: Buffer) => {
          await page.getByLabel('File').setInputFiles({ name, mimeType, buffer });
          await page.getByRole('button', { name: 'Upload' }).click();
        };
        const status = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
        await choose('photo.png', 'image/png', Buffer.from('<script>'));
        await status('HEADER_MISMATCH: The file is not what its name says. Save it again in this format.');
        await choose('a.txt', 'text/plain', Buffer.from('a\0'));
        await status('TEXT_INVALID: ');
        await choose('photo.png', 'image/png', PNG);
        await status('Stored: photo.png, 16 bytes, image/png');
        expect(await page.getByRole('link').getAttribute('href')).toMatch(/^\/files\/[0-9a-f-]{36}$/);
      } finally {
        await browser.close();
      }
    },
  );
});
