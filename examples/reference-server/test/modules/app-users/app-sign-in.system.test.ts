import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { eq, sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { appUsers } from '../../../src/storage/schema.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { PASSWORD, root } from '../../support/accounts.js';
import {
  appSignIn,
  codeFor,
  freshMobile,
  newAppUser,
  outboxOf,
  roomyApp,
  sendSmsCode,
  wrong,
} from '../../support/app-accounts.js';
import { captchaText } from '../../support/captcha-text.js';
import { bearer, openTestBench, type TestBench } from '../../support/test-app.js';

describe('sign-in of app users', () => {
  let bench: TestBench;
  let app: App;
  let second: App;
  /** Each test has its own counters, codes and sessions. */
  let store: TtlStore = createMemoryStore();
  let storeTime: number;
  let last = 0;
  /** An unused address. */
  const fresh = () => ({ remoteAddress: `10.1.${++last >> 8}.${last & 255}` });

  beforeAll(async () => {
    bench = await openTestBench();
    app = await node();
    second = await node();
  });
  afterAll(() => bench.close());
  beforeEach(() => {
    storeTime = 0;
    store = createMemoryStore({ now: () => Date.now() + storeTime });
  });

  /** Moves the clock of the store forward. */
  function pass(seconds: number): void {
    storeTime += seconds * 1000;
  }
  const presentStore = new Proxy({} as TtlStore, { get: (_target, verb: keyof TtlStore) => store[verb] });
  function node(environment: Record<string, string> = {}, sessions = presentStore): Promise<App> {
    const config = bench.config({ ...roomyApp, ...environment });
    const resources = bench.resources(config);
    return bench.appOn(config, { ...resources, stores: { ...resources.stores, sessions } });
  }
  const usersOf = (mobile: string) => bench.database.orm.select().from(appUsers).where(eq(appUsers.mobile, mobile));
  async function withPassword(): Promise<string> {
    const { mobile, call } = await newAppUser(app);
    const body = { newPassword: PASSWORD, smsCode: await nextCode(mobile) };
    expect((await call('PUT', '/app/profile/password', body)).statusCode).toBe(204);
    return mobile;
  }
  function nextCode(mobile: string): Promise<string> {
    pass(60);
    return codeFor(app, mobile, fresh());
  }
  async function setParameter(key: string, value: unknown): Promise<void> {
    const headers = await bearer(app);
    const url = `/admin/system-parameters/${key}`;
    const { version } = (await app.inject({ url, headers })).json().data;
    const answer = await app.inject({ method: 'PUT', url, headers, payload: { value, version } });
    expect(answer.statusCode).toBe(200);
  }
  function comparable(response: LightMyRequestResponse) {
    const { 'x-request-id': _id, date: _date, 'ratelimit-remaining': _left, ...headers } = response.headers;
    const { requestId: _requestId, ...body } = response.json();
    if (body.data?.handle !== undefined) body.data.handle = body.data.handle.length;
    return { status: response.statusCode, headers, body };
  }

  it('APP-1 APP-2 APP-3 a code signs a new number in: 202, a message in the outbox, a token, a user', async () => {
    const mobile = freshMobile();
    const sent = await sendSmsCode(app, mobile);
    expect([sent.statusCode, sent.json()]).toEqual([
      202,
      { data: { handle: expect.stringMatching(/^[\w-]{22}$/), validSeconds: 300, resendSeconds: 60 } },
    ]);
    await vi.waitFor(async () => expect(await outboxOf(app, mobile)).toHaveLength(1), { timeout: 20_000 });
    const [message] = await outboxOf(app, mobile);
    expect(message?.text).toContain(message?.code);
    expect(await usersOf(mobile)).toEqual([]);
    const response = await appSignIn(app, { mobile, smsCode: message?.code });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      data: { token: expect.any(String), tokenType: 'Bearer', expiresAt: expect.any(Number), mobile },
    });
    expect(await usersOf(mobile)).toMatchObject([{ mobile, passwordHash: null }]);
    expect((await appSignIn(app, { mobile, smsCode: message?.code })).statusCode).toBe(401);
  });

  it('APP-1 a number with a user and one without get the same status, headers and body', async () => {
    const { mobile: known } = await newAppUser(app);
    pass(60);
    const sent = await Promise.all([known, freshMobile()].map((mobile) => sendSmsCode(app, mobile, fresh())));
    const answers = sent.map(comparable);
    expect(answers[0]).toMatchObject({ status: 202 });
    expect(answers[1]).toEqual(answers[0]);
  });

  it('LP-17 APP-3 unknown number, wrong password, no password and wrong code get the same answer', async () => {
    const [known, codesOnly] = [await withPassword(), (await newAppUser(app)).mobile];
    const answers = await Promise.all([
      appSignIn(app, { mobile: freshMobile(), password: PASSWORD }, fresh()),
      appSignIn(app, { mobile: known, password: 'f'.repeat(64) }, fresh()),
      appSignIn(app, { mobile: codesOnly, password: PASSWORD }, fresh()),
      appSignIn(app, { mobile: known, smsCode: '000000' }, fresh()),
      appSignIn(app, { mobile: freshMobile(), smsCode: '000000' }, fresh()),
      appSignIn(app, { mobile: freshMobile(), smsCode: '000000', password: PASSWORD }, fresh()),
    ]);
    const [first, ...others] = answers.map(comparable);
    expect(first).toMatchObject({ status: 401, body: { code: 'LOGIN_FAILED' } });
    for (const other of others) expect(other).toEqual(first);
  });

  it('LP-42 APP-3 for an unregistered number only a correct code creates a user, not a password or a wrong code', async () => {
    const mobile = freshMobile();
    expect((await appSignIn(app, { mobile, password: PASSWORD })).statusCode).toBe(401);
    expect(await usersOf(mobile)).toEqual([]);
    const code = await codeFor(app, mobile);
    expect((await appSignIn(app, { mobile, smsCode: wrong(code) })).statusCode).toBe(401);
    expect((await appSignIn(app, { mobile, smsCode: code, password: PASSWORD })).statusCode).toBe(401);
    expect(await usersOf(mobile)).toEqual([]);
    expect((await appSignIn(app, { mobile, smsCode: code })).statusCode).toBe(200);
    expect(await usersOf(mobile)).toHaveLength(1);
  });

  it('REL-4 APP-3 one of 50 parallel first sign-ins with the same correct code, on two nodes, succeeds and creates one user', async () => {
    const mobile = freshMobile();
    const smsCode = await codeFor(app, mobile);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => appSignIn(i % 2 === 0 ? app : second, { mobile, smsCode }, fresh())),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    for (const { statusCode } of answers) expect([200, 401, 429]).toContain(statusCode);
    expect(await usersOf(mobile)).toHaveLength(1);
  });

  it('APP-2 if a password and a code are given both must be correct, and a wrong password does not consume the code', async () => {
    const mobile = await withPassword();
    const smsCode = await nextCode(mobile);
    expect((await appSignIn(app, { mobile, smsCode, password: 'f'.repeat(64) })).statusCode).toBe(401);
    expect((await appSignIn(app, { mobile, smsCode: wrong(smsCode), password: PASSWORD })).statusCode).toBe(401);
    expect((await appSignIn(app, { mobile, smsCode, password: PASSWORD })).statusCode).toBe(200);
    expect((await appSignIn(app, { mobile, smsCode, password: PASSWORD })).statusCode).toBe(401);
    expect((await appSignIn(app, { mobile, password: PASSWORD })).statusCode).toBe(200);
  });

  it('LP-45 APP-2 HTTP-4 a request with neither, with an unknown property or an invalid value is refused and does not count as an attempt', async () => {
    const mobile = freshMobile();
    const bodies: object[] = [
      {},
      { mobile: undefined, smsCode: '1' },
      { smsCode: '123456', role: 'admin' },
      { smsCode: '' },
      { smsCode: 123_456 },
      { smsCode: { $ne: '' } },
      { password: '' },
      { password: 'x'.repeat(73) },
      { smsCode: '123456', terminal: 'web' },
      { smsCode: '123456', terminal: 'app ' },
    ];
    for (const body of bodies) {
      const refused = await appSignIn(app, { mobile, ...body });
      expect(refused.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    }
  });

  it('API-4 APP-2 an optional member that is empty or null counts as absent, and a wrong one does not', async () => {
    const mobile = freshMobile();
    const empty = { key: '', code: null, proof: '' };
    const smsCode = await codeFor(app, mobile, { payload: { mobile, for: null, ...empty } });
    const none = { handle: null, deviceToken: '', password: '', ...empty };
    const signedIn = await appSignIn(app, { mobile, smsCode, ...none });
    expect([signedIn.statusCode, signedIn.json().data?.mobile]).toEqual([200, mobile]);
    for (const none of [{ smsCode: '', password: null }, { smsCode: null }, { mobile: '' }, { password: 0 }]) {
      const refused = await appSignIn(app, { mobile, ...none });
      expect(refused.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    }
  });

  it('LP-36 all spellings of a number are the same user; what is not a number is 400, before anything is counted', async () => {
    const mobile = freshMobile();
    const national = mobile.slice(3);
    const smsCode = await codeFor(app, national);
    const spelled = `0086 ${national.slice(0, 3)}-${national.slice(3)} `;
    await setParameter('app.auth.sms.mobile-captcha-after', 2);
    expect((await ask(mobile, 'login')).statusCode).toBe(202);
    expect((await ask(spelled, 'recover')).json().code).toBe('CAPTCHA_REQUIRED');
    await setParameter('app.auth.sms.mobile-captcha-after', 3);
    expect((await appSignIn(app, { mobile: spelled, smsCode })).json().data.mobile).toBe(mobile);
    for (const text of ['12345', 'x', '+861', '010 1234 5678']) {
      expect((await sendSmsCode(app, text)).json()).toMatchObject({ status: 400, code: 'MOBILE_INVALID' });
      expect((await appSignIn(app, { mobile: text, smsCode })).json()).toMatchObject({ code: 'MOBILE_INVALID' });
    }
  });

  /** Asks for a code of a purpose, for which the intervals count on their own. */
  const ask = (mobile: string, purpose: 'login' | 'recover', more: object = {}, from = fresh()) =>
    sendSmsCode(app, mobile, { ...from, payload: { mobile, for: purpose, ...more } });

  it('LP-35 APP-5 OTC-4 repeated requests for one number, from 20 addresses, send one message and count once', async () => {
    const mobile = freshMobile();
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendSmsCode(app, mobile, fresh())));
    expect(answers.filter(({ statusCode }) => statusCode === 202)).toHaveLength(20);
    const told = await app.inject(`/app/auth/captcha?mobile=${encodeURIComponent(mobile)}`);
    expect(told.json()).toEqual({ data: { enabled: false } });
    await vi.waitFor(async () => expect(await outboxOf(app, mobile)).toHaveLength(1), { timeout: 20_000 });
  });

  /** An answered captcha of this purpose. */
  async function answered(purpose: string, from = fresh()): Promise<{ key: string; code: string }> {
    const { data } = (await app.inject({ url: `/app/auth/captcha?for=${purpose}`, ...from })).json();
    return { key: data.key, code: captchaText(await store.get(`captcha:${data.key}`)) };
  }

  it('OTC-2 LP-29 LP-31 after twenty sends the client answers a captcha, once each; the /64 of an IPv6 address is one client', async () => {
    const from = (i: number) => ({ remoteAddress: `2001:db8:0:1::${i.toString(16)}` });
    for (let i = 1; i <= 20; i += 1) expect((await sendSmsCode(app, freshMobile(), from(i))).statusCode).toBe(202);
    const refused = await sendSmsCode(app, freshMobile(), from(21));
    expect(refused.json()).toMatchObject({ status: 400, code: 'CAPTCHA_REQUIRED', clientAction: 'answer-captcha' });
    expect((await app.inject({ url: '/app/auth/captcha', ...fresh() })).json()).toEqual({ data: { enabled: false } });
    const shown = (await app.inject({ url: '/app/auth/captcha', ...from(22) })).json();
    expect(shown.data).toMatchObject({ enabled: true, key: expect.any(String), image: expect.any(String) });

    const send = (answer: object) =>
      sendSmsCode(app, '', { ...from(23), payload: { mobile: freshMobile(), ...answer } });
    const used = await answered('sms', from(24));
    expect((await send({ ...used, code: `${used.code}x` })).json().code).toBe('CAPTCHA_REQUIRED');
    expect((await send(used)).json().code).toBe('CAPTCHA_REQUIRED');
    for (let i = 0; i < 3; i += 1) expect((await send(await answered('sms', from(25)))).statusCode).toBe(202);
  });

  it('OTC-2 a network beyond its sends of an hour is refused: 429, and when to come back', async () => {
    await setParameter('app.auth.sms.ip-hourly-limit', 1);
    const from = fresh();
    expect((await sendSmsCode(app, freshMobile(), from)).statusCode).toBe(202);
    const refused = await sendSmsCode(app, freshMobile(), from);
    expect(refused.json()).toMatchObject({ status: 429, code: 'SMS_LIMITED', retryAfterSeconds: expect.any(Number) });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await setParameter('app.auth.sms.ip-hourly-limit', 200);
  });

  it('OTC-2 the fourth code of an hour needs a captcha, which says nothing of the number, and its handle works', async () => {
    const mobile = freshMobile();
    await setParameter('app.auth.sms.mobile-captcha-after', 2);
    const smsCode = await codeFor(app, mobile, fresh());
    expect((await ask(mobile, 'recover')).statusCode).toBe(202);
    const here = fresh();
    expect((await ask(mobile, 'login', {}, here)).json().code).toBe('CAPTCHA_REQUIRED');
    // The endpoint does not know the number: with `for` it gives a captcha in any case.
    const answer = await answered('sms', here);
    expect((await ask(mobile, 'login', answer, here)).statusCode).toBe(202);
    // Within the interval nothing is asked, and the handle accepts the codes that are on the phone.
    const sent = await sendSmsCode(app, mobile, here);
    await setParameter('app.auth.sms.mobile-captcha-after', 3);
    expect(sent.statusCode).toBe(202);
    const { handle } = sent.json().data;
    expect((await appSignIn(app, { mobile, smsCode, handle }, here)).statusCode).toBe(200);
  });

  it('OTC-1 LP-38 after five guesses of a client its codes are refused; the handle of the owner is not touched, not even from the same address', async () => {
    const mobile = freshMobile();
    const here = fresh();
    const { handle } = (await sendSmsCode(app, mobile, here)).json().data;
    await vi.waitFor(async () => expect(await outboxOf(app, mobile)).toHaveLength(1), { timeout: 20_000 });
    const smsCode = (await outboxOf(app, mobile))[0]!.code;
    const statuses = [];
    for (let i = 0; i < 20; i += 1)
      statuses.push((await appSignIn(app, { mobile, smsCode: wrong(smsCode) }, here)).statusCode);
    expect(statuses).toEqual(Array(20).fill(401));
    expect((await appSignIn(second, { mobile, smsCode }, here)).statusCode).toBe(401);
    expect((await appSignIn(second, { mobile, smsCode, handle: 'A'.repeat(22) }, here)).statusCode).toBe(401);
    expect(await usersOf(mobile)).toEqual([]);
    expect((await appSignIn(second, { mobile, smsCode, handle }, here)).statusCode).toBe(200);
  });

  it('OTC-1 LGN-9 wrong codes lock no password, and locked passwords no code', async () => {
    const mobile = await withPassword();
    for (let i = 0; i < 20; i += 1) await appSignIn(app, { mobile, smsCode: '000000' }, fresh());
    expect((await appSignIn(app, { mobile, password: PASSWORD }, fresh())).statusCode).toBe(200);
    for (let i = 0; i < 20; i += 1) await appSignIn(app, { mobile, password: 'f'.repeat(64) }, fresh());
    expect((await appSignIn(app, { mobile, password: PASSWORD }, fresh())).statusCode).toBe(429);
    const smsCode = await nextCode(mobile);
    expect((await appSignIn(app, { mobile, smsCode }, fresh())).statusCode).toBe(200);
  });

  it('OTC-1 after some wrong codes a code needs a captcha, after more a new and longer code, and an administrator clears it', async () => {
    const mobile = freshMobile();
    const { handle } = (await sendSmsCode(app, mobile, fresh())).json().data;
    await vi.waitFor(async () => expect(await outboxOf(app, mobile)).toHaveLength(1), { timeout: 20_000 });
    const smsCode = (await outboxOf(app, mobile))[0]!.code;
    await setParameter('app.auth.sms.wrong-captcha-after', 3);
    await setParameter('app.auth.sms.wrong-daily-limit', 6);
    const guess = async (more: object = {}) =>
      (await appSignIn(app, { mobile, smsCode: wrong(smsCode), ...more }, fresh())).json().code;
    for (let i = 0; i < 3; i += 1) expect(await guess()).toBe('LOGIN_FAILED');
    expect(await guess()).toBe('CAPTCHA_REQUIRED');
    for (let i = 3; i < 6; i += 1) expect(await guess(await answered('login'))).toBe('LOGIN_FAILED');
    const refused = await appSignIn(app, { mobile, smsCode, handle, ...(await answered('login')) }, fresh());
    expect(refused.json()).toMatchObject({ code: 'NEW_CODE_REQUIRED', clientAction: 'request-new-code' });

    const admin = await root(app);
    const url = `/admin/login-policy/explain?username=${mobile.slice(3)}&terminal=app`;
    const explained = (await admin.call('GET', url)).json().data;
    expect(explained.codes).toMatchObject({ liveCodes: 1, messages: 1, wrongCodes: 6 });
    expect(explained.codes.limits).toContainEqual({ limit: 'long-codes-only', until: expect.any(Number) });
    const guessed = await rowsOf<{ target: string }>(
      bench.database.orm,
      sql`select target from audit_records where action = 'sms-code.guessed'`,
    );
    expect(guessed.map(({ target }) => target)).toEqual(Array(2).fill(expect.stringMatching(/^\+86\d+\*{4}/)));

    await admin.call('POST', '/admin/auth/clearLoginLimit', { username: mobile, terminal: 'app' });
    expect((await appSignIn(app, { mobile, smsCode, handle }, fresh())).statusCode).toBe(200);
    await setParameter('app.auth.sms.wrong-daily-limit', 100);
    await setParameter('app.auth.sms.wrong-captcha-after', 50);
  });

  it('LGN-9 LP-12 failures of app users lock by the same policy, over all addresses, and an administrator clears and explains them by the number', async () => {
    const mobile = freshMobile();
    const admin = await root(app);
    const guess = () => appSignIn(app, { mobile, password: 'f'.repeat(64) }, fresh());
    for (let i = 0; i < 20; i += 1) expect((await guess()).statusCode).toBe(401);
    expect((await guess()).json()).toMatchObject({ status: 429, code: 'LOGIN_LOCKED' });
    const national = mobile.slice(3);
    const explained = await admin.call('GET', `/admin/login-policy/explain?username=${national}&terminal=app`);
    expect(explained.json().data).toMatchObject({ username: mobile, terminal: 'app', lockedUntil: expect.any(Number) });
    const clear = (terminal: string) =>
      admin.call('POST', '/admin/auth/clearLoginLimit', { username: national, terminal });
    expect((await clear('web')).statusCode).toBe(200);
    expect((await guess()).statusCode).toBe(429);
    expect((await clear('App')).json()).toEqual({ data: { stillLocked: [] } });
    expect((await guess()).statusCode).toBe(401);
  });

  it('LGN-9 LP-26 the IP whitelist does not apply to app users', async () => {
    await setParameter('admin.auth.login.ip-whitelist.values', '127.0.0.1');
    const headers = await bearer(app);
    const url = '/admin/system-parameters/admin.auth.login.ip-whitelist.enabled';
    const { version } = (await app.inject({ url, headers })).json().data;
    const on = { value: true, version, confirm: true };
    expect((await app.inject({ method: 'PUT', url, headers, payload: on })).statusCode).toBe(200);
    const user = await newAppUser(app);
    expect((await user.call('GET', '/app/profile')).statusCode).toBe(200);
    await app.inject({ method: 'PUT', url, headers, payload: { value: false, version: version + 1, confirm: true } });
  });

  it('LP-51 APP-4 while the store of codes is unavailable sign-in is 503', async () => {
    const mobile = freshMobile();
    const smsCode = await codeFor(app, mobile);
    const away = Object.fromEntries(
      Object.keys(store).map((verb) => [
        verb,
        async () => {
          throw Object.assign(new Error('away'), { statusCode: 503, code: 'STORE_UNAVAILABLE' });
        },
      ]),
    ) as unknown as TtlStore;
    const broken = await node({}, away);
    expect((await sendSmsCode(broken, freshMobile())).statusCode).toBe(503);
    expect((await appSignIn(broken, { mobile, smsCode })).statusCode).toBe(503);
    await broken.close();
  });

  it('AU-07 AUD-3 the queue and the list of administrators show neither code nor number', async () => {
    const mobile = freshMobile();
    const code = await codeFor(app, mobile);
    const rows = JSON.stringify(await bench.database.orm.execute('select * from bullmq.job'));
    expect(rows).not.toContain(mobile.slice(1));
    const admin = await root(app);
    const { data } = (await admin.call('GET', '/admin/notifications?size=200')).json();
    const masked = `${mobile.slice(0, 5)}****${mobile.slice(-2)}`;
    const mine = data.filter(({ recipient }: { recipient: string }) => recipient === masked);
    expect(mine[0]).toMatchObject({ kind: 'sms-code', state: 'sent' });
    expect(Object.values(mine[0])).not.toContain(code);
    expect((await app.inject('/admin/notifications')).statusCode).toBe(401);
  });

  it('APP-5 OTC-3 codes are sent to the configured countries only, by default to the default one; users with a password sign in from everywhere', async () => {
    const chinese = await node({ SERVICE_APP_AUTH_SMS_REGIONS: 'CN, LV' });
    const answer = async (mobile: string) => (await sendSmsCode(chinese, mobile, fresh())).json();
    expect(await answer('+44 7400 123456')).toMatchObject({ status: 400, code: 'MOBILE_REGION_REFUSED' });
    expect(await answer('+12015550123')).toMatchObject({ status: 400, code: 'MOBILE_REGION_REFUSED' });
    for (const mobile of [freshMobile(), '+37126123456']) expect(await answer(mobile)).toHaveProperty('data');
    expect((await sendSmsCode(app, '+37126123456', fresh())).json().code).toBe('MOBILE_REGION_REFUSED');
    const british = { mobile: '+447400123456', password: PASSWORD };
    expect((await appSignIn(chinese, british, fresh())).json()).toMatchObject({ status: 401, code: 'LOGIN_FAILED' });
  });

  it('AUD-3 the audit log masks a number in every spelling', async () => {
    const spellings = ['138 0013 8000', '１３８００１３８０００', '0086 138-0013-8000', '+86 13800138000'];
    for (const mobile of spellings) {
      await sendSmsCode(app, mobile, fresh());
      await appSignIn(app, { mobile, password: PASSWORD }, fresh());
    }
    const rows = await rowsOf<{ target: string; parameters: string }>(
      bench.database.orm,
      sql`select target, parameters::text as parameters from audit_records where target like '+86138%8000'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2 * spellings.length);
    for (const { target, parameters } of rows) {
      expect(target).toBe('+86138****8000');
      expect(parameters).not.toMatch(/0013|００１３/);
    }
  });

  it('APP-4 production has no outbox, and without a gateway it sends no code: 503 for every number', async () => {
    const config = bench.config({
      SERVICE_PROFILE: 'production',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12',
      SERVICE_AUTH_TOKEN_ALGORITHM: 'HS256',
      SERVICE_AUTH_TOKEN_KEY: randomBytes(48).toString('base64url'),
      SERVICE_TRUSTED_PROXIES: '127.0.0.1',
      SERVICE_AUDIT_CHECKPOINT_FILE: join(bench.folder, 'checkpoints'),
    });
    const empty = await openTestBench();
    try {
      const production = await empty.appOn(config, empty.resources(config));
      for (const mobile of ['+8613812345678', '+447400123456']) {
        expect((await sendSmsCode(production, mobile)).json()).toMatchObject({ status: 503, code: 'SMS_UNAVAILABLE' });
      }
      for (const url of ['/dev/sms-outbox', '/dev/sms-outbox/page']) {
        expect((await production.inject(url)).statusCode).toBe(401);
      }
    } finally {
      await empty.close();
    }
  });

  it('HTTP-2 messages and refusals are in the language of the request', async () => {
    const mobile = freshMobile();
    const chinese = { headers: { 'accept-language': 'zh-CN' } };
    await codeFor(app, mobile, chinese);
    expect((await outboxOf(app, mobile))[0]?.text).toMatch(/^您的验证码是 \d{6}，5 分钟内有效/);
    await setParameter('app.auth.sms.mobile-captcha-after', 1);
    expect((await ask(mobile, 'login', {}, { ...fresh(), ...chinese })).json().detail).toBe(
      '请先完成人机验证，然后重试。',
    );
    await setParameter('app.auth.sms.mobile-captcha-after', 3);
  });
});
