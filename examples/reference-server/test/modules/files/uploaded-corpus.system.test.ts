import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { corpus, corpusBytes } from '../../../../../packages/upload-policy/test/corpus-files.js';
import type { App } from '../../../src/app.js';
import { type Actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { upload } from './uploads.js';

const PREVIEWED = /\.(?:jpe?g|png|webp)$/i;

describe('the corpus, uploaded and served', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  it('UP-01 UP-07 UPL-3 UPL-7 every file gets its expected verdict, and no browser executes an accepted one', async () => {
    let accepted = 0;
    for (const file of corpus.files) {
      const content = corpusBytes(file);
      // Some files must not be in this repository and may be absent; the package's own test reports it.
      if (content === null) continue;
      const { id: name, uploadName, mediaType: type, expected } = file;
      const isPreviewed = PREVIEWED.test(uploadName);
      const form = { name: uploadName, type, content };
      const response = await upload(app, admin.headers, form, { publicPreview: String(isPreviewed) });
      if (expected.startsWith('accept') && expected !== 'accept-or-refuse-bounded') {
        expect([name, response.statusCode]).toEqual([name, 201]);
      }
      if (expected === 'refuse' || expected === 'refuse-recommended') {
        expect([name, response.statusCode]).toEqual([
          name,
          expect.toSatisfy((status) => [400, 413, 415].includes(status)),
        ]);
      }
      if (response.statusCode !== 201) continue;
      accepted += 1;
      const { id, mediaType } = response.json().data;
      const read = await app.inject({ url: `/admin/storage/files/${id}/content`, headers: admin.headers });
      expect(read.rawPayload.equals(content)).toBe(true);
      const ticket = await admin.call('POST', '/auth/tickets', { purpose: 'storage:download', resource: id });
      const download = await app.inject(`/public/storage/download?id=${id}&ticket=${ticket.json().data.ticket}`);
      const preview = await app.inject(`/public/storage/preview?id=${id}`);
      expect([name, preview.statusCode]).toEqual([name, isPreviewed ? 200 : 404]);
      const served = isPreviewed ? [read, download, preview] : [read, download];
      for (const { headers } of served) {
        expect([name, headers['content-type']]).toEqual([name, mediaType]);
        expect(headers['content-type']).not.toMatch(/html|svg|javascript|xml(?!formats)/);
        expect(headers['x-content-type-options']).toBe('nosniff');
        expect(headers['content-security-policy']).toMatch(/\bsandbox\b/);
      }
      for (const { headers } of [read, download]) expect(headers['content-disposition']).toMatch(/^attachment;/);
    }
    expect(accepted).toBeGreaterThan(10);
  });

  it.each(corpus.rawMultipart)('UP-01 UPL-8 the raw body $id is answered as the manifest says', async (raw) => {
    const response = await app.inject({
      method: 'POST',
      url: '/admin/storage/files',
      headers: { ...admin.headers, 'content-type': raw.contentType },
      payload: Buffer.from(raw.body, 'base64'),
    });
    expect(Math.floor(response.statusCode / 100)).toBe(raw.expected === 'accept' ? 2 : 4);
  });
});
