import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as uploadPolicy from '../src/index.js';
import { multipartBody, multipartHeaders, type Part } from './multipart-body.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const server = /```js\n([\s\S]*?)```/.exec(readme)![1]!;

/** The server of the README, up to the line in which it listens. */
async function startReadmeServer(): Promise<FastifyInstance> {
  const modules: Record<string, object> = {
    '@sallyport/upload-policy': uploadPolicy,
    fastify: await import('fastify'),
    'node:crypto': await import('node:crypto'),
    'node:fs': await import('node:fs'),
    'node:fs/promises': await import('node:fs/promises'),
    'node:os': await import('node:os'),
    'node:path': await import('node:path'),
  };
  const body = server
    .replaceAll(/^import (\w+), (\{.*\}) from '(.*)';$/gm, "const $1 = modules['$3'].default, $2 = modules['$3'];")
    .replaceAll(/^import (\{.*\}) from '(.*)';$/gm, "const $1 = modules['$2'];")
    .replaceAll(/^import (\w+) from '(.*)';$/gm, "const $1 = modules['$2'].default;")
    .replace('{ logger: true }', '')
    .replace(/^await app\.listen.*$/m, 'return app;');
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const app = (await AsyncFunction('modules', body)(modules)) as FastifyInstance;
  onTestFinished(() => app.close());
  return app;
}

const send = (app: FastifyInstance, part: Part) =>
  app.inject({ method: 'POST', url: '/files', headers: multipartHeaders, body: multipartBody([part]) });

describe('the server of the README', () => {
  it('UPL-7 UP-07 accepts a file and serves it as its type, so that nothing in it runs', async () => {
    const app = await startReadmeServer();
    const html = '<script>alert(1)</script>';
    const taken = await send(app, { fileName: 'note.txt', mediaType: 'text/plain', bytes: html });
    expect(taken.statusCode).toBe(201);
    const served = await app.inject(`/files/${taken.json().id}`);
    expect(served.body).toBe(html);
    expect(served.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="note.txt"',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    });
    expect((await app.inject('/files/unknown')).statusCode).toBe(404);
  });

  it('UPL-3 refuses with the body that the README shows', async () => {
    const refusal = /```json\n([\s\S]*?)```/.exec(readme)![1]!;
    const app = await startReadmeServer();
    const refused = await send(app, { fileName: 'photo.jpg', mediaType: 'image/jpeg', bytes: '<script>' });
    expect(refused.json()).toEqual(JSON.parse(refusal));
  });
});

describe('the README', () => {
  it('UPL-1 states every default of the policy', () => {
    for (const [name, value] of Object.entries(uploadPolicy.UPLOAD_POLICY_DEFAULTS)) {
      const row = new RegExp(`^\\| \`${name}\` +\\|[^|]*\\| (.*?) +\\|`, 'm').exec(readme);
      const told = row?.[1]?.replaceAll('`', '');
      expect(told).toBe(name === 'allowedMimeTypes' ? 'those of the extensions' : String(value));
    }
  });

  it('UPL-3 UPL-4 names every reason, and every code with its status and message', () => {
    const reasons = readFileSync(new URL('../src/files/verdict.ts', import.meta.url), 'utf8').matchAll(
      /^ {2}\| '(\w+)'/gm,
    );
    for (const [, reason = ''] of reasons) {
      if (reason !== 'EMPTY' && reason !== 'TOO_LARGE') expect(readme).toContain(`\`${reason}\``);
    }
    const errors = [
      new uploadPolicy.UploadEmptyError(),
      new uploadPolicy.UploadTooLargeError(1),
      new uploadPolicy.UploadTooManyError(),
      new uploadPolicy.UploadMalformedError(''),
      new uploadPolicy.UploadPreviewRefusedError(),
      new uploadPolicy.UploadNotStoredError(),
      new uploadPolicy.UploadPolicyUnavailableError(),
    ];
    for (const { statusCode, code, message } of errors) {
      expect(readme).toMatch(new RegExp(`^\\| ${statusCode} +\\| \`${code}\` +\\| ${message} +\\|`, 'm'));
    }
  });
});
