import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openAnswer } from '../../../scripts/open-answer.js';
import { access, createWatchedStore, openNode, owner, passSeconds, settle, until, useMovedBeats } from './open-node.js';
import { closeApps } from './test-app.js';

beforeEach(useMovedBeats);
afterEach(async () => {
  vi.useRealTimers();
  await closeApps();
});

type Node = Awaited<ReturnType<typeof openNode>>;

/** Opens a stream, whose first chunk has arrived. */
async function openStream(node: Node, token: string, url = '/stream') {
  const place = node.sources.length;
  const answer = openAnswer(node.port, { url, token });
  await until(() => node.sources.length > place);
  const source = node.sources[place]!;
  source.push('first');
  return { ...(await answer), source };
}

describe('looking again at sessions', () => {
  it('TOK-14 PRF-3 is one read of the store per beat for all subjects, and prolongs no session', async () => {
    const watched = createWatchedStore();
    const lifetimes = vi.fn(async () => ({ admin: { idleSeconds: 1800, absoluteSeconds: 43_200 } }));
    const node = await openNode(watched, { lifetimes });
    for (const subject of ['u-1', 'u-1', 'u-2', 'u-3']) {
      await openStream(node, (await node.tokens.issue({ ...owner, subject })).token);
    }
    Object.assign(watched.calls, { get: 0, getAll: 0, write: 0 });
    lifetimes.mockClear();
    await passSeconds(5);
    expect(watched.calls).toEqual({ get: 0, getAll: 5, write: 0 });
    expect(lifetimes).toHaveBeenCalledTimes(5);
    watched.clock.advance(20 * 60);
    await passSeconds(1);
    watched.clock.advance(11 * 60);
    await passSeconds(1);
    await until(() => node.sources.every(({ destroyed }) => destroyed));
    await passSeconds(5);
    expect(watched.calls).toEqual({ get: 0, getAll: 7, write: 0 });
  });

  it('TOK-14 reads each subject of a store that has no getAll', async () => {
    const watched = createWatchedStore();
    const { getAll: _, ...store } = watched.store;
    const node = await openNode({ ...watched, store });
    const { token, sessionId } = await node.tokens.issue(owner);
    const other = await openNode(watched);
    const { end } = await openStream(node, token);
    watched.calls.get = 0;
    await passSeconds(2);
    expect(watched.calls.get).toBe(2);
    await other.tokens.revoke(sessionId);
    await passSeconds(1);
    expect(await end).toBe('cut');
  });

  it('TOK-14 of more than a thousand subjects is a call for each thousand, and each is parsed when it changes', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched);
    const other = await openNode(watched);
    const socket = { once: () => {}, off: () => {}, destroyed: false };
    const closed: string[] = [];
    const ids: string[] = [];
    for (let number = 0; number < 1001; number += 1) {
      const { sessionId } = await node.tokens.issue({ ...owner, subject: `u-${number}` });
      ids.push(sessionId);
      const request = { principal: { ...owner, sessionId }, raw: { socket } } as unknown as FastifyRequest;
      node.tokens.onEnd(request, () => closed.push(sessionId));
    }
    watched.calls.getAll = 0;
    await passSeconds(1);
    expect(watched.calls.getAll).toBe(2);
    const parse = vi.spyOn(JSON, 'parse');
    await other.tokens.revoke(ids[1000]!);
    parse.mockClear();
    await passSeconds(1);
    expect([closed, parse.mock.calls.length]).toEqual([[ids[1000]], 1]);
    parse.mockRestore();
  });

  it('TOK-14 leaves a session alone that begins while the records are on their way', async () => {
    const watched = createWatchedStore();
    let release: () => void = () => {};
    const getAll: typeof watched.store.getAll = async (keys) => {
      const values = await watched.memory.getAll!(keys);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return values;
    };
    const node = await openNode({ ...watched, store: { ...watched.memory, getAll } });
    const first = await openStream(node, (await node.tokens.issue(owner)).token);
    await passSeconds(1);
    const second = await openStream(node, (await node.tokens.issue(owner)).token);
    release();
    await settle();
    for (const { source } of [first, second]) source.push(null);
    expect([await first.end, await second.end]).toEqual(['complete', 'complete']);
  });

  it('TOK-14 stops when a client hangs up, and its source ends', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched, {}, function addStreams(app) {
      app.get('/web', { config: access }, async () => {
        const web = new ReadableStream({
          start: (controller) => controller.enqueue('first'),
          cancel: () => void cancelled.push('web'),
        });
        return web;
      });
      app.get('/events', { config: access }, (request, reply) => {
        app.authTokens.onEnd(request, () => {});
        reply.hijack();
        reply.raw.writeHead(200).write('first');
      });
    });
    const cancelled: string[] = [];
    const { token } = await node.tokens.issue(owner);
    const stream = await openStream(node, token);
    const others = await Promise.all(['/web', '/events'].map((url) => openAnswer(node.port, { url, token })));
    await passSeconds(2);
    const looks = watched.calls.getAll;
    expect(looks).toBe(2);
    for (const answer of [stream, ...others]) answer.hangUp();
    await until(() => stream.source.destroyed && cancelled.length === 1);
    await settle();
    await passSeconds(3);
    expect(watched.calls.getAll).toBe(looks);
  });

  it('TOK-14 cuts the sessions of a record that is unreadable, and no others', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched);
    const bad = await openStream(node, (await node.tokens.issue(owner)).token);
    const good = await openStream(node, (await node.tokens.issue({ ...owner, subject: 'u-2' })).token);
    await watched.memory.set('auth-tokens:session:admin:u-1', '{', 60_000);
    await passSeconds(1);
    expect(await bad.end).toBe('cut');
    await passSeconds(12);
    good.source.push(null);
    expect(await good.end).toBe('complete');
  });
});

