import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { multipartBody, multipartHeaders, type Part } from './multipart-body.js';
import { createUploadApp, type UploadApp } from './upload-app.js';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(100)]);
const png: Part = { fileName: 'a.png', mediaType: 'image/png', bytes: PNG };
const MEGABYTE = 1024 * 1024;

const send = (
  { app }: UploadApp,
  parts: readonly Part[] | Buffer,
  headers: Record<string, string> = multipartHeaders,
) =>
  app.inject({ method: 'POST', url: '/files', headers, body: Buffer.isBuffer(parts) ? parts : multipartBody(parts) });

describe('receive', () => {
  it('UPL-7 UPL-8 UP-19 stores two files of the same name, and describes what it received', async () => {
    const upload = await createUploadApp();
    const field = { name: 'note', bytes: 'für später' };
    const answers = [await send(upload, [field, png]), await send(upload, [png, field])];
    expect(answers.map((answer) => answer.json())).toEqual(
      ['stored-1', 'stored-2'].map((stored) => ({
        fileName: 'a.png',
        extension: 'png',
        mediaType: 'image/png',
        charset: null,
        verified: true,
        size: PNG.length,
        sha256: createHash('sha256').update(PNG).digest('hex'),
        fields: { note: 'für später' },
        stored,
      })),
    );
    expect(upload.left()).toEqual(['stored-1', 'stored-2']);
  });

  it('UPL-2 UP-03 S-C1 S-C2 accepts the exact limit, and refuses one byte more and an empty file', async () => {
    const upload = await createUploadApp();
    const sized = (size: number) => ({
      ...png,
      bytes: Buffer.concat([PNG, Buffer.alloc(10 * MEGABYTE)]).subarray(0, size),
    });
    expect((await send(upload, [sized(10 * MEGABYTE)])).statusCode).toBe(200);
    const over = await send(upload, [sized(10 * MEGABYTE + 1)]);
    expect([over.statusCode, over.json().code]).toEqual([413, 'UPLOAD_TOO_LARGE']);
    const empty = await send(upload, [sized(0)]);
    expect([empty.statusCode, empty.json().code]).toEqual([400, 'UPLOAD_EMPTY']);
    expect(upload.left()).toEqual(['stored-1']);
  });
});
