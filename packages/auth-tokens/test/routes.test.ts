import { once } from 'node:events';
import { type AddressInfo, createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import fastifyJwt from '@fastify/jwt';
import { createMemoryStore } from '@sallyport/ttl-store';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import authTokens, { type AuthTokensOptions } from '../src/index.js';
import { bearer, closeApps, createTestApp, issuer, openApp, signingKey } from './test-app.js';

afterEach(closeApps);

/** A server without routes. */
async function bare(options: Partial<AuthTokensOptions> = {}): Promise<FastifyInstance> {
  const app = openApp();
  await app.register(authTokens, { store: createMemoryStore(), issuer, signingKey, ...options });
  return app;
}

const refusalOf = (start: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(start).then(
    () => 'started',
    (error: Error) => error.message,
  );

describe('the Authorization header', () => {
  it('TOK-1 takes the scheme in any case and any number of spaces, and sets the principal', async () => {
    const { app, signIn } = await createTestApp();
    const token = await signIn('u-7');
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'bEaReR ', 'Bearer   ']) {
      const reply = await app.inject({ url: '/admin', headers: { authorization: scheme + token } });
      expect(reply.json()).toEqual({
        principal: { subject: 'u-7', audience: 'admin', sessionId: expect.stringMatching(/^[\w-]{24}\.[\w-]+$/) },
      });
    }
  });

  it('TOK-1 AT-15 everything else is 401, never a server error', async () => {
    const { app, signIn } = await createTestApp();
    const token = await signIn();
    const cases: [string | undefined, string][] = [
      [undefined, 'TOKEN_MISSING'],
      ['', 'TOKEN_MISSING'],
      ['Basic dTpw', 'TOKEN_MISSING'],
      [token, 'TOKEN_MISSING'],
      [`Bearer\t${token}`, 'TOKEN_MISSING'],
      [`Bearer,${token}`, 'TOKEN_MISSING'],
      [`Bearerx ${token}`, 'TOKEN_MISSING'],
      ['Bearer', 'TOKEN_INVALID'],
      ['Bearer ', 'TOKEN_INVALID'],
      ['bearer x', 'TOKEN_INVALID'],
      ['Bearer x,', 'TOKEN_INVALID'],
      [`Bearer ${token},`, 'TOKEN_INVALID'],
      [`Bearer ${token} `, 'TOKEN_INVALID'],
      [`Bearer ${token} x`, 'TOKEN_INVALID'],
      [`Bearer "${token}"`, 'TOKEN_INVALID'],
      [`Bearer ${token}é`, 'TOKEN_INVALID'],
      ['Bearer \u00ff\u0080', 'TOKEN_INVALID'],
      [`Bearer ${'x'.repeat(15_000)}`, 'TOKEN_INVALID'],
      [`Bearer ${'a.'.repeat(2000)}`, 'TOKEN_INVALID'],
    ];
    for (const [authorization, code] of cases) {
      const headers = authorization === undefined ? {} : { authorization };
      const reply = await app.inject({ url: '/admin', headers });
      expect([authorization?.slice(0, 20), reply.statusCode, reply.json().code]).toEqual([
        authorization?.slice(0, 20),
        401,
        code,
      ]);
    }
  });

  it('AT-16 two Authorization headers, or two tokens in one, are 401 even if each is valid', async () => {
    const { app, signIn } = await createTestApp();
    const token = await signIn();
    await app.listen({ port: 0, host: '127.0.0.1' });
    const statusOf = async (...lines: string[]) => {
      const socket = createConnection((app.server.address() as AddressInfo).port, '127.0.0.1');
      await once(socket, 'connect');
      socket.end(`GET /admin HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`);
      return (await text(socket)).slice(9, 12);
    };
    expect(await statusOf(`Authorization: Bearer ${token}`)).toBe('200');
    expect(await statusOf(`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`)).toBe('401');
    expect(await statusOf(`Authorization: Bearer ${token}`, 'authorization: Basic dTpw')).toBe('401');
    expect(await statusOf('AUTHORIZATION: Basic dTpw', `authorization: Bearer ${token}`)).toBe('401');
    expect(await statusOf(`Authorization: Bearer ${token}, Bearer ${token}`)).toBe('401');
    expect(await statusOf(`Authorization: Bearer ${token}`, `X-Authorization: Bearer ${token}`)).toBe('200');
    expect(await statusOf(`Authorization: Bearer ${'x'.repeat(20_000)}`)).toBe('431');
  });

  it('TOK-1 TOK-8 a refusal carries the challenge of RFC 6750', async () => {
    const { app, get, signIn } = await createTestApp();
    const challengeOf = async (token?: string, url = '/admin') => (await get(url, token)).headers['www-authenticate'];
    const token = await signIn();
    expect(await challengeOf()).toBe('Bearer');
    expect(await challengeOf('x')).toBe(
      'Bearer error="invalid_token", error_description="The access token is invalid"',
    );
    expect(await challengeOf(token, '/app')).toBe('Bearer error="insufficient_scope"');
    expect(await challengeOf(token)).toBeUndefined();
    await app.authTokens.revokeAll({ subject: 'u-1', audience: 'admin' }, 'PASSWORD_CHANGED');
    expect(await challengeOf(token)).toContain('error="invalid_token"');
    expect((await get('/admin', token)).json()).toEqual({
      statusCode: 401,
      code: 'PASSWORD_CHANGED',
      error: 'Unauthorized',
      message: 'The password was changed; sign in again',
    });
  });
});

