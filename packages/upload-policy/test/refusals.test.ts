import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyPluginCallback } from 'fastify';
import fp from 'fastify-plugin';
import { describe, expect, it, onTestFinished } from 'vitest';
import uploadPolicy, { UPLOAD_REFUSAL_REASONS, type UploadRefusalReason, uploadRefusalSchema } from '../src/index.js';
import { buildCompound } from './compound-builder.js';
import { multipartBody, multipartHeaders, type Part } from './multipart-body.js';
import { createUploadApp } from './upload-app.js';
import { type BuiltEntry, buildZip } from './zip-builder.js';

const entry: BuiltEntry = { name: 'a.txt', bytes: 'some text' };

const zip = (...entries: readonly BuiltEntry[]): Part => ({
  fileName: 'a.zip',
  mediaType: 'application/zip',
  bytes: buildZip(entries),
});

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const WORD_ENTRIES: readonly BuiltEntry[] = [
  {
    name: '_rels/.rels',
    bytes:
      '<Relationships><Relationship Id="r" Target="word/document.xml" ' +
      'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>',
  },
  { name: 'word/document.xml', bytes: '<document/>' },
  {
    name: '[Content_Types].xml',
    bytes: `<Types><Override PartName="/word/document.xml" ContentType="${WORD}.document.main+xml"/></Types>`,
  },
];
const docx = (...others: readonly BuiltEntry[]): Part => ({
  fileName: 'a.docx',
  mediaType: `${WORD}.document`,
  bytes: buildZip([...WORD_ENTRIES, ...others]),
});
const encrypted = buildCompound([
  { name: 'EncryptedPackage', type: 'stream', right: 2 },
  { name: 'EncryptionInfo', type: 'stream' },
]);
const manyEntries = Array.from({ length: 10_001 }, (_, n) => ({ name: `${n}`, isStored: true }));

/** One file for each reason. */
const refusedFiles: Readonly<Record<UploadRefusalReason, Part>> = {
  EMPTY: { fileName: 'a.txt', mediaType: 'text/plain', bytes: '' },
  TOO_LARGE: { fileName: 'a.txt', mediaType: 'text/plain', bytes: ' '.repeat(1024 * 1024 + 1) },
  EXTENSION_MISSING: { fileName: 'a', mediaType: 'text/plain', bytes: 'text' },
  EXTENSION_NOT_ALLOWED: { fileName: 'a.exe', mediaType: 'text/plain', bytes: 'text' },
  MEDIA_TYPE_NOT_ALLOWED: { fileName: 'a.txt', mediaType: 'application/x-msdownload', bytes: 'text' },
  HEADER_MISMATCH: { fileName: 'a.jpg', mediaType: 'image/jpeg', bytes: '<script>' },
  TEXT_INVALID: { fileName: 'a.txt', mediaType: 'text/plain', bytes: 'a\0' },
  ARCHIVE_UNREADABLE: { ...zip(entry), bytes: buildZip([entry]).subarray(0, -10) },
  ARCHIVE_TOO_MANY_ENTRIES: zip(...manyEntries),
  ARCHIVE_BOMB: zip({ name: 'zeros', bytes: Buffer.alloc(1000), declaredBytes: 999 }),
  ARCHIVE_CRC_MISMATCH: zip({ ...entry, declaredCrc: 1 }),
  ARCHIVE_TRAVERSAL: zip({ ...entry, name: '../a.txt' }),
  ARCHIVE_AMBIGUOUS: zip({ ...entry, local: { name: 'b.exe' } }),
  OFFICE_PART_MISSING: { ...docx(), bytes: buildZip([entry]) },
  OFFICE_ENTRY_DUPLICATE: docx({ name: 'word/document.xml', bytes: '<other/>' }),
  OFFICE_ENCRYPTED: { fileName: 'a.doc', mediaType: 'application/msword', bytes: encrypted },
  OFFICE_MACROS: docx({ name: 'word/vbaProject.bin', bytes: 'x' }),
};

const request = (part: Part, url = '/files') =>
  ({ method: 'POST', url, headers: multipartHeaders, body: multipartBody([part]) }) as const;

