import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { corpus } from './corpus-files.js';
import { multipartBody, multipartHeaders, type Part } from './multipart-body.js';
import { createUploadApp } from './upload-app.js';

const text: Part = { fileName: 'a.txt', mediaType: 'text/plain', bytes: 'text' };
const body = multipartBody([text]);
const boundary = multipartHeaders['content-type'].split('boundary=')[1]!;

/** A form with one part that has these headers. */
const withHead = (head: string) => Buffer.from(`--${boundary}\r\n${head}\r\n\r\ntext\r\n--${boundary}--\r\n`);

const malformed: [what: string, body: Buffer | string, contentType?: string][] = [
  ['no body', ''],
  ['no boundary parameter', body, 'multipart/form-data'],
  ['another boundary', body, 'multipart/form-data; boundary=other'],
  ['a boundary of nothing', body, 'multipart/form-data; boundary='],
  ['no closing boundary', body.subarray(0, -boundary.length - 8)],
  ['an end within the head of the part', body.subarray(0, boundary.length + 20)],
  ['an end within the boundary', body.subarray(0, -4)],
  ['no file', multipartBody([{ name: 'note', bytes: 'x' }])],
  ['no part', `--${boundary}--\r\n`],
  ['two files', multipartBody([text, text])],
  ['two files of two names', multipartBody([text, { ...text, name: 'other' }])],
  ['a field twice', multipartBody([{ name: 'a', bytes: '1' }, { name: 'a', bytes: '2' }, text])],
  ['a field that is too long', multipartBody([{ name: 'a', bytes: 'x'.repeat(4097) }, text])],
  ['a field that is too long, after the file', multipartBody([text, { name: 'a', bytes: 'x'.repeat(4097) }])],
  ['too many fields', multipartBody([...Array.from({ length: 17 }, (_, n) => ({ name: `f${n}`, bytes: '' })), text])],
  ['a field that is not a text', multipartBody([{ name: 'a', mediaType: 'application/json', bytes: '{"a":1}' }, text])],
  ['a field that is not JSON', multipartBody([{ name: 'a', mediaType: 'application/json', bytes: '{' }, text])],
  ['a field of a long name', multipartBody([{ name: 'n'.repeat(65), bytes: '' }, text])],
  ['a field of no name', multipartBody([{ name: '', bytes: '' }, text])],
  ['a field named __proto__', multipartBody([{ name: '__proto__', bytes: '' }, text])],
  ['a field named constructor', multipartBody([text, { name: 'constructor', bytes: '' }])],
  ['a file in a field named toString', multipartBody([{ ...text, name: 'toString' }])],
  ['a NUL in the name of the file', multipartBody([{ ...text, fileName: 'a.php\0.txt' }])],
  ['a head without a disposition', withHead('Content-Type: text/plain')],
  ['a disposition that is another', withHead('Content-Disposition: attachment; name="file"; filename="a.txt"')],
  ['a head that is none', withHead('x')],
  ['a text', 'text'],
  ['a form of the other kind', 'a=b', 'multipart/mixed; boundary=b'],
];

describe('a body that is not a form with one file', () => {
  it.each<[string, Buffer | string, string?]>(malformed)(
    'UPL-3 UP-01 %s is 4xx and leaves nothing',
    async (_what, sent, contentType) => {
      const upload = await createUploadApp();
      const headers = contentType === undefined ? multipartHeaders : { 'content-type': contentType };
      const answer = await upload.app.inject({ method: 'POST', url: '/files', headers, body: sent });
      const { code } = answer.json();
      expect([answer.statusCode, code]).toEqual(
        contentType?.startsWith('multipart/mixed')
          ? [415, 'FST_ERR_CTP_INVALID_MEDIA_TYPE']
          : [400, 'UPLOAD_MALFORMED'],
      );
      expect(upload.left()).toEqual([]);
      // The next upload is not affected.
      const next = await upload.app.inject({ method: 'POST', url: '/files', headers: multipartHeaders, body });
      expect(next.statusCode).toBe(200);
    },
  );

  it('UPL-3 JSON is 400 with the exact body', async () => {
    const { app } = await createUploadApp();
    expect((await app.inject({ method: 'POST', url: '/files', body: { a: 1 } })).json()).toEqual({
      statusCode: 400,
      code: 'UPLOAD_MALFORMED',
      error: 'Bad Request',
      message: 'This is not a form with one file: The body must be multipart/form-data',
    });
  });

  it.each(corpus.rawMultipart)('UP-01 UPL-2 $id of the corpus, $reason: $expected', async (raw) => {
    const upload = await createUploadApp();
    const answer = await upload.app.inject({
      method: 'POST',
      url: '/files',
      headers: { 'content-type': raw.contentType },
      body: Buffer.from(raw.body, 'base64'),
    });
    const isAccepted = raw.expected === 'accept';
    expect(Math.floor(answer.statusCode / 100)).toBe(isAccepted ? 2 : 4);
    expect(upload.left()).toHaveLength(isAccepted ? 1 : 0);
  });

  it('UPL-3 UP-01 arbitrary bytes as a form are never 5xx, and only acknowledged files are stored', async () => {
    const upload = await createUploadApp();
    const whole = multipartBody([{ name: 'note', bytes: 'x' }, text, { name: 'other', bytes: 'y' }]);
    const corrupted = fc
      .tuple(fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }), fc.nat(), fc.boolean())
      .map(([changes, cut, isCut]) => {
        const bytes = Buffer.from(whole);
        for (const [place, byte] of changes) bytes[place % bytes.length] = byte;
        return isCut ? bytes.subarray(0, cut % bytes.length) : bytes;
      });
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          corrupted,
          fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
        ),
        async (sent) => {
          const { statusCode } = await upload.app.inject({
            method: 'POST',
            url: '/files',
            headers: multipartHeaders,
            body: sent,
          });
          if (statusCode === 200) stored++;
          else expect([400, 415]).toContain(statusCode);
          expect(upload.left()).toHaveLength(stored);
        },
      ),
      { numRuns: cases(300) },
    );
  });
});
