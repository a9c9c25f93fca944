import bcrypt from 'bcryptjs';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { createAdministrators } from '../../../src/modules/administrators/administrators.js';
import { administrators } from '../../../src/storage/schema.js';
import { addAdministrator } from '../../support/granted-administrator.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

describe('sign-in', () => {
  let bench: TestBench;
  let app: App;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app({
      SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '100000',
      SERVICE_FLOOD_GATE_MAX_REQUESTS: '100000',
    });
  });
  afterAll(() => bench.close());

  const profile = (headers: Record<string, string>) => app.inject({ url: '/admin/profile', headers });

  it('ADM-2 HTTP-1 USR-4 the development account signs in and gets token, type, expiry and name under data', async () => {
    const response = await signIn(app);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      data: {
        token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        tokenType: 'Bearer',
        expiresAt: expect.any(Number),
        username: 'admin',
        deviceToken: expect.stringMatching(/^[\w-]{43}$/),
      },
    });
  });

  it('ADM-7 the SM3 of the password signs in, not the password', async () => {
    // printf %s sallyport-dev | openssl dgst -sm3
    expect(credentials.password).toBe('7ceaebd9fc30fb1542374eafe839fe6079ee249108b81fb0db600cb17c9cec84');
    expect((await signIn(app, { ...credentials, password: 'sallyport-dev' })).statusCode).toBe(401);
  });

  it('ADM-1 the captcha is announced as off, and key and code are still accepted', async () => {
    const captcha = await app.inject({ url: '/admin/auth/captcha' });
    expect(captcha.json()).toEqual({ data: { enabled: false } });
    expect((await signIn(app, { ...credentials, key: 'k', code: 'c' })).statusCode).toBe(200);
  });

  it('ADM-3 LP-17 unknown name, wrong password and disabled account get the same status, headers and body', async () => {
    const passwordHash = await bcrypt.hash(credentials.password, 4);
    await addAdministrator(bench.database, { username: 'leaver', passwordHash });
    await bench.database.orm
      .update(administrators)
      .set({ disabled: true })
      .where(eq(administrators.username, 'leaver'));
    const answers = await Promise.all([
      signIn(app, { ...credentials, username: 'nobody' }),
      signIn(app, { ...credentials, password: 'a'.repeat(64) }),
      signIn(app, { ...credentials, username: 'leaver' }),
    ]);
    const comparable = answers.map((response) => {
      const { 'x-request-id': _id, date: _date, 'ratelimit-remaining': _remaining, ...headers } = response.headers;
      const { requestId: _requestId, ...body } = response.json();
      return { status: response.statusCode, headers, body };
    });
    expect(comparable[0]).toMatchObject({ status: 401, body: { code: 'LOGIN_FAILED' } });
    expect(comparable[1]).toEqual(comparable[0]);
    expect(comparable[2]).toEqual(comparable[0]);
  });

  it('LGN-4 all spellings of a name are the same account: NFKC, trimmed, lower case', async () => {
    for (const username of ['ADMIN', ' admin ', 'ａｄｍｉｎ', '\u00a0Admin']) {
      expect((await signIn(app, { ...credentials, username })).json().data?.username).toBe('admin');
    }
  });

  it('LGN-4 the terminal `web` is accepted in any letter case, and any other text is 400', async () => {
    for (const terminal of ['web', 'Web', 'WEB']) {
      expect((await signIn(app, { ...credentials, terminal })).statusCode).toBe(200);
    }
    for (const terminal of ['Web ', 'x1', 'app', '', 'ｗｅｂ', 'web\n', 'web\0']) {
      const response = await signIn(app, { ...credentials, terminal });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: '/terminal' }] });
    }
  });

  it('LP-47 ADM-7 a password over 72 bytes, an empty one, and one with NUL are 400, never truncated', async () => {
    const passwordHash = await bcrypt.hash('x'.repeat(72), 4);
    const username = 'long-password';
    await addAdministrator(bench.database, { username, passwordHash });
    expect((await signIn(app, { ...credentials, username, password: 'x'.repeat(72) })).statusCode).toBe(200);
    for (const password of ['x'.repeat(73), '密'.repeat(25), '', 'x\0x']) {
      const response = await signIn(app, { ...credentials, username, password });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: '/password' }] });
    }
  });

  it('ADM-7 a hash of lower cost is replaced on sign-in, and the session remains valid', async () => {
    const username = 'old-hash';
    const old = await bcrypt.hash(credentials.password, 4);
    const accounts = createAdministrators(bench.database);
    await addAdministrator(bench.database, { username, passwordHash: old });
    const stricter = await bench.app({ SERVICE_AUTH_PASSWORD_BCRYPT_COST: '5' });
    const response = await signIn(stricter, { ...credentials, username });
    expect(response.statusCode).toBe(200);
    const replaced = (await accounts.findByUsername(username))?.passwordHash ?? '';
    expect(replaced).toMatch(/^\$2b\$05\$/);
    expect(await bcrypt.compare(credentials.password, replaced)).toBe(true);
    expect((await signIn(stricter, { ...credentials, username })).statusCode).toBe(200);
  });

  it('LP-54 injection in the name fails like any unknown name or with 400, never with a server error', async () => {
    const names: unknown[] = [
      { $ne: 1 },
      ['admin'],
      "a' or 1=1--",
      'a:web',
      '*',
      'admin\0',
      'x'.repeat(1_000_000),
      '\ud800',
      null,
      7,
      true,
      '%',
      '_dmin',
      '__proto__',
      '',
    ];
    for (const username of names) {
      const { statusCode } = await signIn(app, { ...credentials, username });
      expect([400, 401, 413]).toContain(statusCode);
    }
  });

  it('API-4 an optional member that is empty or null counts as absent', async () => {
    for (const none of ['', null]) {
      const empty = { key: none, code: none, proof: none, deviceToken: none };
      expect((await signIn(app, { ...credentials, ...empty })).statusCode).toBe(200);
      expect((await signIn(app, { ...credentials, username: none })).statusCode).toBe(400);
    }
  });

  it('LP-22 a missing or empty property is 400 with its pointer', async () => {
    for (const member of ['username', 'password', 'terminal'] as const) {
      const { [member]: _left, ...rest } = credentials;
      expect((await signIn(app, rest)).json()).toMatchObject({ status: 400, errors: [{ pointer: `/${member}` }] });
    }
  });

  it('ADM-5 TOK-3 AT-26 logout ends the session at once; a second logout, one without a token and one with a malformed token are 401', async () => {
    const [headers, other] = [await bearer(app), await bearer(app)];
    const logout = (with_: Record<string, string>) =>
      app.inject({ method: 'POST', url: '/auth/logout', headers: with_ });
    expect((await profile(headers)).statusCode).toBe(200);
    const response = await logout(headers);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect((await profile(headers)).json()).toMatchObject({ status: 401, code: 'SESSION_REVOKED' });
    expect((await logout(headers)).statusCode).toBe(401);
    expect((await logout({})).statusCode).toBe(401);
    expect((await logout({ authorization: `${other.authorization}x` })).statusCode).toBe(401);
    expect((await profile(other)).statusCode).toBe(200);
  });

  it('AT-07 after logout both nodes refuse the token at once', async () => {
    const second = await bench.app();
    const headers = await bearer(app);
    expect((await second.inject({ url: '/admin/profile', headers })).statusCode).toBe(200);
    expect((await second.inject({ method: 'POST', url: '/auth/logout', headers })).statusCode).toBe(204);
    const answers = await Promise.all([app, second].map((node) => node.inject({ url: '/admin/profile', headers })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401]);
  });

  it('AT-12 when every session is lost the server keeps running, all tokens are 401, and a new sign-in works', async () => {
    const headers = await bearer(app);
    // Only this process uses an embedded database, so it is lost only as a whole. The token key remains.
    const empty = await openTestBench();
    try {
      const server = await empty.app({ SERVICE_DATA_DIR: bench.folder });
      const asked = await server.inject({ url: '/admin/profile', headers });
      expect(asked.json()).toMatchObject({ status: 401, code: 'SESSION_EXPIRED' });
      const again = await server.inject({ url: '/admin/profile', headers: await bearer(server) });
      expect(again.statusCode).toBe(200);
    } finally {
      await empty.close();
    }
  });

  it('TOK-6 an account that is disabled during its sign-in gets no session', async () => {
    const username = 'disabled-meanwhile';
    const passwordHash = await bcrypt.hash(credentials.password, 4);
    await addAdministrator(bench.database, { username, passwordHash });
    const config = bench.config();
    const resources = bench.resources(config);
    // The session is first written just after the password was checked.
    const { sessions } = resources.stores;
    const disableFirst = async () => {
      await bench.database.orm
        .update(administrators)
        .set({ disabled: true })
        .where(eq(administrators.username, username));
    };
    const stores = {
      ...resources.stores,
      sessions: {
        ...sessions,
        compareAndSet: async (...entry: Parameters<typeof sessions.compareAndSet>) => {
          await disableFirst();
          return sessions.compareAndSet(...entry);
        },
      },
    };
    const node = await bench.appOn(config, { ...resources, stores });
    expect((await signIn(node, { ...credentials, username })).statusCode).toBe(401);
  });

  it('TOK-9 AT-13 a token in the query is ignored, and the setting that allows it affects only routes that declare it', async () => {
    const { authorization } = await bearer(app);
    const token = authorization.slice('Bearer '.length);
    const allowing = await bench.app({ SERVICE_AUTH_TOKEN_ALLOW_QUERY_TOKEN: 'true' });
    for (const node of [app, allowing]) {
      for (const name of ['access_token', 'token', 'authorization']) {
        expect((await node.inject(`/admin/profile?${name}=${token}`)).statusCode).toBe(401);
      }
    }
  });

  it('ADM-2 reads and writes the profile of the signed-in administrator', async () => {
    const headers = await bearer(app);
    expect((await profile(headers)).json()).toMatchObject({
      data: { username: 'admin', displayName: 'Development administrator' },
    });
    const changed = await app.inject({
      method: 'PUT',
      url: '/admin/profile',
      headers,
      payload: { displayName: '管理员 One' },
    });
    expect(changed.json()).toMatchObject({ data: { username: 'admin', displayName: '管理员 One' } });
    expect((await profile(headers)).json().data.displayName).toBe('管理员 One');
    for (const displayName of ['', '   ', 'a\nb', 'x'.repeat(65), 5, null]) {
      const refused = await app.inject({ method: 'PUT', url: '/admin/profile', headers, payload: { displayName } });
      expect(refused.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    }
  });
});
