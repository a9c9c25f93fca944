import { describe, expect, it } from 'vitest';
import { explainUpload, inspectUpload, UPLOAD_POLICY_DEFAULTS, type UploadPolicy } from '../src/index.js';
import { sourceOf } from './memory-source.js';
import { multipartBody, multipartHeaders } from './multipart-body.js';
import { createUploadApp } from './upload-app.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const html = Buffer.from('<script>alert(1)</script>');
const candidate = (fileName: string, mediaType: string, bytes: Buffer) => ({
  fileName,
  mediaType,
  source: sourceOf(bytes),
});
const withPolicy = (policy: Partial<UploadPolicy>): UploadPolicy => ({ ...UPLOAD_POLICY_DEFAULTS, ...policy });

describe('with validation off', () => {
  const off = withPolicy({ validationEnabled: false, maxSizeMb: 1 });

  it('UPL-2 UP-04 only size and non-empty are enforced', async () => {
    expect(await inspectUpload(candidate('a.exe', '', Buffer.alloc(0)), off)).toMatchObject({ reason: 'EMPTY' });
    expect(await inspectUpload(candidate('a.exe', '', Buffer.alloc(1_048_577)), off)).toMatchObject({
      reason: 'TOO_LARGE',
    });
    expect((await inspectUpload(candidate('a.exe', '', Buffer.alloc(1_048_576)), off)).accepted).toBe(true);
  });

  it('UPL-7 only files that pass every check are served as their type', async () => {
    const verdict = (name: string, type: string, bytes: Buffer) => inspectUpload(candidate(name, type, bytes), off);
    const unknown = { accepted: true, mediaType: 'application/octet-stream', verified: false };
    expect(await verdict('a.png', 'image/png', PNG)).toMatchObject({ mediaType: 'image/png', verified: true });
    expect(await verdict('a.png', 'image/png', html)).toMatchObject(unknown);
    expect(await verdict('a.html', 'text/html', html)).toMatchObject(unknown);
    expect(await verdict('noname', '', PNG)).toMatchObject({ ...unknown, extension: '' });
  });

  it('UPL-2 UP-04 over HTTP empty and too large files are refused, and a program is accepted', async () => {
    const upload = await createUploadApp({ policy: off });
    const send = (bytes: Buffer) =>
      upload.app.inject({
        method: 'POST',
        url: '/files',
        headers: multipartHeaders,
        body: multipartBody([{ fileName: 'a.exe', bytes }]),
      });
    expect((await send(Buffer.alloc(0))).json().code).toBe('UPLOAD_EMPTY');
    expect((await send(Buffer.alloc(1_048_577))).json().code).toBe('UPLOAD_TOO_LARGE');
    expect((await send(Buffer.from('MZ'))).statusCode).toBe(200);
    expect(upload.left()).toEqual(['stored-1']);
  });
});

describe('active content', () => {
  it('UPL-5 UP-18 may be stored if listed, is served as an unknown type, and is never previewed', async () => {
    const active = { allowedExtensions: 'html,svg,js', allowedMimeTypes: 'text/html,image/svg+xml,text/javascript' };
    for (const [extension, type] of [
      ['html', 'text/html'],
      ['svg', 'image/svg+xml'],
      ['js', 'text/javascript'],
    ] as const) {
      expect(await inspectUpload(candidate(`a.${extension}`, type, html), withPolicy(active))).toEqual({
        accepted: true,
        extension,
        mediaType: 'application/octet-stream',
        charset: 'utf-8',
        verified: true,
      });
      const { app } = await createUploadApp({ policy: active });
      await expect(app.uploadPolicy.assertPreviewable(extension)).rejects.toThrow('no public preview');
    }
    const start = createUploadApp({ policy: { ...active, publicPreviewAllowedExtensions: 'png,svg' } });
    await expect(start).rejects.toThrow('entry 2 is active content');
  });

  it('UPL-3 an extension without a known header is accepted if listed, and served as an unknown type', async () => {
    const blob = withPolicy({ allowedExtensions: 'blob', allowedMimeTypes: 'application/x-blob' });
    expect(await inspectUpload(candidate('a.blob', 'application/x-blob', html), blob)).toMatchObject({
      accepted: true,
      mediaType: 'application/octet-stream',
    });
  });

  it('UPL-3 a file of any other extension that file-type knows must have its header', async () => {
    const others = withPolicy({ allowedExtensions: 'flac,tiff,jar', allowedMimeTypes: 'application/x-any' });
    const verdict = (name: string, bytes: Buffer) => inspectUpload(candidate(name, 'application/x-any', bytes), others);
    expect(await verdict('a.flac', Buffer.from('fLaC\0\0\0\x22'))).toMatchObject({ mediaType: 'audio/flac' });
    expect(await verdict('a.flac', html)).toMatchObject({ reason: 'HEADER_MISMATCH' });
    expect(
      await verdict('a.tiff', Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(100)])),
    ).toMatchObject({ mediaType: 'image/tiff' });
    expect(await verdict('a.jar', html)).toMatchObject({ reason: 'HEADER_MISMATCH' });
  });
});