describe('while the store is away', () => {
  it('TOK-14 nothing new is sent after 2 s, and after an outage of 5 s everything goes on', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched, {}, function addStreams(app) {
      app.get('/web', { config: access }, async () => new Response(Readable.toWeb(source(app)) as ReadableStream));
    });
    function source(_app: FastifyInstance) {
      const made = new Readable({ read() {} });
      node.sources.push(made as never);
      return made;
    }
    const { token } = await node.tokens.issue(owner);
    const stream = await openStream(node, token);
    const web = await openStream(node, token, '/web');
    await passSeconds(1);
    watched.state.isAway = true;
    await passSeconds(2);
    for (const { source } of [stream, web]) for (const text of [' held', ' too']) source.push(text);
    stream.source.push(null);
    await passSeconds(3);
    expect([stream.text(), web.text()]).toEqual(['first', 'first']);
    watched.state.isAway = false;
    await passSeconds(1);
    expect(await stream.end).toBe('complete');
    await until(() => web.text() === 'first held too');
    expect(stream.text()).toBe('first held too');
  });

  it('TOK-14 it is cut after 10 s, and a session that ended meanwhile is cut without another byte', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched);
    const other = await openNode({ ...watched, store: watched.memory });
    const ended = await node.tokens.issue(owner);
    const stream = await openStream(node, ended.token);
    watched.state.isAway = true;
    await passSeconds(3);
    stream.source.push(' held');
    await other.tokens.revoke(ended.sessionId);
    watched.state.isAway = false;
    await passSeconds(1);
    expect([await stream.end, stream.text()]).toEqual(['cut', 'first']);

    const errors: Error[] = [];
    const { token, sessionId } = await node.tokens.issue(owner);
    const request = { principal: { ...owner, sessionId }, raw: { socket: { once() {}, off() {} } } };
    node.tokens.onEnd(request as unknown as FastifyRequest, (error) => errors.push(error));
    const cut = await openStream(node, token);
    watched.state.isAway = true;
    await passSeconds(9);
    expect(cut.source.destroyed).toBe(false);
    await passSeconds(1);
    expect([await cut.end, cut.text()]).toEqual(['cut', 'first']);
    expect(errors).toEqual([expect.objectContaining({ code: 'SESSION_STORE_UNAVAILABLE', statusCode: 503 })]);
  });

  it('TOK-14 a store that never answers is away as well, and is asked again later', async () => {
    const watched = createWatchedStore();
    let isHanging = false;
    const getAll: typeof watched.store.getAll = (keys) =>
      isHanging ? new Promise(() => {}) : watched.memory.getAll!(keys);
    const node = await openNode({ ...watched, store: { ...watched.memory, getAll } });
    const { token } = await node.tokens.issue(owner);
    const stream = await openStream(node, token);
    isHanging = true;
    await passSeconds(11);
    expect(await stream.end).toBe('cut');
    isHanging = false;
    const later = await openStream(node, token);
    await passSeconds(12);
    later.source.push(' second');
    await until(() => later.text() === 'first second');
  });

  it('TOK-14 a process that was suspended looks before it cuts', async () => {
    const node = await openNode(createWatchedStore());
    const { token } = await node.tokens.issue(owner);
    const stream = await openStream(node, token);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    await passSeconds(1);
    stream.source.push(' second');
    await until(() => stream.text() === 'first second');
    vi.restoreAllMocks();
  });
});