describe('the answer to a refused file', () => {
  it.each(UPLOAD_REFUSAL_REASONS)(
    'ADP-10 UPL-3 UPL-4 names the reason %s, with and without a schema',
    async (reason) => {
      const { app } = await createUploadApp({ policy: { maxSizeMb: 1 } });
      app.post('/described', { schema: { response: { '4xx': uploadRefusalSchema } } }, async (sent) =>
        app.uploadPolicy.receive(sent, { write: keepInMemory, commit: async () => {}, discard: async () => {} }),
      );
      const plain = await app.inject(request(refusedFiles[reason]));
      const { code, message } = plain.json();
      expect([400, 413, 415]).toContain(plain.statusCode);
      expect(message).toMatch(new RegExp(`^[A-Z].+ \\(${reason}\\)$`));
      expect(plain.json().reason).toBeUndefined();

      const described = await app.inject(request(refusedFiles[reason], '/described'));
      expect(described.statusCode).toBe(plain.statusCode);
      expect(described.json()).toEqual({
        ...plain.json(),
        code,
        reason,
        errors: [{ pointer: '/file', detail: message }],
      });
    },
  );

  it('ADP-10 keeps the shape of an error handler of the application, whose answers have the reason, too', async () => {
    const { app } = await createUploadApp();
    app.setErrorHandler((error: Error & { reason?: string }, _request, reply) =>
      reply.code(422).send({ problem: error.message, why: error.reason }),
    );
    app.post('/described', { schema: { response: { '4xx': uploadRefusalSchema } } }, async (sent) =>
      app.uploadPolicy.receive(sent, { write: keepInMemory, commit: async () => {}, discard: async () => {} }),
    );
    for (const url of ['/files', '/described']) {
      const { json } = await app.inject(request(refusedFiles.HEADER_MISMATCH, url));
      expect(json()).toEqual({ problem: expect.stringMatching(/\(HEADER_MISMATCH\)$/), why: 'HEADER_MISMATCH' });
    }
  });

  it('ADP-10 says what is wrong with a form', async () => {
    const { app } = await createUploadApp();
    const noFile = await app.inject(request({ name: 'note', bytes: 'text' }));
    expect(noFile.json()).toMatchObject({ message: 'This is not a form with one file: The form must have one file' });
    const none = await app.inject({ method: 'POST', url: '/files', body: {} });
    expect(none.json()).toMatchObject({
      code: 'UPLOAD_MALFORMED',
      message: 'This is not a form with one file: The body must be multipart/form-data',
    });
  });
});

