import { describe, expect, it } from 'vitest';
import { readPagesOf } from '../../../scripts/package-pages.mjs';
import * as uploadPolicy from '../src/index.js';
import { multipartBody, multipartHeaders, type Part } from './multipart-body.js';
import { createUploadApp, type UploadApp } from './upload-app.js';

const pages = readPagesOf('upload-policy');

const send = ({ app }: UploadApp, part: Part) =>
  app.inject({ method: 'POST', url: '/files', headers: multipartHeaders, body: multipartBody([part]) });

describe('an application like that of the README', () => {
  it('UPL-7 UP-07 accepts a file and serves it as its type, so that nothing in it runs', async () => {
    const upload = await createUploadApp();
    upload.app.get('/file', async (_request, reply) =>
      reply.headers({ ...uploadPolicy.servingHeaders(upload.stored[0]!) }).send('content'),
    );
    const html = '<script>alert(1)</script>';
    expect((await send(upload, { fileName: 'note.txt', mediaType: 'text/plain', bytes: html })).statusCode).toBe(200);
    expect((await upload.app.inject('/file')).headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="note.txt"',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    });
  });

  it('UPL-3 ADP-10 refuses with the body that the reference shows', async () => {
    const refusal = /```json\n([\s\S]*?)```/.exec(pages)![1]!;
    const html = { fileName: 'photo.jpg', mediaType: 'image/jpeg', bytes: '<script>' };
    expect((await send(await createUploadApp(), html)).json()).toEqual(JSON.parse(refusal));
  });
});

describe('the reference', () => {
  it('UPL-1 states every default of the policy', () => {
    for (const [name, value] of Object.entries(uploadPolicy.UPLOAD_POLICY_DEFAULTS)) {
      const row = new RegExp(`^\\| \`${name}\` +\\|[^|]*\\| (.*?) +\\|`, 'm').exec(pages);
      const told = row?.[1]?.replaceAll('`', '');
      expect(told).toBe(name === 'allowedMimeTypes' ? 'those of the extensions' : String(value));
    }
  });

  it('UPL-3 UPL-4 ADP-10 names every reason, and every code with its status and message', () => {
    for (const reason of uploadPolicy.UPLOAD_REFUSAL_REASONS) expect(pages).toContain(`\n| \`${reason}\` `);
    const errors = [
      new uploadPolicy.UploadEmptyError(),
      new uploadPolicy.UploadTooLargeError(5),
      new uploadPolicy.UploadTooManyError(),
      new uploadPolicy.UploadMalformedError('…'),
      new uploadPolicy.UploadPreviewRefusedError(),
      new uploadPolicy.UploadNotStoredError(),
      new uploadPolicy.UploadPolicyUnavailableError(),
    ];
    for (const { statusCode, code, message } of errors) {
      const sentence = message.replaceAll(/[()]/g, '\\$&');
      expect(pages).toMatch(new RegExp(`^\\| ${statusCode} +\\| \`${code}\` +\\| ${sentence} +\\|`, 'm'));
    }
  });
});