describe('connections of a session', () => {
  it('TOK-14 are bounded: one more is refused with 429, its source ends, and there is room when one has ended', async () => {
    const node = await openNode(createWatchedStore(), { maxOpenConnections: 32 });
    const { token } = await node.tokens.issue(owner);
    const streams = [];
    for (let number = 0; number < 32; number += 1) streams.push(await openStream(node, token));
    const refused = await openAnswer(node.port, { url: '/stream', token });
    await refused.end;
    expect([refused.status, JSON.parse(refused.text()).code]).toEqual([429, 'SESSION_CONNECTIONS_EXCEEDED']);
    await until(() => node.sources[32]?.destroyed === true);
    const headers = { authorization: `Bearer ${token}` };
    expect((await node.app.inject({ url: '/me', headers })).statusCode).toBe(200);
    const another = await openStream(node, (await node.tokens.issue(owner)).token);
    another.source.push(null);
    expect(await another.end).toBe('complete');
    streams[0]?.source.push(null);
    await streams[0]?.end;
    expect((await openStream(node, token)).status).toBe(200);
  });

  it('TOK-14 give their room back if the client left while the store was asked', async () => {
    const watched = createWatchedStore();
    let asked = 0;
    let held: Promise<void> | null = null;
    const store = {
      ...watched.store,
      async get(key: string) {
        asked += 1;
        await held;
        return watched.store.get(key);
      },
    };
    const node = await openNode({ ...watched, store }, { maxOpenConnections: 32 });
    const { token } = await node.tokens.issue(owner);
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    const head = ['POST /upload HTTP/1.1', 'host: a', 'content-type: application/octet-stream', 'content-length: 9'];
    const sockets = Array.from({ length: 33 }, () => connect(node.port, '127.0.0.1').on('error', () => {}));
    const before = asked;
    for (const socket of sockets) socket.write(`${head.join('\r\n')}\r\nauthorization: Bearer ${token}\r\n\r\nhalf`);
    await until(() => asked === before + 33);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => {
      const open = await new Promise((resolve) => node.app.server.getConnections((_, count) => resolve(count)));
      expect(open).toBe(0);
    });
    release();
    await settle();
    expect((await openStream(node, token)).status).toBe(200);
  });

  it('TOK-14 on one connection of the client leave no listener behind', async () => {
    const node = await openNode(createWatchedStore(), {}, (app) => {
      app.get('/short', { config: access }, async () => Readable.from(['content'], { objectMode: false }));
    });
    const { token } = await node.tokens.issue(owner);
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let number = 0; number < 40; number += 1) {
      const options = { agent, port: node.port, path: '/short', headers: { authorization: `Bearer ${token}` } };
      const [answer] = await once(httpRequest({ host: '127.0.0.1', ...options }).end(), 'response');
      expect(await text(answer)).toBe('content');
    }
    await settle();
    expect(warnings).toEqual([]);
  });

  it('TOK-14 over HTTP/2 are streams of one socket: those of other sessions stay', async () => {
    const app = Fastify({ http2: true }) as unknown as FastifyInstance;
    onTestFinished(() => app.close());
    const node = await openNode(createWatchedStore(), {}, undefined, app);
    const client = connectHttp2(`http://127.0.0.1:${node.port}`);
    onTestFinished(() => void client.destroy());
    const ended = await node.tokens.issue(owner);
    const live = await node.tokens.issue(owner);
    const open = async (token: string) => {
      const place = node.sources.length;
      const stream = client.request({ ':path': '/stream', authorization: `Bearer ${token}` });
      const closed = once(
        stream.setEncoding('utf8').on('data', () => {}),
        'close',
      ).catch(() => {});
      await until(() => node.sources.length > place);
      node.sources[place]?.push('first');
      await once(stream, 'response');
      return { stream, closed };
    };
    const cut = await open(ended.token);
    const kept = await open(live.token);
    const head = { ':method': 'POST', ':path': '/upload', authorization: `Bearer ${ended.token}` };
    const upload = client.request({ ...head, 'content-type': 'application/octet-stream' });
    upload.on('error', () => {}).write('half');
    await until(() => node.uploads.begun === 1);
    const answered = once(upload, 'response');
    await node.tokens.revoke(ended.sessionId);
    expect((await answered)[0][':status']).toBe(401);
    await cut.closed;
    expect(cut.stream.rstCode).not.toBe(0);
    await until(() => node.uploads.failed === 1);
    expect([node.uploads.stored, kept.stream.closed, node.sources[1]?.destroyed]).toEqual([0, false, false]);
  });
});

