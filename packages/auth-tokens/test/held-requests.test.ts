import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { type HeldAnswer, holdRequest, until } from '../../../scripts/held-request.js';
import { lacks } from '../../../scripts/test-needs.js';
import { stores } from '../../../scripts/test-stores.js';
import authTokens, { type AuthTokensOptions } from '../src/index.js';
import { bearer, closeApps, issuer, openApp, signingKey, storeClockOf, TestClock } from './test-app.js';

afterEach(closeApps);

const owner = { subject: 'u-1', audience: 'admin' };
const write = 'api:orders:create';
const codeOf = ({ status, body }: HeldAnswer) => `${status} ${status < 300 ? body : JSON.parse(body).code}`;

/** A server that notes whose head has arrived, and what its handlers did. */
async function openServer(
  options: Partial<AuthTokensOptions>,
  app: FastifyInstance = openApp(),
  addRoutes: (noted: { made: number }) => void = () => {},
) {
  const noted = { heads: 0, made: 0 };
  const grants = { held: [write] as readonly string[] };
  await app.register(authTokens, {
    store: createMemoryStore(),
    issuer,
    signingKey,
    permissions: [write],
    loadPermissions: () => grants.held,
    ...options,
  });
  app.addHook('onRequest', async () => {
    noted.heads += 1;
  });
  const make = async () => {
    noted.made += 1;
    return 'made';
  };
  app.post('/orders', { config: { access: 'admin', permission: write } }, make);
  app.put('/profile', { config: { access: 'admin' } }, make);
  app.get('/profile', { config: { access: 'admin' } }, async () => 'read');
  app.post('/public', { config: { access: 'public' } }, make);
  addRoutes(noted);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  async function hold(method: string, url: string, token: string) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const heads = noted.heads;
    const held = await holdRequest(port, { method, url, headers, payload: '{"amount":"12.50"}' });
    await until(() => noted.heads > heads);
    return held;
  }
  return { app, port, noted, grants, hold, tokens: app.authTokens };
}