describe('the media type that a client names', () => {
  it.each<[string, string, boolean]>([
    ['a.png', 'image/png', true],
    ['a.png', ' IMAGE/Png ; name=x', true],
    ['a.png', 'image/jpeg', true],
    ['a.png', 'text/plain', false],
    ['a.png', 'application/octet-stream', false],
    ['a.png', 'image/png,image/png', false],
    ['a.png', ';', false],
    ['a.png', '', false],
    ['a.csv', 'application/vnd.ms-excel', true],
    ['a.csv', 'text/plain', true],
  ])('UPL-3 for %s %j: %s', async (fileName, mediaType, isAccepted) => {
    const bytes = fileName.endsWith('png') ? PNG : Buffer.from('a,b');
    const verdict = await inspectUpload(candidate(fileName, mediaType, bytes), UPLOAD_POLICY_DEFAULTS);
    expect(verdict).toMatchObject(isAccepted ? { accepted: true } : { reason: 'MEDIA_TYPE_NOT_ALLOWED' });
  });

  it('UPL-3 over HTTP a picture without one is refused, and a text is accepted', async () => {
    const upload = await createUploadApp();
    const send = (fileName: string, bytes: Buffer) =>
      upload.app.inject({
        method: 'POST',
        url: '/files',
        headers: multipartHeaders,
        body: multipartBody([{ fileName, bytes }]),
      });
    expect((await send('a.png', PNG)).statusCode).toBe(415);
    expect((await send('a.txt', html)).statusCode).toBe(200);
  });
});

describe('public preview', () => {
  it('UPL-6 UP-05 UP-06 follows the flag and the list at the time of each preview', async () => {
    let policy = UPLOAD_POLICY_DEFAULTS;
    const { app } = await createUploadApp({ policy: () => policy });
    const isPreviewable = (extension: string) =>
      app.uploadPolicy.assertPreviewable(extension).then(
        () => true,
        (error: { code: string; statusCode: number }) => {
          expect([error.code, error.statusCode]).toEqual(['UPLOAD_PREVIEW_REFUSED', 403]);
          return false;
        },
      );
    for (const extension of ['jpg', 'jpeg', 'png', 'webp']) expect(await isPreviewable(extension)).toBe(true);
    for (const extension of ['pdf', 'gif', 'svg', 'html', '', 'PNG'])
      expect(await isPreviewable(extension)).toBe(false);
    policy = withPolicy({ publicPreviewAllowedExtensions: ' .JPG' });
    expect([await isPreviewable('png'), await isPreviewable('jpg')]).toEqual([false, true]);
    policy = withPolicy({ publicPreviewEnabled: false });
    expect(await isPreviewable('jpg')).toBe(false);
  });
});

describe('explainUpload', () => {
  it('UPL-3 UPL-4 reports every rule, also after the first refusal', async () => {
    const { verdict, rules } = await explainUpload(candidate('a.docx', 'text/html', html), UPLOAD_POLICY_DEFAULTS);
    expect(verdict).toMatchObject({ accepted: false, reason: 'MEDIA_TYPE_NOT_ALLOWED' });
    expect(rules.map(({ rule, outcome }) => [rule, outcome])).toEqual([
      ['nonEmpty', 'passed'],
      ['size', 'passed'],
      ['extension', 'passed'],
      ['mediaType', 'refused'],
      ['header', 'refused'],
      ['archive', 'notApplicable'],
      ['office', 'notApplicable'],
      ['text', 'notApplicable'],
    ]);
    expect(rules[4]!.refusal).toEqual({
      accepted: false,
      reason: 'HEADER_MISMATCH',
      detail: 'The file does not begin as a docx file does',
    });
  });

  it('UPL-3 has the same verdict as the inspection, with validation on and off', async () => {
    const files = [
      candidate('a.png', 'image/png', PNG),
      candidate('a.png', 'image/png', html),
      candidate('a.txt', 'text/plain', html),
      candidate('a.txt', 'text/plain', PNG),
      candidate('a', '', Buffer.alloc(0)),
    ];
    for (const policy of [UPLOAD_POLICY_DEFAULTS, withPolicy({ validationEnabled: false })]) {
      for (const file of files) {
        expect((await explainUpload(file, policy)).verdict).toEqual(await inspectUpload(file, policy));
      }
    }
  });
});