describe('onEnd', () => {
  it('TOK-14 ends a WebSocket once, and not one that was taken back or whose client is gone', async () => {
    const closed: string[] = [];
    const node = await openNode(createWatchedStore(), {}, function addSocket(app) {
      app.get<{ Querystring: { name: string } }>('/socket', { config: access }, (request, reply) => {
        const { name } = request.query;
        const { socket } = request.raw;
        reply.hijack();
        const takeBack = app.authTokens.onEnd(request, (error) => {
          closed.push(`${name} ${(error as Error & { code: string }).code}`);
          socket.end();
        });
        if (name === 'taken back') takeBack();
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: own\r\nconnection: upgrade\r\n\r\n');
      });
    });
    const { token, sessionId } = await node.tokens.issue(owner);
    const open = async (name: string) => {
      const socket = connect(node.port, '127.0.0.1');
      const head = `GET /socket?name=${encodeURIComponent(name)} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}`;
      socket.write(`${head}\r\nupgrade: own\r\nconnection: upgrade\r\n\r\n`);
      await once(socket, 'data');
      return socket;
    };
    const live = await open('live');
    await open('taken back');
    const gone = await open('gone');
    gone.destroy();
    await settle();
    const end = once(live, 'close');
    await node.tokens.revoke(sessionId, 'ACCOUNT_DISABLED');
    await node.tokens.revokeAll(owner);
    await end;
    await passSeconds(2);
    expect(closed).toEqual(['live ACCOUNT_DISABLED']);
  });

  it('TOK-14 says pause and resume, also to what is opened meanwhile, and a failing call harms no other one', async () => {
    const watched = createWatchedStore();
    const node = await openNode(watched);
    const { sessionId } = await node.tokens.issue(owner);
    const calls: string[] = [];
    const open = (name: string) => {
      const request = { principal: { ...owner, sessionId }, raw: { socket: { once() {}, off() {} } } };
      const note = (call: string) => () => {
        calls.push(`${name} ${call}`);
        throw new Error('of the application');
      };
      const waiting = { pause: note('pause'), resume: note('resume') };
      node.tokens.onEnd(request as unknown as FastifyRequest, note('close'), waiting);
    };
    open('a');
    open('b');
    watched.state.isAway = true;
    await passSeconds(2);
    open('c');
    watched.state.isAway = false;
    await passSeconds(1);
    await node.tokens.revoke(sessionId);
    const names = ['a', 'b', 'c'];
    expect(calls).toEqual(
      [...['pause', 'resume', 'close'].map((call) => names.map((name) => `${name} ${call}`))].flat(),
    );
  });

  it('TOK-14 refuses a request without a session, and a close that is no function', async () => {
    const node = await openNode(createWatchedStore());
    const request = { principal: null } as FastifyRequest;
    expect(() => node.tokens.onEnd(request, () => {})).toThrow('The request has no session');
    expect(() => node.tokens.onEnd(request, undefined as never)).toThrow('close must be a function');
  });
});