describe('@fastify/multipart as well', () => {
  const start = (...plugins: readonly (FastifyPluginAsync | FastifyPluginCallback)[]) => {
    const app = Fastify();
    onTestFinished(() => app.close());
    for (const plugin of plugins) app.register(plugin);
    return app;
  };
  const refusal = (words: RegExp) => ({
    code: 'UPLOAD_POLICY_SETUP_INVALID',
    message: expect.stringMatching(words),
  });
  const WAY_OUT = /upload-policy brings @fastify\/multipart with it\..*sibling scopes/;

  it('ADP-10 registered before it stops the start, and is told the way out', async () => {
    await expect(start(multipart, uploadPolicy).ready()).rejects.toMatchObject(refusal(/is registered here/));
    await expect(start(multipart, uploadPolicy).ready()).rejects.toMatchObject(refusal(WAY_OUT));
    const inside = start(
      multipart,
      async (files: FastifyInstance) => void (await files.register(uploadPolicy, { scope: 'encapsulated' })),
    );
    await expect(inside.ready()).rejects.toMatchObject(refusal(WAY_OUT));
  });

  it('ADP-10 registered after it stops the start, and is told the way out', async () => {
    await expect(start(uploadPolicy, multipart).ready()).rejects.toMatchObject(refusal(/is registered after it/));
    await expect(start(uploadPolicy, multipart).ready()).rejects.toMatchObject(refusal(WAY_OUT));
    const inside = start(uploadPolicy, async (forms: FastifyInstance) => void (await forms.register(multipart)));
    await expect(inside.ready()).rejects.toMatchObject(refusal(WAY_OUT));
    const other = start(uploadPolicy, async (forms: FastifyInstance) =>
      forms.addContentTypeParser(['text/csv', 'multipart/form-data'], async () => null),
    );
    await expect(other.ready()).rejects.toMatchObject(refusal(WAY_OUT));
  });

  it('ADP-10 that has read the form before, in a scope older than the plugin, is named in the answer', async () => {
    const app = start(async (scope: FastifyInstance) => {
      await scope.register(multipart, { attachFieldsToBody: 'keyValues' });
      scope.post('/files', async (sent) =>
        scope.uploadPolicy.receive(sent, {
          write: keepInMemory,
          commit: async () => 'kept',
          discard: async () => {},
        }),
      );
    }, uploadPolicy);
    const answer = await app.inject(request({ fileName: 'a.txt', mediaType: 'text/plain', bytes: 'text' }));
    expect(answer.json()).toMatchObject({
      statusCode: 500,
      code: 'UPLOAD_POLICY_SETUP_INVALID',
      message: expect.stringContaining('attachFieldsToBody'),
    });
  });

  it('ADP-10 upload-policy twice stops the start', async () => {
    await expect(start(uploadPolicy, uploadPolicy).ready()).rejects.toMatchObject(refusal(/is registered already/));
  });

  it('ADP-10 other decorators and parsers of the application are not affected', async () => {
    const app = start(
      uploadPolicy,
      fp(async (fastify: FastifyInstance) => {
        fastify.decorate('answer', 42).addContentTypeParser('text/csv', { parseAs: 'string' }, async () => 'csv');
      }),
      async (child: FastifyInstance) => void child.decorate('childAnswer', 43),
    );
    app.post('/csv', async ({ body }) => ({ body }));
    await app.ready();
    expect(app.hasDecorator('answer')).toBe(true);
    expect(app.hasDecorator('childAnswer')).toBe(false);
    const headers = { 'content-type': 'text/csv' };
    expect((await app.inject({ method: 'POST', url: '/csv', headers, body: 'a;b' })).json()).toEqual({ body: 'csv' });
  });

  it('ADP-10 works in a sibling scope, in either order', async () => {
    const forms = async (scope: FastifyInstance) => {
      await scope.register(multipart, { attachFieldsToBody: 'keyValues' });
      scope.post('/form', async ({ body }) => ({ body }));
    };
    const files = async (scope: FastifyInstance) => {
      await scope.register(uploadPolicy, { scope: 'encapsulated' });
      scope.post('/files', async (sent) =>
        scope.uploadPolicy.receive(sent, { write: keepInMemory, commit: async () => 'kept', discard: async () => {} }),
      );
    };
    for (const app of [start(forms, files), start(files, forms)]) {
      const form = await app.inject(request({ name: 'note', bytes: 'text' }, '/form'));
      expect(form.json()).toEqual({ body: { note: 'text' } });
      const file = await app.inject(request({ fileName: 'a.txt', mediaType: 'text/plain', bytes: 'text' }));
      expect(file.json()).toMatchObject({ extension: 'txt', size: 4, stored: 'kept' });
    }
  });
});

/** Keeps a file in memory. */
async function keepInMemory(stream: AsyncIterable<Buffer>) {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  return { size: whole.length, read: async (at: number, length: number) => whole.subarray(at, at + length) };
}

describe('a handler that does without the policy', () => {
  const request = (url: string) => ({
    ...{ method: 'POST' as const, url, headers: multipartHeaders },
    body: multipartBody([{ fileName: 'a.exe', mediaType: 'text/plain', bytes: 'text' }]),
  });

  it.each(['file', 'files', 'formData', 'parts', 'saveRequestFiles'] as const)(
    'ADP-2 cannot read a form by request.%s, and is told what to call',
    async (name) => {
      const { app } = await createUploadApp();
      app.post('/own', async (asked) => asked[name]());
      const { statusCode, json } = await app.inject(request('/own'));
      expect(statusCode).toBe(500);
      expect(json().message).toBe(
        `upload-policy: request.${name}() would take files without the policy: call app.uploadPolicy.receive`,
      );
    },
  );

  it('ADP-2 is told what a destination is', async () => {
    const { app } = await createUploadApp();
    app.post('/own', async (asked) => app.uploadPolicy.receive(asked, '/var/uploads' as never));
    expect((await app.inject(request('/own'))).json().message).toContain('with the methods write, commit and discard');
  });
});
