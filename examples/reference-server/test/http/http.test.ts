import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { chooseLanguage } from '../../src/http/language.js';
import { allRefusals, defineRefusal, refusalOf } from '../../src/http/refusal.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../support/test-app.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The names of all headers that the interface document has, in lower case. */
function documentedHeaders() {
  const requests = new Set<string>();
  const answers = new Set<string>();
  JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'), (key, value) => {
    if (value?.in === 'header') requests.add(value.name.toLowerCase());
    if (key === 'headers') for (const name of Object.keys(value)) answers.add(name.toLowerCase());
    return value;
  });
  return { requests: [...requests], answers: [...answers] };
}

describe('HTTP conventions', () => {
  let bench: TestBench;
  let app: App;
  let address: AddressInfo;
  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config({ SERVICE_TRUSTED_PROXIES: '10.9.9.9', SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000' });
    app = createApp(config);
    await bench.compose(app, config);
    app.get('/test/broken', { config: { access: 'public', audit: false } }, async () => {
      throw Object.assign(new Error('select password_hash from administrators at /srv/app.js'), { statusCode: 500 });
    });
    app.get('/test/teapot', { config: { access: 'public', audit: false } }, async () => {
      throw Object.assign(new Error('select secret'), { statusCode: 418, code: 'ODD' });
    });
    for (const [name, value] of Object.entries({
      null: null,
      text: 'select secret',
      object: { statusCode: 403, code: 'NOT_FOUND' },
    })) {
      app.get(`/test/throws/${name}`, { config: { access: 'public', audit: false } }, async () => {
        throw value;
      });
    }
    app.get('/test/slow', { config: { access: 'public', audit: false } }, async (_, reply) => {
      const halves = new PassThrough();
      halves.write('first half');
      return reply.header('content-length', 200).send(halves);
    });
    app.get('/test/list/:id', { config: { access: 'public', audit: false } }, async () => ({ data: [] }));
    await app.listen({ host: '127.0.0.1', port: 0 });
    address = app.server.address() as AddressInfo;
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  /** Sends raw bytes and returns everything until the server closes the connection. */
  async function raw(text: string): Promise<string> {
    const socket = connect(address.port, address.address);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  }

  const get = (target: string, headers = '') =>
    raw(`GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`);

  function problemOf(answer: string): Record<string, unknown> {
    expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json/i);
    return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  }

  it('HTTP-2 an error is problem+json with exactly the documented members', async () => {
    const response = await app.inject('/admin/profile');
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(response.json()).toEqual({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: 'Sign in first.',
      code: 'TOKEN_MISSING',
      requestId: response.headers['x-request-id'],
    });
  });

  it('HTTP-2 Accept-Language chooses Chinese or English, by weight, and English when in doubt', async () => {
    const { title, detail } = (
      await app.inject({ url: '/admin/profile', headers: { 'accept-language': 'zh-CN,zh;q=0.9' } })
    ).json();
    expect([title, detail]).toEqual(['未认证', '请先登录。']);
    expect(chooseLanguage('zh-TW')).toBe('zh-CN');
    expect(chooseLanguage('en;q=0.5, zh;q=0.8')).toBe('zh-CN');
    expect(chooseLanguage('zh;q=0.5, en-GB')).toBe('en');
    for (const odd of [undefined, '', '*', 'fr', 'zh;q=0', 'zh;q=x', `${'x,'.repeat(5000)}zh`])
      expect(chooseLanguage(odd)).toBe('en');
  });

  it('HTTP-2 every code that a client can receive has a text in both languages', () => {
    expect(allRefusals().length).toBeGreaterThan(80);
    for (const { code, texts } of allRefusals())
      expect(texts, code).toEqual({ en: expect.stringMatching(/.+\.$/), 'zh-CN': expect.stringMatching(/.+。$/) });
  });

  it('HTTP-2 a refusal is defined once: a second definition of its code is refused', () => {
    const twice = { code: 'NOT_FOUND', status: 404, en: 'Nothing.', 'zh-CN': '无。' };
    expect(() => defineRefusal(twice)).toThrow('the refusal NOT_FOUND is defined twice');
    expect(() => refusalOf({ code: 'UNKNOWN' })).toThrow('UNKNOWN has no texts');
  });

  it('HTTP-2 SV-08 a 500 contains no stack, SQL, path or version, and its request id finds it in the log', async () => {
    const response = await app.inject('/test/broken');
    expect(response.statusCode).toBe(500);
    expect(response.json()).toMatchObject({ code: 'INTERNAL_ERROR', requestId: response.headers['x-request-id'] });
    expect(`${response.body}${JSON.stringify(response.headers)}`).not.toMatch(/select|password|srv|at |fastify|node/i);
  });

  it('HTTP-2 SV-08 an error that is not meant for clients passes on its status, but neither message nor code', async () => {
    const response = await app.inject('/test/teapot');
    expect(response.json()).toMatchObject({ status: 418, code: 'REQUEST_REFUSED' });
    expect(response.body).not.toMatch(/select|ODD/);
  });

  it('SV-08 a thrown value that is not an error is 500, and the client sees nothing of it', async () => {
    for (const name of ['null', 'text', 'object']) {
      const response = await app.inject(`/test/throws/${name}`);
      expect(response.json()).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
      expect(response.body).not.toContain('secret');
    }
  });

  it.each([
    ['not JSON', 'application/json', '{"a":', 'BODY_MALFORMED', 400],
    ['empty', 'application/json', '', 'BODY_MALFORMED', 400],
    ['a poisoned prototype', 'application/json', '{"__proto__":{"a":1}}', 'BODY_MALFORMED', 400],
    ['a poisoned constructor', 'application/json', '{"constructor":{"prototype":{"a":1}}}', 'BODY_MALFORMED', 400],
    ['another content type', 'text/plain', 'x', 'MEDIA_TYPE_UNSUPPORTED', 415],
    ['a form', 'multipart/form-data; boundary=x', '--x--\r\n', 'MEDIA_TYPE_UNSUPPORTED', 415],
    ['too large', 'application/json', `{"username":"${'x'.repeat(200_000)}"}`, 'BODY_TOO_LARGE', 413],
  ])('HTTP-2 HTTP-4 a body that is %s gets a stable code', async (_what, contentType, payload, code, status) => {
    const response = await app.inject({
      method: 'POST',
      url: '/admin/auth/login',
      headers: { 'content-type': contentType },
      payload,
    });
    expect(response.json()).toMatchObject({ status, code });
  });

  it('HTTP-4 an unexpected property is refused with its pointer, not dropped, on every route that takes a body', async () => {
    const headers = await bearer(app);
    const requests = [
      { method: 'POST', url: '/admin/auth/login', payload: { ...credentials, 'ro/le~': 'root' } },
      { method: 'PUT', url: '/admin/profile', payload: { displayName: 'A', 'ro/le~': 'root' } },
      { method: 'POST', url: '/auth/logout', payload: { 'ro/le~': 'root' } },
    ] as const;
    for (const request of requests) {
      const response = await app.inject({ ...request, headers });
      expect(response.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    }
    expect((await app.inject({ ...requests[0], headers })).json().errors).toEqual([
      { pointer: '/ro~1le~0', detail: 'is not an accepted property' },
    ]);
  });

  it('HTTP-4 every body schema refuses unknown properties', async () => {
    const config = bench.config();
    const fresh = createApp(config);
    const open: string[] = [];
    fresh.addHook('onRoute', ({ method, url, schema }) => {
      // Browsers add members to a credential; the library that verifies it reads those that it knows.
      const closed = (name: string, value: unknown) => (name === 'credential' ? undefined : value);
      const text = JSON.stringify(schema?.body ?? { additionalProperties: false }, closed);
      const objects = text.split('"type":"object"').length - 1;
      if (text.split('"additionalProperties":false').length - 1 < objects) open.push(`${method} ${url}`);
    });
    await bench.compose(fresh, config);
    await fresh.ready();
    await fresh.close();
    expect(open).toEqual([]);
  });

  it('HTTP-4 types in a body are not coerced', async () => {
    for (const wrong of [
      { username: 7 },
      { username: true },
      { username: null },
      { password: 123 },
      { terminal: ['web'] },
    ]) {
      expect((await signIn(app, { ...credentials, ...wrong })).json()).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
      });
    }
  });

  it('HTTP-3 AU-13 every response has its own id: success, refusal, unknown path, bad URL, malformed HTTP', async () => {
    const answers = await Promise.all([
      get('/actuator/health'),
      get('/admin/profile'),
      get('/nothing'),
      get('/admin/%'),
      get('/test/broken'),
      raw('NONSENSE\r\n\r\n'),
    ]);
    const ids = answers.map((answer) => /\r\nx-request-id: (\S+)\r\n/i.exec(answer)?.[1] ?? '');
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('HTTP-3 AU-13 an inbound id is accepted from a trusted proxy only, and only in the accepted form', async () => {
    const idFor = async (value: string, remoteAddress: string) =>
      (await app.inject({ url: '/actuator/health', headers: { 'x-request-id': value }, remoteAddress })).headers[
        'x-request-id'
      ];
    expect(await idFor('proxy-id_12345', '10.9.9.9')).toBe('proxy-id_12345');
    expect(await idFor('proxy-id_12345', '::ffff:10.9.9.9')).toBe('proxy-id_12345');
    expect(await idFor('proxy-id_12345', '10.9.9.8')).toMatch(UUID_V7);
    for (const odd of [
      'short',
      'x'.repeat(65),
      'x'.repeat(10_000),
      '<b>12345678',
      'a b c d e f g',
      'abcdefgh,ijklmnop',
      '密密密密密密密密',
    ]) {
      expect(await idFor(odd, '10.9.9.9')).toMatch(UUID_V7);
    }
  });

  it.each(['/admin/%', '/admin/%E0%A4%A', '/%c0%ae%c0%ae/x', '/test/list/%zz'])(
    'SV-07 the URL %s is 400 as problem+json, without a stack',
    async (target) => {
      const problem = problemOf(await get(target));
      expect(problem).toMatchObject({ status: 400, code: 'URL_MALFORMED' });
      expect(JSON.stringify(problem)).not.toMatch(/at |node|%/);
    },
  );

  it('ORD-3 the flood gate counts URLs that reach no hook, and a flood of them writes no log lines', async () => {
    const guarded = await bench.app({ SERVICE_FLOOD_GATE_MAX_REQUESTS: '3' });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await guarded.inject('/%')).statusCode);
    expect(statuses).toEqual([400, 400, 400, 429, 429]);
    expect((await guarded.inject('/actuator/health')).statusCode).toBe(429);
  });

  it('SV-07 a URL with a backslash is answered like any unknown path', async () => {
    expect(problemOf(await get('/admin\\profile'))).toMatchObject({ status: 401 });
  });

  it('SV-04 HTTP-2 a header of 64 kB, 2000 headers and a URL of 32 kB are refused as problem+json', async () => {
    expect(problemOf(await get('/', `X: ${'a'.repeat(65_536)}\r\n`))).toMatchObject({
      status: 431,
      code: 'HEADERS_TOO_LARGE',
    });
    expect(problemOf(await get(`/${'a'.repeat(32_768)}`))).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
    const many = Array.from({ length: 2000 }, () => 'a:b\r\n').join('');
    expect(problemOf(await get('/actuator/health', many))).toMatchObject({ status: 431, code: 'HEADERS_TOO_MANY' });
    expect(problemOf(await get(`/test/list/${'a'.repeat(1365)}`))).toMatchObject({ status: 414, code: 'URL_TOO_LONG' });
  });

  it('SV-04 a request with its token behind very many headers is refused', async () => {
    const padding = Array.from({ length: 2100 }, () => 'a:\r\n').join('');
    expect(await get('/admin/profile', `${padding}Authorization: Bearer x\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('HTTP-2 what is not HTTP is 400 as problem+json, and the connection is closed', async () => {
    expect(problemOf(await raw('GET / HTTP/9.9\r\n\r\n'))).toMatchObject({ status: 400, code: 'REQUEST_MALFORMED' });
  });

  it.each([
    '/documentation',
    '/docs',
    '/swagger',
    '/swagger-ui',
    '/openapi.json',
    '/metrics',
    '/debug',
    '/actuator',
    '/actuator/env',
  ])(
    'AT-29 ORD-5 the path %s does not exist: 401 without a token, 404 with one, and no hint in the body',
    async (url) => {
      const headers = await bearer(app);
      expect((await app.inject(url)).json()).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
      const response = await app.inject({ url, headers });
      expect(response.json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      expect(response.body).not.toContain(url);
    },
  );

  it('HTTP-3 what is not HTTP breaks an answer that is under way, and writes nothing into it', async () => {
    const socket = connect(address.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk)).on('error', () => {});
    socket.write('GET /test/slow HTTP/1.1\r\nhost: a\r\n\r\n');
    await expect.poll(() => received).toContain('first half');
    socket.write('\0\r\n\r\n');
    await once(socket, 'close');
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(received.endsWith('first half')).toBe(true);
  });

  it('CORS is off unless origins are configured; then it exposes the headers that clients read', async () => {
    const preflight = {
      method: 'OPTIONS',
      url: '/admin/profile',
      headers: { origin: 'https://admin.example', 'access-control-request-method': 'PUT' },
    } as const;
    const closed = await app.inject(preflight);
    expect([closed.statusCode, closed.headers['access-control-allow-origin']]).toEqual([401, undefined]);

    const open = await bench.app({ SERVICE_CORS_ORIGINS: 'https://admin.example' });
    const allowed = await open.inject(preflight);
    expect(allowed.statusCode).toBe(204);
    expect(allowed.headers).toMatchObject({ 'access-control-allow-origin': 'https://admin.example' });
    const namesIn = (value: unknown) => String(value).toLowerCase().split(', ');
    expect(namesIn(allowed.headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['authorization', 'content-type', ...documentedHeaders().requests]),
    );
    const refused = await open.inject({ url: '/admin/profile', headers: { origin: 'https://admin.example' } });
    expect(namesIn(refused.headers['access-control-expose-headers'])).toEqual(
      expect.arrayContaining(['api-encryption', 'x-request-id', 'location', ...documentedHeaders().answers]),
    );
    expect(refused.headers.vary).toBe('Origin, Accept-Language');
    const stranger = await open.inject({
      ...preflight,
      headers: { ...preflight.headers, origin: 'https://evil.example' },
    });
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
  });
});
