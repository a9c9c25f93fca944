import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerTo, openAnswer, sendRequest } from '../../../scripts/open-answer.js';
import { access, createWatchedStore, openNode, owner, passSeconds, settle, until, useMovedBeats } from './open-node.js';
import { closeApps } from './test-app.js';

beforeEach(useMovedBeats);
afterEach(async () => {
  vi.useRealTimers();
  await closeApps();
});

const octets = { 'content-type': 'application/octet-stream' };

/** A Response of node-fetch, whose body is a stream of Node.js. */
class ForeignResponse {
  readonly status = 201;
  readonly statusText = '';
  readonly headers = new Map([['x-own', 'yes']]);
  readonly bodyUsed = false;
  readonly body = Readable.from(['of node-fetch']);
  get [Symbol.toStringTag]() {
    return 'Response';
  }
}

describe('what is open of a session', () => {
  it('TOK-14 may be a Response of another implementation', async () => {
    const node = await openNode(createWatchedStore(), {}, (app) => {
      app.get('/foreign', { config: access }, async () => new ForeignResponse());
    });
    const { token } = await node.tokens.issue(owner);
    const answer = await openAnswer(node.port, { url: '/foreign', token });
    expect(await answer.end).toBe('complete');
    expect([answer.status, answer.headers['x-own'], answer.text()]).toEqual([201, 'yes', 'of node-fetch']);
  });

  it('TOK-14 is cut within two seconds of the end on another node, and never looks complete', async () => {
    const watched = createWatchedStore();
    const other = await openNode(watched);
    const node = await openNode(watched, {}, function addStreams(app) {
      const endless = () => new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('first')) });
      app.get('/file', { config: access }, async (_request, reply) => {
        const content = new Readable({ read() {} });
        content.push('first');
        return reply.header('content-length', 1000).send(content);
      });
      app.get('/web', { config: access }, async (_request, reply) => reply.send(endless()));
      app.get('/response', { config: access }, async () => new Response(endless(), { headers: { 'x-own': 'yes' } }));
      app.get('/events', { config: access }, (request, reply) => {
        app.authTokens.onEnd(request, () => reply.raw.destroy());
        reply.hijack();
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write('first');
      });
    });
    const { token, sessionId } = await node.tokens.issue(owner);
    const rest = await node.tokens.issue(owner);
    const urls = ['/stream', '/file', '/web', '/response', '/events'];
    const opening = urls.map((url) => openAnswer(node.port, { url, token }));
    const resting = openAnswer(node.port, { url: '/stream', token: rest.token });
    await until(() => node.sources.length === 2);
    for (const source of node.sources) source.push('first');
    const answers = await Promise.all(opening);
    const kept = await resting;
    await until(() => [...answers, kept].every((answer) => answer.text() === 'first'));
    expect(answers[1]?.headers['content-length']).toBe('1000');
    expect(answers[3]?.headers['x-own']).toBe('yes');

    await other.tokens.revoke(sessionId);
    await passSeconds(1);
    expect(await Promise.all(answers.map(({ end }) => end))).toEqual(urls.map(() => 'cut'));
    await until(() => node.sources.filter(({ destroyed }) => destroyed).length === 1);
    const live = node.sources.find(({ destroyed }) => !destroyed);
    live?.push(' second');
    await until(() => kept.text() === 'first second');
    live?.push(null);
    expect(await kept.end).toBe('complete');
  });

  it('TOK-14 is cut at once by an end on the same node, by expiry, and by one sign-in too many', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched, { maxSessionsPerSubject: 2 });
    async function open() {
      const { token, sessionId } = await node.tokens.issue(owner);
      const answer = openAnswer(node.port, { url: '/stream', token });
      const place = node.sources.length;
      await until(() => node.sources.length > place);
      node.sources.at(-1)?.push('first');
      return { ...(await answer), sessionId };
    }
    const first = await open();
    await node.tokens.revoke(first.sessionId);
    expect(await first.end).toBe('cut');
    const second = await open();
    await node.tokens.revokeAll(owner);
    expect(await second.end).toBe('cut');
    const third = await open();
    await node.tokens.issue(owner);
    await node.tokens.issue(owner);
    expect(await third.end).toBe('cut');
    const fourth = await open();
    watched.clock.advance(29 * 60);
    await passSeconds(1);
    watched.calls.write = 0;
    watched.clock.advance(2 * 60);
    await passSeconds(1);
    expect([await fourth.end, watched.calls.write]).toEqual(['cut', 0]);
  });

  it('TOK-14 is refused with 401 where nothing was sent yet', async () => {
    const node = await openNode(createWatchedStore());
    const { token, sessionId } = await node.tokens.issue(owner);
    const answer = openAnswer(node.port, { url: '/stream', token });
    await until(() => node.sources.length === 1);
    await node.tokens.revoke(sessionId, 'ACCOUNT_DISABLED');
    const { status, text, end, headers } = await answer;
    expect([status, await end, JSON.parse(text()).code]).toEqual([401, 'complete', 'ACCOUNT_DISABLED']);
    expect(headers['www-authenticate']).toContain('invalid_token');
    await until(() => node.sources[0]?.destroyed === true);
  });

  it('TOK-14 of a slow client is cut though its connection is full, and its source ends', async () => {
    const node = await openNode(createWatchedStore(), {}, (app) => {
      app.get('/large', { config: access }, async () => {
        const content = new Readable({
          read() {
            this.push(Buffer.alloc(65_536));
          },
        });
        large.push(content);
        return content;
      });
    });
    const large: Readable[] = [];
    const { token, sessionId } = await node.tokens.issue(owner);
    const socket = connect(node.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET /large HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`);
    socket.pause();
    await until(() => large.length === 1);
    await settle();
    await node.tokens.revoke(sessionId);
    await until(() => large[0]?.destroyed === true);
    const sent = await text(socket);
    expect(sent.endsWith('0\r\n\r\n')).toBe(false);
  });

  it('TOK-14 ends through hooks that come after it, such as a compression', async () => {
    const { createGzip } = await import('node:zlib');
    const node = await openNode(createWatchedStore(), {}, (app) => {
      // Errors of the payload don't reach the other stream, as in many such hooks.
      app.addHook('onSend', async (_request, reply, payload) => {
        if (!(payload instanceof Readable)) return payload;
        reply.header('content-encoding', 'gzip');
        return payload.pipe(createGzip({ flush: 2 }));
      });
    });
    const { token, sessionId } = await node.tokens.issue(owner);
    const answer = openAnswer(node.port, { url: '/stream', token });
    await until(() => node.sources.length === 1);
    node.sources[0]?.push('first');
    const { end, text: arrived } = await answer;
    await until(() => arrived() !== '');
    await node.tokens.revoke(sessionId);
    expect(await end).toBe('cut');
    await until(() => node.sources[0]?.destroyed === true);
  });

  it('TOK-14 is the same for HEAD, for an unchanged file and for a whole one, and nothing of it stays', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched, {}, function addFiles(app) {
      app.get('/file', { config: access }, async ({ method }, reply) =>
        reply
          .header('content-length', 7)
          .header('etag', '"1"')
          .send(Readable.from(method === 'HEAD' ? [] : ['con', 'tent'], { objectMode: false })),
      );
      app.get('/unchanged', { config: access }, async (_request, reply) =>
        reply.code(304).header('etag', '"1"').send(Readable.from([])),
      );
      app.get('/nothing', { config: access }, async (_request, reply) => reply.code(204).send(Readable.from(['x'])));
      app.get('/failing', { config: access }, async (_request, reply) =>
        reply.send(Readable.from(failing(), { objectMode: false })),
      );
      async function* failing() {
        yield 'first';
        throw new Error('the disk is gone');
      }
    });
    const { token } = await node.tokens.issue(owner);
    const whole = await openAnswer(node.port, { url: '/file', token });
    expect([await whole.end, whole.text(), whole.headers['content-length']]).toEqual(['complete', 'content', '7']);
    const head = await openAnswer(node.port, { url: '/file', token, method: 'HEAD' });
    expect([await head.end, head.status, head.headers['content-length']]).toEqual(['complete', 200, '7']);
    const unchanged = await openAnswer(node.port, { url: '/unchanged', token });
    expect([await unchanged.end, unchanged.status, unchanged.headers.etag]).toEqual(['complete', 304, '"1"']);
    const nothing = await openAnswer(node.port, { url: '/nothing', token });
    expect([await nothing.end, nothing.status]).toEqual(['complete', 204]);
    const failing = await openAnswer(node.port, { url: '/failing', token });
    expect([await failing.end, failing.text()]).toEqual(['cut', 'first']);
    await settle();
    await passSeconds(2);
    expect(watched.calls.getAll).toBe(0);
  });

  it.each([
    ['a public route', null],
    ['a principal of another authentication', { ...owner, sessionId: 'not of this package' }],
  ])('TOK-14 leaves a stream of %s alone', async (_who, principal) => {
    const watched = createWatchedStore();
    const node = await openNode(watched, {}, (app) => {
      app.addHook('preHandler', async (request) => {
        request.principal = principal;
      });
    });
    const answer = openAnswer(node.port, { url: '/public' });
    await until(() => node.sources.length === 1);
    node.sources[0]?.push('first');
    const { text: arrived, end } = await answer;
    watched.state.isAway = true;
    await passSeconds(12);
    node.sources[0]?.push(' last');
    node.sources[0]?.push(null);
    expect([await end, arrived(), watched.calls.getAll]).toEqual(['complete', 'first last', 0]);
  });
});

describe('an unfinished upload', () => {
  it('TOK-14 is answered and cut with its session, and nothing is stored', async () => {
    const watched = createWatchedStore();
    const other = await openNode(watched);
    const node = await openNode(watched);
    const { token, sessionId } = await node.tokens.issue(owner);
    const sent = sendRequest(node.port, { method: 'POST', url: '/upload', token, headers: octets });
    sent.write('half');
    await until(() => node.uploads.begun === 1);
    await other.tokens.revoke(sessionId, 'PASSWORD_CHANGED');
    const answer = answerTo(sent);
    await passSeconds(1);
    const { status, text: arrived, end, headers } = await answer;
    expect([status, await end, JSON.parse(arrived()).code]).toEqual([401, 'complete', 'PASSWORD_CHANGED']);
    expect(headers.connection).toBe('close');
    await until(() => node.uploads.failed === 1);
    expect(node.uploads.stored).toBe(0);
  });

  it('TOK-14 is left alone while its session lives, and is not looked at when it is complete', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched);
    const { token, sessionId } = await node.tokens.issue(owner);
    const sent = sendRequest(node.port, { method: 'POST', url: '/upload', token, headers: octets });
    sent.write('half');
    await until(() => node.uploads.begun === 1);
    await passSeconds(3);
    expect(watched.calls.getAll).toBe(3);
    const answer = answerTo(sent);
    sent.end('half');
    expect([(await answer).status, node.uploads.stored]).toEqual([200, 1]);
    await settle();
    await passSeconds(3);
    expect(watched.calls.getAll).toBe(3);
    expect(await node.tokens.revoke(sessionId)).toBe(true);
  });

  it('TOK-14 is cut without an answer where the head was sent, and where its answer waits too long', async () => {
    const node = await openNode(createWatchedStore(), {}, function addUploads(app) {
      app.post('/echo', { config: access }, (request, reply) => {
        reply.hijack();
        reply.raw.writeHead(200);
        request.raw.on('error', () => {}).pipe(reply.raw);
      });
      app.post('/waiting', { config: access, onSend: () => new Promise<never>(() => {}) }, async (request) => {
        for await (const _chunk of request.raw);
      });
    });
    for (const url of ['/echo', '/waiting']) {
      const { token, sessionId } = await node.tokens.issue(owner);
      const sent = sendRequest(node.port, { method: 'POST', url, token, headers: octets });
      const closed = new Promise<void>((resolve) => sent.once('close', resolve));
      const arrived = once(node.app.server, 'request');
      sent.write('half');
      await arrived;
      await settle();
      await node.tokens.revoke(sessionId);
      await closed;
    }
  });

  it('TOK-14 that is answered at the same moment has one answer, and the process goes on', async () => {
    const waiting: (() => void)[] = [];
    const node = await openNode(createWatchedStore(), {}, function addUploads(app) {
      // What Fastify throws in `done` would end the process.
      app.addHook('onSend', (_request, _reply, _payload, done) => void waiting.push(done));
      app.post('/refused', { config: access }, async (_request, reply) => reply.code(413).send('too large'));
    });
    for (const [url, status] of [
      ['/refused', 413],
      ['/upload', 401],
    ] as const) {
      const { token, sessionId } = await node.tokens.issue(owner);
      const sent = sendRequest(node.port, { method: 'POST', url, token, headers: octets });
      const answer = answerTo(sent);
      sent.write('half');
      if (url === '/refused') await until(() => waiting.length === 1);
      else await until(() => node.uploads.begun === 1);
      await node.tokens.revoke(sessionId);
      // The body is complete while the refusal waits: the handler answers as well.
      sent.end();
      await settle();
      for (const go of waiting.splice(0)) go();
      expect((await answer).status).toBe(status);
      await settle();
      for (const go of waiting.splice(0)) go();
    }
  });

  it('TOK-14 TOK-13 of JSON text is answered when it is complete, and a parser that reads slowly is cut', async () => {
    const node = await openNode(createWatchedStore(), {}, (app) => {
      app.addContentTypeParser('text/csv', async (_request: unknown, payload: NodeJS.ReadableStream) => text(payload));
    });
    const { token, sessionId } = await node.tokens.issue(owner);
    const send = (type: string) => {
      const headers = { 'content-type': type };
      const sent = sendRequest(node.port, { method: 'POST', url: '/json', token, headers });
      sent.write('"a');
      return { sent, answer: answerTo(sent) };
    };
    const arrived = once(node.app.server, 'request');
    const json = send('application/json');
    await arrived;
    const csv = send('text/csv');
    await once(node.app.server, 'request');
    await settle();
    await node.tokens.revoke(sessionId);
    expect((await csv.answer).status).toBe(401);
    await settle();
    json.sent.end('b"');
    expect((await json.answer).status).toBe(401);
  });
});
