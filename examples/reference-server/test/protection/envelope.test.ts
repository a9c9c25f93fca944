import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { developmentBanner, startFacts } from '../../src/commands/start-banner.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, credentials, openTestBench, type TestBench } from '../support/test-app.js';

describe('encrypted requests through the whole server', () => {
  const encryption = {
    SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
    SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000',
  };
  let bench: TestBench;
  let app: App;
  let headers: { authorization: string };
  const ownMethods: string[] = [];
  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config(encryption);
    app = createApp(config);
    app.addHook('onResponse', async (_request, reply) => {
      for (const [name, value] of Object.entries(reply)) if (typeof value === 'function') ownMethods.push(name);
    });
    await bench.compose(app, config);
    app.get('/test/broken', { config: { access: 'public', audit: false } }, async () => {
      throw new Error('select secret from business_table');
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const login = sealed(app, { method: 'POST', url: '/admin/auth/login', payload: credentials });
    const { data } = login.open(await app.inject(login.options)) as { data: { token: string } };
    headers = { authorization: `Bearer ${data.token}` };
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  afterEach(() => vi.unstubAllGlobals());

  it('ENV-4 EC-01 the client signs in, reads, writes and signs out over a socket; then the token is refused', async () => {
    const client = createEnvelopeClient({ baseUrl: app.listeningOrigin });
    const json = { 'content-type': 'application/json' };
    const login = await client.fetch('/admin/auth/login', {
      method: 'POST',
      headers: json,
      body: JSON.stringify(credentials),
    });
    const { data } = (await login.json()) as { data: { token: string } };
    const signedIn = { authorization: `Bearer ${data.token}` };
    const body = JSON.stringify({ displayName: '密封' });
    const written = await client.fetch('/admin/profile', { method: 'PUT', headers: { ...signedIn, ...json }, body });
    expect(await written.json()).toMatchObject({ data: { username: 'admin', displayName: '密封' } });
    const read = await client.fetch('/admin/profile', { headers: signedIn });
    expect(await read.json()).toMatchObject({ data: { username: 'admin', displayName: '密封' } });
    const refused = await client.fetch('/admin/profile', {
      method: 'PUT',
      headers: { ...signedIn, ...json },
      body: '{"displayName":""}',
    });
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await refused.json()).toMatchObject({ status: 400, errors: [{ pointer: '/displayName' }] });
    expect((await client.fetch('/auth/logout', { method: 'POST', headers: signedIn })).status).toBe(204);
    const dead = await client.fetch('/admin/profile', { headers: signedIn });
    expect(await dead.json()).toMatchObject({ status: 401, code: 'SESSION_REVOKED' });
  });

  it('an audited, idempotent write in an envelope gives its reply no method of its own', async () => {
    ownMethods.length = 0;
    const payment = sealed(app, {
      method: 'POST',
      url: '/admin/payments',
      payload: { payee: 'Ada Lovelace', amount: '12.50' },
      headers: { ...headers, 'idempotency-key': randomUUID() },
    });
    expect((await app.inject(payment.options)).statusCode).toBe(201);
    expect(ownMethods).toEqual([]);
  });

  it.each([-365 * 86_400_000, 365 * 86_400_000])('ENV-16 a device that is off by %i ms signs in', async (ahead) => {
    const client = createEnvelopeClient({ baseUrl: app.listeningOrigin, now: () => Date.now() + ahead });
    const login = await client.fetch('/admin/auth/login', { method: 'POST', body: JSON.stringify(credentials) });
    expect(login.status).toBe(200);
  });

  it('ENV-16 the sealed time is limited by the address, and leaves no record of a nonce', async () => {
    const counted = await bench.app(encryption);
    const question = sealed(counted, { method: 'POST', url: '/encryption/time', aheadMillis: -365 * 86_400_000 });
    const answers = [];
    for (let i = 0; i < 121; i += 1) answers.push(await counted.inject(question.options));
    expect(new Set(answers.slice(0, 120).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(answers[120]!.json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    const serverTime = expect.any(Number);
    expect(question.open(answers[119]!)).toEqual({ data: { serverTime } });
    const elsewhere = { ...question.options, remoteAddress: '192.0.2.77' };
    expect((await counted.inject(elsewhere)).statusCode).toBe(200);
  });

  it('EC-02 EC-03 EC-04 in REQUIRED every route that is not exempt needs an envelope, with a body, a query, or neither', async () => {
    const names = () => rowsOf(bench.database.orm, sql`select display_name from administrators`);
    const before = await names();
    expect(before).toHaveLength(1);
    const plain = [
      { method: 'PUT', url: '/admin/profile', payload: { displayName: 'Plain' } },
      { method: 'GET', url: '/admin/profile?x=1' },
      { method: 'GET', url: '/admin/profile' },
      { method: 'HEAD', url: '/admin/profile' },
      { method: 'POST', url: '/auth/logout' },
      { method: 'GET', url: '//admin/profile' },
    ] as const;
    for (const request of plain) {
      const response = await app.inject({ ...request, headers });
      expect(response.statusCode).toBe(400);
      if (request.method !== 'HEAD') expect(response.json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    }
    expect(await names()).toEqual(before);
  });

  it('ORD-3 EC-52 the flood gate stops forged query envelopes before they saturate the processor, and passes genuine ones', async () => {
    const guarded = await bench.app({ ...encryption, SERVICE_FLOOD_GATE_MAX_REQUESTS: '100' });
    for (let i = 0; i < 10; i += 1) {
      const genuine = sealed(guarded, { url: '/admin/auth/captcha' });
      expect((await guarded.inject(genuine.options)).statusCode).toBe(200);
    }
    const { options } = sealed(guarded, { url: '/admin/profile' });
    const target = String(options.url).replace('/admin/profile', '/admin/auth/captcha');
    const forged = await Promise.all(Array.from({ length: 50 }, () => guarded.inject({ ...options, url: target })));
    expect(forged.filter(({ statusCode }) => statusCode === 400)).toHaveLength(5);
    expect(forged.filter(({ statusCode }) => statusCode === 429)).toHaveLength(45);
  });

  it('EC-45 the exempt routes answer in the clear, and show only the public key', async () => {
    expect((await app.inject('/actuator/health')).json()).toEqual({ status: 'UP' });
    const { data } = (await app.inject('/encryption/public-key')).json();
    expect(data).toMatchObject({
      mode: 'REQUIRED',
      suite: 'sm2-sm4-gcm-v1',
      version: 1,
      keyId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(data.publicKey).toMatch(/^04[0-9a-f]{128}$/);
    expect(data.exempt).toEqual(
      expect.arrayContaining(['/actuator/health', '/encryption/public-key GET', '/public/storage/download GET']),
    );
    expect(data.exempt).toEqual(expect.arrayContaining(['/admin/storage/files POST', '/app/storage/files POST']));
    expect(data.exempt).not.toContain('/admin/auth/login POST');
    expect(JSON.stringify(data)).not.toContain(encryption.SERVICE_API_ENCRYPTION_PRIVATE_KEY);
    expect((await app.inject({ method: 'HEAD', url: '/encryption/public-key' })).statusCode).toBe(400);
  });

  it('ENV-2 a key without an identifier gets the same one on every node, made from its public key', async () => {
    const other = await bench.app(encryption);
    expect(other.envelopeCrypto.keyId).toBe(app.envelopeCrypto.keyId);
    const named = await bench.app({ ...encryption, SERVICE_API_ENCRYPTION_KEY_ID: '2026-a' });
    expect(named.envelopeCrypto.keyId).toBe('2026-a');
  });

  it('ENV-1 after a rotation envelopes for the earlier key are accepted, and new ones use the new key', async () => {
    const old = sealed(app, { url: '/admin/auth/captcha' });
    const rotated = await bench.app({
      ...encryption,
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_API_ENCRYPTION_PREVIOUS_KEYS: `${app.envelopeCrypto.keyId}:${encryption.SERVICE_API_ENCRYPTION_PRIVATE_KEY}`,
    });
    // Its timestamp is not before the start of this process.
    const fresh = { ...old, ...sealed(app, { url: '/admin/auth/captcha' }) };
    expect(fresh.open(await rotated.inject(fresh.options))).toEqual({ data: { enabled: false } });
    expect(rotated.envelopeCrypto.keyId).not.toBe(app.envelopeCrypto.keyId);
  });

  it('EC-41 refusals before the claim come in the clear without business data; from the claim on every error is sealed', async () => {
    const unauthenticated = await app.inject(sealed(app, { url: '/admin/profile' }).options);
    expect([unauthenticated.headers['api-encryption'], unauthenticated.json().code]).toEqual([
      undefined,
      'TOKEN_MISSING',
    ]);

    const limited = await bench.app({ ...encryption, SERVICE_RATE_LIMIT_MAX_REQUESTS: '1' });
    await limited.inject(sealed(limited, { url: '/public/system-parameters' }).options);
    const overLimit = await limited.inject(sealed(limited, { url: '/public/system-parameters' }).options);
    expect([overLimit.headers['api-encryption'], overLimit.json().code]).toEqual([undefined, 'RATE_LIMITED']);

    for (const [url, status, code] of [
      ['/nothing/here', 404, 'NOT_FOUND'],
      ['/test/broken', 500, 'INTERNAL_ERROR'],
    ] as const) {
      const request = sealed(app, { url, headers });
      const response = await app.inject(request.options);
      expect([response.statusCode, response.headers['api-encryption'], response.headers['content-type']]).toEqual([
        status,
        'v1',
        expect.stringMatching(/^application\/json/),
      ]);
      expect(response.body).not.toContain(code);
      expect(request.open(response)).toMatchObject({ status, code, requestId: response.headers['x-request-id'] });
    }
  });

  it('RG-01 RPL-1 an envelope is accepted once, and the refusal has the server time but not the cause', async () => {
    const request = sealed(app, { url: '/admin/profile', headers });
    expect((await app.inject(request.options)).statusCode).toBe(200);
    const replayed = await app.inject(request.options);
    expect(replayed.json()).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'Encrypted request expired or submitted twice.',
      code: 'ENVELOPE_EXPIRED_OR_REPLAYED',
      requestId: replayed.headers['x-request-id'],
      serverTime: expect.any(Number),
    });
  });

  it('ENV-7 OPTIONAL accepts encrypted and plain sign-ins, and counts plain ones by route', async () => {
    const optional = await bench.app({ ...encryption, SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL' });
    await bearer(optional);
    const request = sealed(optional, { method: 'POST', url: '/admin/auth/login', payload: credentials });
    expect(request.open(await optional.inject(request.options))).toMatchObject({ data: { username: 'admin' } });
    expect([...optional.envelopeCrypto.plaintextUses()]).toEqual([['POST /admin/auth/login', 1]]);
  });

  it('EC-07 in OFF an envelope is ordinary JSON that the schema refuses', async () => {
    const off = await bench.app();
    const request = sealed(app, { method: 'POST', url: '/admin/auth/login', payload: credentials });
    expect((await off.inject(request.options)).json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect((await off.inject('/encryption/public-key')).json().data).toMatchObject({ mode: 'OFF' });
  });

  it.each(['kernel', 'portable'])(
    'ENV-8 uses the backend %s when it is forced, and the start names it',
    async (name) => {
      const environment = { ...encryption, SERVICE_API_ENCRYPTION_BACKEND: name };
      const forced = await bench.app(environment);
      const { backend } = forced.envelopeCrypto;
      expect(startFacts(bench.config(environment), backend)).toMatchObject({
        encryption: 'REQUIRED',
        backend: expect.stringMatching(new RegExp(`^${name} \\(`)),
      });
      expect(developmentBanner(bench.config(environment), backend, 'http://x')).toMatch(new RegExp(`backend +${name}`));
      const login = sealed(forced, { method: 'POST', url: '/admin/auth/login', payload: credentials });
      expect(login.open(await forced.inject(login.options))).toMatchObject({ data: { username: 'admin' } });
    },
  );

  it('ENV-8 OPS-10 does not start if the kernel is forced and cannot run, and names the variable; with auto it starts', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    const forced = bench.app({ ...encryption, SERVICE_API_ENCRYPTION_BACKEND: 'kernel' });
    await expect(forced).rejects.toThrow(/SERVICE_API_ENCRYPTION_BACKEND 'kernel' can't serve here: /);
    const chosen = await bench.app({ ...encryption, SERVICE_API_ENCRYPTION_BACKEND: 'auto' });
    expect(chosen.envelopeCrypto.backend).toMatchObject({
      name: 'portable',
      reason: expect.stringMatching(/^no kernel: ./),
    });
    const login = sealed(chosen, { method: 'POST', url: '/admin/auth/login', payload: credentials });
    expect(login.open(await chosen.inject(login.options))).toMatchObject({ data: { username: 'admin' } });
  });

  it('OPS-7 a request in progress is answered when the server closes', async () => {
    const config = bench.config();
    const closing = createApp(config);
    await bench.compose(closing, config);
    let finish = () => {};
    closing.get('/test/slow', { config: { access: 'public', audit: false } }, async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
        closing.server.emit('slow');
      });
      return { data: 'done' };
    });
    await closing.listen({ host: '127.0.0.1', port: 0 });
    const reached = once(closing.server, 'slow');
    const answer = fetch(`${closing.listeningOrigin}/test/slow`);
    await reached;
    const closed = closing.close();
    finish();
    expect(await (await answer).json()).toEqual({ data: 'done' });
    await closed;
  });
});