/** Head and body in one packet. */
async function sendAtOnce(port: number, token: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const head = `PUT /profile HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('HTTP/1.1 200');
  socket.destroy();
}

describe.each(stores)('a request whose body is held back, with sessions in %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('on two nodes', () => {
    it('TOK-13 changes nothing after its session was ended on another node, and answers why', async () => {
      const opened = await open();
      onTestFinished(() => opened.close());
      const node = await openServer({ store: opened.nodes[0] });
      const other = await openServer({ store: opened.nodes[1] });
      const ways: readonly [string, (sessionId: string) => Promise<unknown>][] = [
        ['SESSION_REVOKED', (sessionId) => other.tokens.revoke(sessionId)],
        ['SESSION_REVOKED', () => other.tokens.revokeAll(owner)],
        ['PASSWORD_CHANGED', () => other.tokens.revokeAll(owner, 'PASSWORD_CHANGED')],
        ['ACCOUNT_DISABLED', () => other.tokens.revokeAll(owner, 'ACCOUNT_DISABLED')],
      ];
      for (const [code, end] of ways) {
        const { token, sessionId } = await node.tokens.issue(owner);
        const held = await Promise.all([node.hold('POST', '/orders', token), node.hold('PUT', '/profile', token)]);
        await end(sessionId);
        for (const answer of await Promise.all(held.map((each) => each.release()))) {
          expect(codeOf(answer)).toBe(`401 ${code}`);
          expect(answer.headers).toContain('www-authenticate: bearer error="invalid_token"');
        }
      }
      const { token } = await node.tokens.issue(owner);
      const held = await node.hold('POST', '/orders', token);
      other.grants.held = [];
      expect([codeOf(await held.release()), node.noted.made]).toEqual(['200 made', 1]);
    });
  });
});

describe('a check when the body is complete', () => {
  it('TOK-13 refuses a request whose permission was taken away, though the route found it before', async () => {
    const { hold, grants, noted, tokens } = await openServer({});
    const { token } = await tokens.issue(owner);
    const held = await hold('POST', '/orders', token);
    grants.held = ['api:orders:read'];
    const answer = await held.release();
    expect([codeOf(answer), noted.made]).toEqual(['403 PERMISSION_DENIED', 0]);
    expect(answer.headers).toContain('www-authenticate: bearer error="insufficient_scope"');
  });

  it('TOK-13 TOK-11 is 503 where store or permissions cannot be read, and an ended session is 401 before', async () => {
    const store = createMemoryStore();
    const outage = { store: false, grants: false };
    const { hold, noted, tokens } = await openServer({
      store: { ...store, get: async (key) => (outage.store ? Promise.reject(new Error('away')) : store.get(key)) },
      loadPermissions: async () => (outage.grants ? Promise.reject(new Error('away')) : [write]),
    });
    const { token, sessionId } = await tokens.issue(owner);
    const held = [await hold('POST', '/orders', token), await hold('POST', '/orders', token)] as const;
    outage.store = true;
    expect(codeOf(await held[0].release())).toBe('503 SESSION_STORE_UNAVAILABLE');
    outage.store = false;
    outage.grants = true;
    expect(codeOf(await held[1].release())).toBe('503 PERMISSIONS_UNAVAILABLE');
    outage.grants = false;
    const last = await hold('POST', '/orders', token);
    outage.grants = true;
    await tokens.revoke(sessionId);
    expect([codeOf(await last.release()), noted.made]).toEqual(['401 SESSION_REVOKED', 0]);
  });

  it('TOK-13 PRF-3 reads the session once more for a body that came after its head, and writes nothing', async () => {
    const clock = new TestClock();
    const memory = createMemoryStore({ now: clock.now });
    const calls = { get: 0, compareAndSet: 0 };
    const store: TtlStore = {
      ...memory,
      get: (key) => {
        calls.get += 1;
        return memory.get(key);
      },
      compareAndSet: (...given) => {
        calls.compareAndSet += 1;
        return memory.compareAndSet(...given);
      },
    };
    const { app, port, tokens, hold } = await openServer({ store, clock: storeClockOf(clock) });
    const { token } = await tokens.issue(owner);
    const headers = bearer(token) ?? {};
    const callsOf = async (send: () => Promise<unknown>) => {
      Object.assign(calls, { get: 0, compareAndSet: 0 });
      await send();
      return calls.get;
    };
    expect(await callsOf(() => app.inject({ url: '/profile', headers }))).toBe(1);
    expect(await callsOf(() => app.inject({ method: 'PUT', url: '/profile', headers }))).toBe(1);
    expect(await callsOf(() => app.inject({ method: 'POST', url: '/public', headers, payload: {} }))).toBe(0);
    // The first check came after the body.
    expect(await callsOf(() => app.inject({ method: 'PUT', url: '/profile', headers, payload: {} }))).toBe(1);
    expect(await callsOf(() => sendAtOnce(port, token))).toBe(1);
    // A session that was used a second ago is as idle after the second check as before.
    const held = await hold('PUT', '/profile', token);
    clock.advance(25 * 60);
    expect(await callsOf(() => held.release())).toBe(1);
    expect(calls.compareAndSet).toBe(0);
    clock.advance(5 * 60);
    expect((await app.inject({ url: '/profile', headers })).json().code).toBe('SESSION_EXPIRED');
    await app.close();
  });

  it('TOK-13 finds a session that expired while the body was held', async () => {
    const clock = new TestClock();
    const store = createMemoryStore({ now: clock.now });
    const { hold, noted, tokens } = await openServer({ store, clock: storeClockOf(clock) });
    const { token } = await tokens.issue(owner);
    const held = await hold('PUT', '/profile', token);
    clock.advance(31 * 60);
    expect([codeOf(await held.release()), noted.made]).toEqual(['401 SESSION_EXPIRED', 0]);
  });

  it('TOK-13 holds over HTTP/2, where a body needs no header', async () => {
    const app = Fastify({ http2: true }) as unknown as FastifyInstance;
    onTestFinished(() => app.close());
    const { port, noted, tokens } = await openServer({}, app);
    const client = connectHttp2(`http://127.0.0.1:${port}`);
    onTestFinished(() => void client.destroy());
    for (const [isEnded, status] of [
      [false, 200],
      [true, 401],
    ] as const) {
      const { token, sessionId } = await tokens.issue(owner);
      const heads = noted.heads;
      const head = { ':method': 'PUT', ':path': '/profile', authorization: `Bearer ${token}` };
      const stream = client.request({ ...head, 'content-type': 'application/json' });
      await until(() => noted.heads > heads);
      if (isEnded) await tokens.revoke(sessionId);
      stream.end('{}');
      const [headers] = await once(stream.resume(), 'response');
      expect(headers[':status']).toBe(status);
    }
    expect(noted.made).toBe(1);
  });
});

