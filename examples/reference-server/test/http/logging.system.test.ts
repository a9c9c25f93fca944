import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Writable } from 'node:stream';
import { DrizzleQueryError } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { loggedError, pathOf } from '../../src/http/logging.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../support/test-app.js';

describe('logs', () => {
  const privateKey = randomBytes(32).toString('hex');
  let bench: TestBench;
  let app: App;
  let log: string;
  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config({
      SERVICE_LOG_LEVEL: 'debug',
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: privateKey,
      SERVICE_FLOOD_GATE_MAX_REQUESTS: '60',
    });
    log = '';
    const stream = new Writable({
      write(chunk, _encoding, done) {
        log += chunk.toString();
        done();
      },
    });
    app = createApp(config, stream);
    await bench.compose(app, config);
    app.get('/test/broken', { config: { access: 'public', audit: false } }, async () => {
      throw new DrizzleQueryError('select 1 where x = $1', ['hunter2-parameter'], new Error('relation is gone'));
    });
    app.get('/test/unavailable', { config: { access: 'public', audit: false } }, async () => {
      const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      throw new DrizzleQueryError('select 1', [], cause);
    });
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  const lines = () =>
    log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('AT-21 EC-46 no log line contains a token, password, envelope or key, refusals included', async () => {
    const headers = await bearer(app);
    const token = headers.authorization.slice('Bearer '.length);
    const request = sealed(app, {
      method: 'PUT',
      url: '/admin/profile',
      payload: { displayName: 'Plaintext-Name' },
      headers,
    });
    const query = sealed(app, { url: '/admin/profile', headers });
    await app.inject(request.options);
    await app.inject(request.options);
    await app.inject(query.options);
    await app.inject({ ...query.options, url: `${query.options.url}x` });
    await app.inject({ ...request.options, url: '/admin/profile?a=b' });
    await app.inject({ url: `/admin/profile?access_token=${token}&token=${token}` });
    await app.inject({ url: `/admin/%?access_token=${token}` });
    await app.inject({ url: '/admin/profile', headers: { authorization: `Bearer ${token}x` } });
    await app.inject({ url: '/admin/profile', headers: { authorization: `${token}` } });
    await signIn(app, { ...credentials, password: 'wrong-password' });
    await signIn(app, { ...credentials, password: { nested: 'wrong-password' } });
    await app.inject({ method: 'POST', url: '/auth/logout', headers });
    await app.inject({ url: '/admin/profile', headers });

    const { ct, ek } = JSON.parse(String(request.options.payload));
    const envelope = String(query.options.url).split('__enc=')[1] ?? '';
    const signature = token.split('.')[2] ?? '';
    for (const secret of [
      token,
      signature,
      credentials.password,
      'wrong-password',
      privateKey,
      ct,
      ek,
      envelope,
      'Plaintext-Name',
    ]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(log).not.toContain(secret);
    }
    expect(lines().length).toBeGreaterThan(10);
  });

  it('HTTP-3 each request has one line with its id, route, status, client and code; the id is the one that the client received', async () => {
    const response = await app.inject('/admin/profile');
    const found = lines().filter(({ requestId }) => requestId === response.headers['x-request-id']);
    expect(found).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: '/admin/profile',
        route: '/admin/profile',
        status: 401,
        code: 'TOKEN_MISSING',
        clientIp: '127.0.0.1',
      }),
    ]);
  });

  it('AU-16 SV-08 a failing statement is logged with frames and cause, without its parameters', async () => {
    const response = await app.inject('/test/broken');
    const [entry] = lines().filter(({ requestId, err }) => err && requestId === response.headers['x-request-id']);
    expect(entry.err).toMatchObject({ type: 'DrizzleQueryError', cause: { message: 'relation is gone' } });
    expect(entry.err.stack).toMatch(/^\s+at /);
    expect(log).not.toContain('hunter2-parameter');
  });

  it('OPS-12 a refusal takes one line with code and reason; its frames are for the level debug', async () => {
    const response = await app.inject('/test/unavailable');
    expect(response.json().code).toBe('DATABASE_UNAVAILABLE');
    const found = lines().filter(({ requestId }) => requestId === response.headers['x-request-id']);
    expect(found.map(({ level, msg, code, why, err }) => [level, msg, code, why, err?.stack !== undefined])).toEqual([
      [50, 'request failed', 'DATABASE_UNAVAILABLE', 'connect ECONNREFUSED', false],
      [20, 'where it failed', undefined, undefined, true],
      [30, 'request answered', undefined, undefined, false],
    ]);
  });

  it('AU-03 control characters from clients cannot forge a line', async () => {
    const before = lines().length;
    await app.inject({ url: '/a%0d%0ab', headers: { 'user-agent': 'x\u2028y' } });
    const added = lines().slice(before);
    expect(added.filter(({ msg }) => msg === 'request answered')).toHaveLength(1);
  });

  it('ORD-3 a flood writes no log lines', async () => {
    await Promise.all(Array.from({ length: 70 }, () => app.inject('/actuator/health')));
    const before = log.length;
    const response = await app.inject('/actuator/health');
    expect(response.statusCode).toBe(429);
    expect(log.length).toBe(before);
  });

  it('ORD-3 a flood of forgeries that fills the queue of the portable backend is one warning, without a stack', async () => {
    const flooded = {
      SERVICE_LOG_LEVEL: 'info',
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: privateKey,
      SERVICE_API_ENCRYPTION_BACKEND: 'portable',
      SERVICE_API_ENCRYPTION_MAX_WAITING_UNWRAPS: '1',
      SERVICE_FLOOD_GATE_MAX_REQUESTS: '100000',
    };
    const config = bench.config(flooded);
    const written: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written.push(String(chunk));
        done();
      },
    });
    const portable = createApp(config, stream);
    await bench.compose(portable, config);
    try {
      const targets = Array.from({ length: 40 }, () => String(sealed(portable, { url: '/a' }).options.url));
      const headers = { 'api-encryption': 'v1' };
      const answers = await Promise.all(
        targets.map((target) => portable.inject({ url: target.replace('/a', '/admin/auth/captcha'), headers })),
      );
      const refused = answers.filter(({ statusCode }) => statusCode === 503);
      expect(refused.length).toBeGreaterThan(20);
      expect(refused[0]!.json()).toMatchObject({ code: 'ENVELOPE_KEY_UNAVAILABLE', retryAfterSeconds: 1 });
      const entries = written.map((line) => JSON.parse(line));
      expect(entries.filter(({ level }) => level > 30)).toEqual([
        expect.objectContaining({ level: 40, refused: 1, why: 'too many unwraps are waiting for a thread' }),
      ]);
      expect(written.join('')).not.toContain('"stack"');
    } finally {
      await portable.close();
    }
  });

  it('HTTP-2 HTTP-7 what the parser refuses is counted, and logged with its reason and nothing that was sent', async () => {
    const config = bench.config({ SERVICE_LOG_LEVEL: 'info', SERVICE_FLOOD_GATE_MAX_REQUESTS: '3' });
    const written: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written.push(String(chunk));
        done();
      },
    });
    const small = createApp(config, stream);
    await bench.compose(small, config);
    try {
      await small.listen({ host: '127.0.0.1', port: 0 });
      const { port } = small.server.address() as AddressInfo;
      for (let i = 0; i < 5; i += 1) {
        const socket = connect(port, '127.0.0.1');
        socket.end('POST /hunter2 HTTP/1.1\r\nHost: a\r\nX: hunter2\r\nHost : hunter2\r\n\r\n');
        await once(socket.resume(), 'close');
      }
      const entries = written
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'request refused by the parser');
      const line = { level: 30, status: 400, code: 'REQUEST_MALFORMED', clientIp: '127.0.0.1' };
      const why = 'HPE_INVALID_HEADER_TOKEN';
      // What the flood gate refuses writes no lines.
      expect(entries).toEqual(Array(3).fill(expect.objectContaining({ ...line, why })));
      expect(written.join('')).not.toContain('hunter2');
      expect(await small.metrics.read()).toContain('sallyport_refusals_total{code="REQUEST_MALFORMED"} 5\n');
    } finally {
      await small.close();
    }
  });

  it('AU-16 an error of any kind becomes a bounded summary', () => {
    const circular = new Error('x'.repeat(10_000));
    circular.cause = circular;
    expect(JSON.stringify(loggedError(circular)).length).toBeLessThan(20_000);
    expect(loggedError('text')).toMatchObject({ type: 'string' });
    expect(loggedError(null)).toMatchObject({ type: 'object' });
    expect(pathOf('/a?b#c')).toBe('/a');
    expect(pathOf('/a#?c')).toBe('/a');
  });
});
