import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyInstance, type FastifyRequest, type RouteHandlerMethod } from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import uploadPolicy, { createFileDestination, type UploadDestination, type UploadPolicyOptions } from '../src/index.js';
import { multipartBody, multipartHeaders, type Part } from './multipart-body.js';
import { createUploadApp } from './upload-app.js';

const note: Part = { fileName: 'a.txt', mediaType: 'text/plain', bytes: 'text '.repeat(50_000) };
const refused: Part = { ...note, fileName: 'a.exe' };
const send = (app: FastifyInstance, ...parts: readonly Part[]) =>
  app.inject({ method: 'POST', url: '/files', headers: multipartHeaders, body: multipartBody(parts) });

const setupFault = (words: string) => ({
  statusCode: 500,
  code: 'UPLOAD_POLICY_SETUP_INVALID',
  message: expect.stringContaining(words),
});

/** An application with a handler of its own. */
async function createApp(handler: (app: FastifyInstance) => RouteHandlerMethod, options: UploadPolicyOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mistakes-'));
  const logged: string[] = [];
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => void logged.push(line) } } });
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await app.register(uploadPolicy, options);
  app.post('/files', handler(app));
  let kept = 0;
  const destination = () =>
    createFileDestination({ folder, keep: (_file, path) => rename(path, join(folder, `kept-${++kept}`)) });
  return { app, logged, destination, left: () => readdirSync(folder) };
}

describe('the parser of forms', () => {
  it.each<[string, (request: FastifyRequest) => unknown]>([
    ['file', (request) => request.file()],
    ['files', (request) => request.files().next()],
    ['parts', (request) => request.parts().next()],
    ['saveRequestFiles', (request) => request.saveRequestFiles()],
  ])('ADP-10 request.%s() is refused: it would read the form without the policy', async (name, read) => {
    const { app } = await createApp(() => async (request) => read(request));
    const fault = setupFault(`request.${name}() would take files without the policy: call app.uploadPolicy.receive`);
    expect((await send(app, note)).json()).toMatchObject(fault);
    // A scope below has it from the scope of the plugin.
    const outer = Fastify();
    onTestFinished(() => outer.close());
    await outer.register(uploadPolicy);
    await outer.register(async (scope) => void scope.post('/files', async (request) => read(request)));
    expect((await send(outer, note)).json()).toMatchObject(fault);
  });

  it('ADP-10 other decorators of the request are not affected', async () => {
    const { app, destination } = await createApp((it) => async (request) => {
      await it.uploadPolicy.receive(request, destination());
      return { answer: Reflect.get(request, 'answer') };
    });
    app.decorateRequest('answer', 42);
    expect((await send(app, note)).json()).toEqual({ answer: 42 });
  });

  it('ADP-10 a request of a scope without the plugin is refused', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    let receiver: FastifyInstance | undefined;
    await app.register(async (scope) => {
      await scope.register(uploadPolicy, { scope: 'encapsulated' });
      receiver = scope;
    });
    app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
    const discard = vi.fn(async () => {});
    app.post('/files', async (request) =>
      receiver?.uploadPolicy.receive(request, { write: vi.fn(), commit: vi.fn(), discard }),
    );
    expect((await send(app, note)).json()).toMatchObject(
      setupFault('a scope in which upload-policy is not registered'),
    );
    expect(discard).toHaveBeenCalledOnce();
  });
});

describe('a form', () => {
  it('ADP-10 with two files is told so', async () => {
    const { app } = await createUploadApp();
    for (const second of [note, refused, { ...note, name: 'other' }]) {
      expect((await send(app, note, second)).json()).toMatchObject({
        statusCode: 400,
        code: 'UPLOAD_MALFORMED',
        message: 'This is not a form with one file: The form has more than one file',
      });
    }
  });
});

