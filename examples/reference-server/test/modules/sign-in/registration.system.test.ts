import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { type Actor, OTHER_PASSWORD, PASSWORD, roomy, root, token } from '../../support/accounts.js';
import { captchaText } from '../../support/captcha-text.js';
import { openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const WANTED = { username: 'Grace', password: PASSWORD, displayName: 'Grace Hopper', terminal: 'web' };

describe('registration', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app({
      ...roomy,
      SERVICE_RATE_LIMIT_REGISTRATION_MAX_REQUESTS: '100000',
      SERVICE_RATE_LIMIT_CAPTCHA_MAX_REQUESTS: '100000',
    });
    admin = await root(app);
  });
  beforeEach(async () => {
    await bench.database.orm.execute(sql`delete from administrators where username <> 'admin'`);
    await set('login.ip-whitelist.enabled', false);
    await set('registration.enabled', true);
  });
  afterAll(() => bench.close());

  async function set(tail: string, value: unknown): Promise<void> {
    const url = `/admin/system-parameters/admin.auth.${tail}`;
    const { version } = (await admin.call('GET', url)).json().data;
    expect((await admin.call('PUT', url, { value, version, confirm: true })).statusCode).toBe(200);
  }

  const askCaptcha = async () => (await app.inject('/admin/auth/captcha?for=register')).json().data;

  /** A captcha and its answer, read from the store. */
  async function answered(): Promise<{ key: string; code: string }> {
    const { key } = await askCaptcha();
    const statement = sql`select value from ttl_entries where key = ${`captcha:${key}`}`;
    const [stored] = await rowsOf<{ value: string }>(bench.database.orm, statement);
    return { key, code: captchaText(stored!.value) };
  }

  const post = (payload: object, node = app): Promise<LightMyRequestResponse> =>
    node.inject({ method: 'POST', url: '/admin/auth/register', payload });
  const register = async (change: object = {}) => post({ ...WANTED, ...(await answered()), ...change });
  const accounts = async () => (await admin.call('GET', '/admin/administrators?size=200')).json().page.total as number;

  it('USR-3 a visitor registers an account and signs in; it has no role and no permissions', async () => {
    const made = await register();
    expect([made.statusCode, made.json()]).toEqual([201, { data: { username: 'grace', displayName: 'Grace Hopper' } }]);
    const headers = await token(app, 'GRACE');
    expect((await app.inject({ url: '/admin/profile', headers })).statusCode).toBe(200);
    for (const url of ['/admin/administrators', '/admin/roles', '/admin/payments', '/admin/system-parameters'])
      expect((await app.inject({ url, headers })).json().code).toBe('PERMISSION_DENIED');
    const { data } = (await admin.call('GET', '/admin/administrators?size=200')).json();
    expect(data.find(({ username }: { username: string }) => username === 'grace')).toMatchObject({
      roleIds: [],
      disabled: false,
    });
  });

  it('USR-3 registration is off by default: refused before the body is read, and no captcha is created for it', async () => {
    const untouched = await openTestBench();
    try {
      const fresh = await untouched.app(roomy);
      for (const payload of [WANTED, { ct: 'garbage' }, []]) {
        const refused = await post(payload, fresh);
        expect(refused.json()).toMatchObject({ status: 403, code: 'REGISTRATION_CLOSED' });
      }
      expect((await fresh.inject('/admin/auth/captcha?for=register')).json()).toEqual({ data: { enabled: false } });
      const { page } = (await (await root(fresh)).call('GET', '/admin/administrators?size=200')).json();
      expect(page.total).toBe(1);
    } finally {
      await untouched.close();
    }
  });

  it('USR-3 registration that is closed while the body arrives makes no account', async () => {
    const before = await accounts();
    const body = new Readable({ read() {} });
    const answer = await answered();
    const headers = { 'content-type': 'application/json' };
    const answering = app.inject({ method: 'POST', url: '/admin/auth/register', headers, payload: body });
    answering.catch(() => {});
    await sleep(300);
    await set('registration.enabled', false);
    body.push(JSON.stringify({ ...WANTED, ...answer }));
    body.push(null);
    expect((await answering).json().code).toBe('REGISTRATION_CLOSED');
    expect(await accounts()).toBe(before);
  });

  it('USR-3 ADM-1 the captcha is required, whether or not sign-in has one; a right or wrong answer consumes it', async () => {
    for (const isOn of [false, true]) {
      await set('captcha.enabled', isOn);
      expect(await askCaptcha()).toMatchObject({ enabled: true, key: expect.any(String), expiresInSeconds: 120 });
      expect((await app.inject('/admin/auth/captcha')).json().data.enabled).toBe(isOn);
      const mine = await answered();
      expect((await post({ ...WANTED, ...mine, code: 'wrong' })).json().code).toBe('CAPTCHA_INVALID');
      expect((await post({ ...WANTED, ...mine })).json().code).toBe('CAPTCHA_INVALID');
      for (const left of [{}, { key: mine.key }, { code: mine.code }])
        expect((await post({ ...WANTED, ...left })).json().code).toBe('VALIDATION_FAILED');
    }
    await set('captcha.enabled', false);
    expect(await accounts()).toBe(1);
    const used = await answered();
    expect((await post({ ...WANTED, ...used })).statusCode).toBe(201);
    expect((await post({ ...WANTED, username: 'other', ...used })).json().code).toBe('CAPTCHA_INVALID');
  });

  it('USR-3 a taken name, in every spelling, is revealed only after a captcha, and the account is unchanged', async () => {
    expect((await post({ ...WANTED, username: 'admin', key: 'x', code: 'x' })).json().code).toBe('CAPTCHA_INVALID');
    for (const username of ['admin', ' ADMIN ', 'ａｄｍｉｎ']) {
      const refused = await register({ username, password: OTHER_PASSWORD, displayName: 'Mallory' });
      expect(refused.json()).toMatchObject({ status: 409, code: 'USERNAME_TAKEN' });
    }
    expect((await signIn(app)).statusCode).toBe(200);
    expect((await admin.call('GET', '/admin/profile')).json().data.displayName).not.toBe('Mallory');
  });

  it('REL-4 USR-3 exactly one of ten parallel registrations of the same name creates an account, with its own password', async () => {
    const captchas = await Promise.all(Array.from({ length: 10 }, answered));
    const answers = await Promise.all(
      captchas.map((captcha, i) => post({ ...WANTED, ...captcha, password: String(i).repeat(64) })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    const winner = answers.findIndex(({ statusCode }) => statusCode === 201);
    await token(app, 'grace', String(winner).repeat(64));
    expect(await accounts()).toBe(2);
  });

  it('USR-3 ADM-7 LP-47 HTTP-4 the password is opaque, 1 to 72 bytes; roles, flags and other terminals are refused', async () => {
    const refusals = [
      { password: '' },
      { password: 'x'.repeat(73) },
      { password: 'a\0b' },
      { username: '' },
      { username: 'a\u202eb' },
      { displayName: ' ' },
      { terminal: 'app' },
      { roleIds: [] },
      { disabled: false },
    ];
    for (const change of refusals) expect((await register(change)).json().code).toBe('VALIDATION_FAILED');
    expect(await accounts()).toBe(1);
    expect((await register({ password: '密'.repeat(24) })).statusCode).toBe(201);
    await token(app, 'grace', '密'.repeat(24));
  });

  it('USR-3 registrations from one address have their own limit, 5 a minute by default', async () => {
    const { SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS, ...others } = roomy;
    const limited = await bench.app(others);
    const codes: string[] = [];
    for (let i = 0; i < 7; i += 1) codes.push((await post({ ...WANTED, key: 'x', code: 'x' }, limited)).json().code);
    expect(codes).toEqual([...Array.from({ length: 5 }, () => 'CAPTCHA_INVALID'), 'RATE_LIMITED', 'RATE_LIMITED']);
    expect((await signIn(limited)).statusCode).toBe(200);
  });

  it('LGN-8 USR-3 an address that may not sign in cannot register, and consumes no captcha', async () => {
    const captcha = await answered();
    await set('login.ip-whitelist.values', '192.0.2.1');
    await set('login.ip-whitelist.enabled', true);
    expect((await post({ ...WANTED, ...captcha })).json()).toMatchObject({ status: 403, code: 'LOGIN_IP_REFUSED' });
    await set('login.ip-whitelist.enabled', false);
    expect((await post({ ...WANTED, ...captcha })).statusCode).toBe(201);
  });
});