describe('access', () => {
  it('TOK-1 AT-17 denies by default, and refuses a token of one audience on the routes of another', async () => {
    const { code, signIn } = await createTestApp();
    const [admin, app] = [await signIn('u-1', 'admin'), await signIn('u-1', 'app')];
    const codes = async (url: string) => [await code(url), await code(url, admin), await code(url, app)];
    expect(await codes('/admin')).toEqual(['401 TOKEN_MISSING', '200', '403 PERMISSION_DENIED']);
    expect(await codes('/app')).toEqual(['401 TOKEN_MISSING', '403 PERMISSION_DENIED', '200']);
    expect(await codes('/any')).toEqual(['401 TOKEN_MISSING', '200', '200']);
    expect(await codes('/public')).toEqual(['200', '200', '200']);
  });

  it('TOK-1 a public route ignores the Authorization header, good or bad', async () => {
    const { get, signIn } = await createTestApp();
    for (const token of [await signIn(), 'x', '']) {
      const reply = await get('/public', token);
      expect([reply.statusCode, reply.json()]).toEqual([200, { principal: null }]);
    }
  });

  it('TOK-1 the access of the matched route applies, however the path is written', async () => {
    const { app } = await createTestApp();
    for (const url of ['/%61dmin', '/admin?x=/public', '/admin#/public', 'http://x/admin', '/admin/../admin']) {
      expect((await app.inject(url)).statusCode).toBe(401);
    }
  });

  it('ORD-5 TOK-1 an unknown path is 401 without a token, and 404 with a valid one', async () => {
    const { app, code, signIn } = await createTestApp();
    expect(await code('/nowhere')).toBe('401 TOKEN_MISSING');
    expect((await app.inject({ method: 'PUT', url: '/admin' })).statusCode).toBe(401);
    for (const audience of ['admin', 'app']) {
      const headers = bearer(await signIn('u-1', audience)) ?? {};
      expect((await app.inject({ url: '/nowhere', headers })).statusCode).toBe(404);
    }
  });

  it('TOK-1 a derived HEAD route is protected like its GET route, with and without a prefix', async () => {
    const app = await bare();
    await app.register(
      async (scope) => {
        scope.get('/', { config: { access: 'admin' } }, async () => 'x');
        scope.get('/:id', { config: { access: 'public' } }, async () => 'x');
      },
      { prefix: '/things' },
    );
    const { token } = await app.authTokens.issue({ subject: 'u-1', audience: 'admin' });
    const statusOf = async (method: 'GET' | 'HEAD', url: string, headers = {}) =>
      (await app.inject({ method, url, headers })).statusCode;
    for (const url of ['/things', '/things/']) {
      expect(await statusOf('HEAD', url)).toBe(401);
      expect(await statusOf('GET', url)).toBe(401);
      expect(await statusOf('HEAD', url, bearer(token))).toBe(200);
    }
    expect(await statusOf('HEAD', '/things/7')).toBe(200);
  });

  it('TOK-1 a CORS preflight passes on a route for OPTIONS alone, and never reaches another handler', async () => {
    const app = openApp();
    // As @fastify/cors does, before this plugin.
    app.options('*', async () => 'preflight');
    await app.register(authTokens, { store: createMemoryStore(), issuer, signingKey });
    app.all('/everything', { config: { access: 'admin' } }, async () => 'secret');
    app.get('/thing', { config: { access: 'admin' } }, async () => 'secret');
    app.options('/late', async () => 'preflight');
    app.options('/guarded', { config: { access: 'admin' } }, async () => 'secret');
    const preflight = { origin: 'https://web.test', 'access-control-request-method': 'GET' };
    const statusOf = async (url: string, headers: Record<string, string>) =>
      (await app.inject({ method: 'OPTIONS', url, headers })).statusCode;
    expect([await statusOf('/thing', preflight), await statusOf('/late', preflight)]).toEqual([200, 200]);
    expect([await statusOf('/everything', preflight), await statusOf('/guarded', preflight)]).toEqual([401, 401]);
    expect(await statusOf('/late', { origin: 'https://web.test' })).toBe(401);
  });

  it('TOK-1 with one audience, it is the default of every route', async () => {
    const app = await bare({ audiences: { staff: { idleSeconds: 60, absoluteSeconds: 60 } } });
    app.get('/', async (request) => request.principal?.audience);
    const { token } = await app.authTokens.issue({ subject: 'u-1', audience: 'staff' });
    expect((await app.inject('/')).statusCode).toBe(401);
    expect((await app.inject({ url: '/', headers: bearer(token) ?? {} })).body).toBe('staff');
  });

  it('ORD-4 TOK-1 TOK-8 the start is refused with the faults of every route at once', async () => {
    const app = await bare({ permissions: ['api:a'] });
    const add = (url: string, config: object) => app.get(url, { config }, async () => 'x');
    app.get('/nothing', async () => 'x');
    app.post('/nothing', async () => 'x');
    add('/empty', { access: [] });
    add('/typo', { access: 'amdin' });
    add('/mixed', { access: ['public', 'admin'] });
    add('/number', { access: 7 });
    add('/permission', { permission: 'api:a' });
    add('/unloadable', { access: 'admin', permission: 'api:a' });
    add('/undeclared', { access: 'admin', permission: ['api:b'] });
    add('/wildcard', { access: 'admin', permission: 'api:*' });
    add('/none', { access: 'admin', permission: [] });
    add('/open', { access: 'public', permission: 'api:a', queryToken: true });
    app.post('/upload', { config: { access: 'admin', queryToken: true } }, async () => 'x');
    add('/maybe', { access: 'admin', queryToken: 'yes' as never });
    const message = await refusalOf(app.ready());
    for (const expected of [
      "GET /nothing, POST /nothing, GET /permission: config.access is missing; give 'public', or who may call it: 'admin', 'app'",
      'GET /empty: config.access is an empty list',
      "GET /typo: config.access names 'amdin', which is not one of 'public' (alone), 'admin', 'app'",
      "GET /mixed: config.access names 'public'",
      "GET /number: config.access names '7'",
      "GET /permission, GET /unloadable, GET /open: config.permission 'api:a' needs the option loadPermissions",
      "GET /undeclared: config.permission 'api:b' is not declared in the option permissions",
      "GET /wildcard: config.permission 'api:*' has a wildcard; only grants may end in one",
      'GET /none: config.permission is empty',
      'GET /open: a public route has no config.permission',
      'GET /open: a public route has no config.queryToken',
      'POST /upload: config.queryToken is for GET alone',
      'GET /maybe: config.queryToken must be true or false',
    ]) {
      expect(message).toContain(expected);
    }
    expect(message).not.toContain('HEAD');
  });

  it('ORD-4 TOK-1 the start is refused if a route is older than the plugin', async () => {
    const app = openApp();
    app.options('*', async () => 'x');
    app.register(async (scope) => {
      scope.get('/open', async () => 'x');
    });
    app.register(authTokens, { store: createMemoryStore(), issuer, signingKey });
    expect(await refusalOf(app.ready())).toContain(
      'auth-tokens: register it before every route; registered earlier: GET /open. ',
    );
  });

  it('TOK-4 leaves @fastify/jwt and request.user to the application, before and after it', async () => {
    for (const isFirst of [true, false]) {
      const app = openApp();
      const secret = { secret: 'the application’s own' };
      if (isFirst) await app.register(fastifyJwt, secret);
      await app.register(authTokens, { store: createMemoryStore(), issuer, signingKey });
      if (!isFirst) await app.register(fastifyJwt, secret);
      app.get('/', { config: { access: 'public' } }, async (request) => request.jwtVerify());
      const { token } = await app.authTokens.issue({ subject: 'u-1', audience: 'admin' });
      const own = app.jwt.sign({ mine: true });
      expect((await app.inject({ url: '/', headers: bearer(own) ?? {} })).json()).toMatchObject({ mine: true });
      await expect(app.authTokens.check(own)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
      expect((await app.inject({ url: '/', headers: bearer(token) ?? {} })).statusCode).not.toBe(200);
    }
    const withUser = openApp();
    withUser.decorateRequest('user', 'the application’s own');
    await withUser.register(authTokens, { store: createMemoryStore(), issuer, signingKey });
    await withUser.ready();
  });
});