describe('confirm', () => {
  it('TOK-13 tells a handler that read the body itself that the session or the permission is gone', async () => {
    const app = openApp();
    app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
    const { port, noted, grants, tokens } = await openServer({}, app, function addStreaming(noted) {
      app.post('/files', { config: { access: 'admin', permission: write } }, async (request) => {
        for await (const _chunk of request.raw);
        await app.authTokens.confirm(request);
        noted.made += 1;
        return 'stored';
      });
      app.post('/open', { config: { access: 'public' } }, async (request) => {
        await app.authTokens.confirm(request);
        return 'open';
      });
    });
    async function upload(change: (sessionId: string) => unknown): Promise<string> {
      const { token, sessionId } = await tokens.issue(owner);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
      const heads = noted.heads;
      const held = await holdRequest(port, { method: 'POST', url: '/files', headers, payload: 'content' });
      await until(() => noted.heads > heads);
      await change(sessionId);
      return codeOf(await held.release());
    }
    expect(await upload(() => undefined)).toBe('200 stored');
    expect(await upload((sessionId) => tokens.revoke(sessionId))).toBe('401 SESSION_REVOKED');
    expect(
      await upload(() => {
        grants.held = [];
      }),
    ).toBe('403 PERMISSION_DENIED');
    expect(noted.made).toBe(1);
    expect((await app.inject({ method: 'POST', url: '/open' })).body).toBe('open');
  });
});

describe('a session that another authentication of the route has checked', () => {
  /** A public route whose own hook sets the principal, and one whose principal is none of the plugin. */
  async function openBoth() {
    const app = openApp();
    const principalOf = async ({ headers }: FastifyRequest) =>
      headers.authorization === 'Bearer other'
        ? { audience: 'admin', subject: 'u-9', sessionId: 'of another plugin' }
        : app.authTokens.check(headers.authorization?.replace('Bearer ', '') ?? '');
    return openServer({}, app, function addBoth(noted) {
      const bySession = async (request: FastifyRequest) => {
        request.principal = await principalOf(request);
      };
      const both = { config: { access: 'public' as const }, onRequest: bySession };
      app.post('/both', both, async () => {
        noted.made += 1;
        return 'made';
      });
      app.get('/waits', both, async (request) => {
        await waited;
        await app.authTokens.confirm(request);
        return 'confirmed';
      });
    });
  }
  let waited: Promise<unknown> = Promise.resolve();

  it('TOK-13 is checked again when the body is there, as in front of the other routes', async () => {
    const { hold, noted, tokens } = await openBoth();
    const ways = [
      ['SESSION_REVOKED', (sessionId: string) => tokens.revoke(sessionId)],
      ['PASSWORD_CHANGED', () => tokens.revokeAll(owner, 'PASSWORD_CHANGED')],
    ] as const;
    for (const [code, end] of ways) {
      const { token, sessionId } = await tokens.issue(owner);
      const held = await hold('POST', '/both', token);
      await end(sessionId);
      expect([codeOf(await held.release()), noted.made]).toEqual([`401 ${code}`, 0]);
    }
    const { token } = await tokens.issue(owner);
    expect(codeOf(await (await hold('POST', '/both', token)).release())).toBe('200 made');
    // A principal that is none of the plugin is left alone.
    expect(codeOf(await (await hold('POST', '/both', 'other')).release())).toBe('200 made');
  });

  it('TOK-13 is confirmed by its session, and what is no session of the plugin is refused', async () => {
    const { app, tokens } = await openBoth();
    const ask = async (token: string) => {
      const { statusCode, body } = await app.inject({ url: '/waits', headers: bearer(token) ?? {} });
      return statusCode === 200 ? body : JSON.parse(body).code;
    };
    const { token, sessionId } = await tokens.issue(owner);
    expect(await ask(token)).toBe('confirmed');
    let end = () => {};
    waited = new Promise<void>((resolve) => {
      end = resolve;
    });
    const asked = ask(token);
    await tokens.revoke(sessionId);
    end();
    expect(await asked).toBe('SESSION_REVOKED');
    expect(await ask('other')).toBe('TOKEN_INVALID');
  });
});