describe('receive', () => {
  it('ADP-10 twice for one request is a setup error, and the first file stays', async () => {
    const upload = await createApp((app) => async (request) => {
      await app.uploadPolicy.receive(request, upload.destination());
      return app.uploadPolicy.receive(request, upload.destination());
    });
    expect((await send(upload.app, note)).json()).toMatchObject(setupFault('was called before for this request'));
    expect(upload.left()).toEqual(['kept-1']);
  });

  it.each<[string, unknown]>([
    ['no destination', undefined],
    ['a text', '/var/uploads'],
    ['null', null],
    ['the options of one', { folder: '/var/uploads', keep: async () => {} }],
  ])('ADP-10 with %s says what a destination is', async (_what, destination) => {
    const { app } = await createApp((it) => async (request) => it.uploadPolicy.receive(request, destination as never));
    expect((await send(app, note)).json()).toMatchObject(
      setupFault('receive takes a destination as its second argument: createFileDestination({ folder, keep })'),
    );
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['an empty text', ''],
    ['a number', 7],
    ['a promise', Promise.resolve('ann')],
  ])('ADP-10 UPL-10 with an uploaderOf that returns %s is a setup error', async (_what, uploader) => {
    const upload = await createApp(
      (app) => async (request) => app.uploadPolicy.receive(request, upload.destination()),
      { uploaderOf: () => uploader as string },
    );
    const fault = setupFault('uploaderOf must return a text that is not empty');
    expect((await send(upload.app, note)).json()).toMatchObject(fault);
    expect(upload.left()).toEqual([]);
    const counted = upload.app.uploadPolicy.countWhile({} as FastifyRequest, async () => 'never');
    await expect(counted).rejects.toMatchObject(fault);
  });

  it.skipIf(lacks('posix'))('UPL-10 counts the clients of a Unix socket as one uploader', async () => {
    const upload = await createApp((app) => async (request) => app.uploadPolicy.receive(request, upload.destination()));
    const folder = mkdtempSync(join(tmpdir(), 'unix-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const socketPath = join(folder, 'socket');
    await upload.app.listen({ path: socketPath });
    const status = await new Promise((resolve, reject) => {
      httpRequest({ socketPath, path: '/files', method: 'POST', headers: multipartHeaders }, (response) => {
        text(response).then(() => resolve(response.statusCode), reject);
      })
        .on('error', reject)
        .end(multipartBody([note]));
    });
    expect(status).toBe(200);
  });

  it('UPL-8 a failure is logged once, with the id of its request and the cause', async () => {
    const { app, logged } = await createApp(
      (it) => async (request) =>
        it.uploadPolicy.receive(request, {
          write: async () => {
            throw new Error('EIO');
          },
          commit: async () => {},
          discard: async () => {},
        }),
    );
    expect((await send(app, note)).json().code).toBe('UPLOAD_NOT_STORED');
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0]!)).toMatchObject({ reqId: 'req-1', err: { stack: expect.stringContaining('EIO') } });
  });
});

describe('a receive that nobody awaits', () => {
  /** Rejections that nobody handles: outside of a test they end the process. */
  function watchRejections() {
    const unhandled: unknown[] = [];
    const add = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', add);
    onTestFinished(() => void process.off('unhandledRejection', add));
    return unhandled;
  }

  it.each([200, 201])('ADP-10 an answer of %i becomes the refusal, and the process goes on', async (code) => {
    const unhandled = watchRejections();
    const upload = await createApp((app) => async (request, reply) => {
      app.uploadPolicy.receive(request, upload.destination());
      return reply.code(code).send({ ok: true });
    });
    expect((await send(upload.app, refused)).json()).toMatchObject({ statusCode: 415, code: 'UPLOAD_TYPE_REFUSED' });
    expect((await send(upload.app, refused)).statusCode).toBe(415);
    expect(upload.logged.join()).toContain('before receive has settled: write `await app.uploadPolicy.receive(…)`');
    const accepted = await send(upload.app, note);
    expect([accepted.statusCode, accepted.json()]).toEqual([code, { ok: true }]);
    expect(upload.left()).toEqual(['kept-1']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it('ADP-10 a fault that shows at once becomes the answer, too, also after other work', async () => {
    const unhandled = watchRejections();
    const { app } = await createApp((it) => async (request) => {
      it.uploadPolicy.receive(request, undefined as never);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { ok: true };
    });
    expect((await send(app, note)).json()).toMatchObject(setupFault('receive takes a destination'));
    expect(unhandled).toEqual([]);
  });

  it('ADP-10 a refusal that the handler caught, and its own answer of an error, stay', async () => {
    const caught = await createApp(
      (app) => async (request) =>
        app.uploadPolicy
          .receive(request, caught.destination())
          .catch(({ code }: { code: string }) => ({ caught: code })),
    );
    const answer = await send(caught.app, refused);
    expect([answer.statusCode, answer.json()]).toEqual([200, { caught: 'UPLOAD_TYPE_REFUSED' }]);
    const own = await createApp((app) => async (request, reply) => {
      app.uploadPolicy.receive(request, own.destination());
      return reply.code(409).send({ ok: false });
    });
    expect((await send(own.app, refused)).statusCode).toBe(409);
    expect([caught.logged, own.logged]).toEqual([[], []]);
  });
});

describe('one destination for two requests', () => {
  /** An application whose handler uses the same destination for all requests. */
  const sharing = async (share: (destination: UploadDestination<void>) => UploadDestination<void>) => {
    let shared: UploadDestination<void> | undefined;
    const upload = await createApp((app) => async (request) => {
      shared ??= upload.destination();
      return app.uploadPolicy.receive(request, share(shared));
    });
    return upload;
  };

  it.each<[string, (it: UploadDestination<void>) => UploadDestination<void>]>([
    ['itself', (it) => it],
    ['in a wrapper', (it) => ({ ...it })],
  ])('ADP-10 UPL-8 %s: the second at a time is a setup error, and the first is stored', async (_what, share) => {
    const upload = await sharing(share);
    const answers = await Promise.all([send(upload.app, note), send(upload.app, note)]);
    const failed = answers.filter(({ statusCode }) => statusCode !== 200);
    expect(failed.map((answer) => answer.json())).toEqual([
      { ...setupFault('a destination takes one upload; make it in the handler'), error: 'Internal Server Error' },
    ]);
    expect(upload.left()).toEqual(['kept-1']);
    // One after the other they don't meet.
    expect((await send(upload.app, refused)).statusCode).toBe(415);
    expect((await send(upload.app, note)).statusCode).toBe(200);
    expect(upload.left()).toEqual(['kept-1', 'kept-2']);
  });
});
