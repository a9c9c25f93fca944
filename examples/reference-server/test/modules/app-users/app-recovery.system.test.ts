import { randomUUID } from 'node:crypto';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { eq } from 'drizzle-orm';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { appUsers } from '../../../src/storage/schema.js';
import { OTHER_PASSWORD, PASSWORD, root } from '../../support/accounts.js';
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
import { setParameter } from '../../support/system-parameters.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

describe('recovery of the password of app users', () => {
  let bench: TestBench;
  let app: App;
  let second: App;
  let store: TtlStore = createMemoryStore();
  let last = 0;
  const fresh = () => ({ remoteAddress: `10.3.${++last >> 8}.${last & 255}` });

  beforeAll(async () => {
    bench = await openTestBench();
    const sessions = new Proxy({} as TtlStore, { get: (_target, verb: keyof TtlStore) => store[verb] });
    const config = bench.config({ ...roomyApp, SERVICE_RATE_LIMIT_RECOVERY_MAX_REQUESTS: '50' });
    const resources = bench.resources(config);
    const open = () => bench.appOn(config, { ...resources, stores: { ...resources.stores, sessions } });
    app = await open();
    second = await open();
  });
  afterAll(() => bench.close());
  beforeEach(() => {
    store = createMemoryStore();
  });

  async function captcha(): Promise<{ key: string; code: string }> {
    const { data } = (await app.inject({ url: '/app/auth/captcha?for=recover', ...fresh() })).json();
    expect(data.enabled).toBe(true);
    return { key: data.key, code: captchaText(await store.get(`captcha:${data.key}`)) };
  }

  async function recover(body: object, more: InjectOptions = {}, node = app) {
    const payload = { newPassword: OTHER_PASSWORD, ...(await captcha()), ...body };
    return node.inject({ method: 'POST', url: '/app/auth/recoverPassword', payload, ...fresh(), ...more });
  }

  const rowOf = async (mobile: string) =>
    (await bench.database.orm.select().from(appUsers).where(eq(appUsers.mobile, mobile)))[0];

  it('USR-5 a code sets the password, is used up, and ends all sessions', async () => {
    const user = await newAppUser(app);
    const { mobile } = user;
    const smsCode = await codeFor(app, mobile, fresh());
    expect((await recover({ mobile, smsCode: wrong(smsCode) })).json().code).toBe('SMS_CODE_WRONG');
    expect((await user.call('GET', '/app/profile')).statusCode).toBe(200);
    const answer = await recover({ mobile, smsCode });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect((await user.call('GET', '/app/profile')).json()).toMatchObject({ status: 401, code: 'PASSWORD_CHANGED' });
    expect((await appSignIn(app, { mobile, password: OTHER_PASSWORD }, fresh())).statusCode).toBe(200);
    expect((await recover({ mobile, smsCode })).json().code).toBe('SMS_CODE_WRONG');
    expect((await appSignIn(app, { mobile, smsCode }, fresh())).statusCode).toBe(401);
  });

  it('PWD-7 USR-5 while passwords age, a recovery does not set the present one again', async () => {
    const admin = await root(app);
    const { mobile } = await newAppUser(app);
    expect((await recover({ mobile, smsCode: await codeFor(app, mobile, fresh()) })).statusCode).toBe(204);
    await setParameter(admin, 'app.auth.password.max-age-days', 30);
    const smsCode = await codeFor(app, mobile, fresh());
    expect((await recover({ mobile, smsCode })).json()).toMatchObject({ status: 400, code: 'PASSWORD_REUSED' });
    expect((await recover({ mobile, smsCode, newPassword: PASSWORD })).statusCode).toBe(204);
    await setParameter(admin, 'app.auth.password.max-age-days', 0);
  });

  it('OTC-1 USR-5 a parameter demands the handle of the send, where a code signs in and where it sets a password', async () => {
    const admin = await root(app);
    const url = '/admin/system-parameters/app.auth.sms.require-handle';
    const set = async (value: boolean) => {
      const { version } = (await admin.call('GET', url)).json().data;
      expect((await admin.call('PUT', url, { confirm: true, value, version })).statusCode).toBe(200);
    };
    const { mobile } = await newAppUser(app);
    await set(true);
    try {
      const { handle } = (await sendSmsCode(app, mobile, fresh())).json().data;
      const smsCode = await vi.waitFor(async () => {
        const messages = await outboxOf(app, mobile);
        expect(messages).toHaveLength(2);
        return messages[0]!.code;
      }, 20_000);
      const repeated = (await sendSmsCode(app, mobile, fresh())).json().data.handle;
      for (const wrongHandle of [undefined, repeated]) {
        expect((await appSignIn(app, { mobile, smsCode, handle: wrongHandle }, fresh())).statusCode).toBe(401);
        expect((await recover({ mobile, smsCode, handle: wrongHandle })).json().code).toBe('SMS_CODE_WRONG');
      }
      expect((await recover({ mobile, smsCode, handle })).statusCode).toBe(204);
    } finally {
      await set(false);
    }
  });

  it('USR-5 a number without a user and a disabled user get the same answers, and nothing is made or changed', async () => {
    const stranger = freshMobile();
    const disabled = await newAppUser(app);
    const { id } = (await rowOf(disabled.mobile))!;
    const admin = await root(app);
    await admin.call('PUT', `/admin/app-users/${id}`, { disabled: true });
    for (const mobile of [stranger, disabled.mobile]) {
      const smsCode = await codeFor(app, mobile, fresh());
      expect((await recover({ mobile, smsCode: wrong(smsCode) })).json()).toMatchObject({ code: 'SMS_CODE_WRONG' });
      const answer = await recover({ mobile, smsCode });
      expect([answer.statusCode, answer.body]).toEqual([204, '']);
      expect((await appSignIn(app, { mobile, password: OTHER_PASSWORD }, fresh())).statusCode).toBe(401);
    }
    expect(await rowOf(stranger)).toBeUndefined();
    expect(await rowOf(disabled.mobile)).toMatchObject({ passwordHash: null, disabled: true });
  });

  it('USR-5 a code that says that it is for signing in sets no password, and the other way round', async () => {
    const { mobile } = await newAppUser(app);
    const sent = async (purpose: string) => {
      const response = await sendSmsCode(app, mobile, { payload: { for: purpose, mobile }, ...fresh() });
      expect(response.statusCode).toBe(202);
      return response.json().data.handle as string;
    };
    const newest = (text: string) =>
      vi.waitFor(async () => (await outboxOf(app, mobile)).find((message) => message.text.includes(text))!.code, {
        timeout: 20_000,
      });
    const loginHandle = await sent('login');
    const loginCode = await newest('to sign in');
    expect((await recover({ mobile, smsCode: loginCode, handle: loginHandle })).json().code).toBe('SMS_CODE_WRONG');
    expect((await appSignIn(app, { mobile, smsCode: loginCode, handle: loginHandle }, fresh())).statusCode).toBe(200);
    const handle = await sent('recover');
    const smsCode = await newest('to set a new password');
    expect((await appSignIn(app, { mobile, smsCode, handle }, fresh())).statusCode).toBe(401);
    expect((await recover({ mobile, smsCode, handle })).statusCode).toBe(204);
  });

  it('USR-5 needs a captcha, before a code is looked at', async () => {
    const { mobile } = await newAppUser(app);
    const smsCode = await codeFor(app, mobile, fresh());
    for (const answer of [{ key: undefined, code: undefined }, { key: 'x'.repeat(22) }, { code: 'WRONG' }]) {
      expect((await recover({ mobile, smsCode, ...answer })).json()).toMatchObject({ code: 'CAPTCHA_INVALID' });
    }
    expect((await recover({ mobile, smsCode })).statusCode).toBe(204);
  });

  it('REL-4 USR-5 one of 20 parallel recoveries with one code, on two nodes, takes effect', async () => {
    const { mobile } = await newAppUser(app);
    const smsCode = await codeFor(app, mobile, fresh());
    const bodies = Array.from({ length: 20 }, (_, i) => ({ mobile, smsCode, newPassword: `${i}`.padStart(64, 'a') }));
    const answers = await Promise.all(bodies.map((body, i) => recover(body, fresh(), i % 2 ? app : second)));
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    const { newPassword } = bodies[statuses.indexOf(204)]!;
    expect((await appSignIn(app, { mobile, password: newPassword }, fresh())).statusCode).toBe(200);
  });

  it('USR-5 IDM-7 a retry with the same key is told that it was done', async () => {
    const { mobile } = await newAppUser(app);
    const smsCode = await codeFor(app, mobile, fresh());
    const headers = { 'idempotency-key': randomUUID() };
    const payload = { mobile, smsCode, newPassword: OTHER_PASSWORD, ...(await captcha()) };
    const request = { method: 'POST', url: '/app/auth/recoverPassword', headers, payload, ...fresh() } as const;
    expect((await app.inject(request)).statusCode).toBe(204);
    expect((await app.inject(request)).json()).toMatchObject({ status: 409, code: 'IDEMPOTENCY_SUBMITTED' });
  });

  it('USR-5 is limited by address', async () => {
    const from = fresh();
    const ask = () => app.inject({ method: 'POST', url: '/app/auth/recoverPassword', payload: {}, ...from });
    for (let i = 0; i < 50; i += 1) expect((await ask()).statusCode).toBe(400);
    expect((await ask()).json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  });
});
