import { createMemoryStore } from '@sallyport/ttl-store';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD, roomy, root } from '../../support/accounts.js';
import { codeFor, freshMobile, newAppUser, sendSmsCode, wrong } from '../../support/app-accounts.js';
import { captchaText } from '../../support/captcha-text.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

/** Failures that lock a name over all addresses: fewer than by default, so that filling it is quick. */
const NAME_LIMIT = 6;

/** What an attacker tries who has read the source. `pnpm run faults abuse` is the attack with time and numbers. */
describe('attacks on sign-in and codes by somebody who has read the source', () => {
  const store = createMemoryStore();
  let bench: TestBench;
  let app: App;
  let admin: Actor;

  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config(roomy);
    const resources = bench.resources(config);
    app = await bench.appOn(config, { ...resources, stores: { ...resources.stores, sessions: store } });
    admin = await root(app);
    const url = '/admin/system-parameters/admin.auth.login.account-failure-count';
    const { version } = (await admin.call('GET', url)).json().data;
    await admin.call('PUT', url, { value: NAME_LIMIT, version });
  });
  afterAll(() => bench.close());

  let networks = 0;
  /** An address that nothing else comes from. */
  const stranger = () => `2001:db8:${(networks++).toString(16)}::1`;

  function post(url: string, payload: object, from = stranger()): Promise<LightMyRequestResponse> {
    return app.inject({ method: 'POST', url, payload, remoteAddress: from });
  }

  const signIn = (username: string, more: object = {}, from?: string) =>
    post('/admin/auth/login', { username, password: PASSWORD, terminal: 'web', ...more }, from);
  const appSignIn = (mobile: string, more: object, from?: string) =>
    post('/app/auth/login', { mobile, terminal: 'app', ...more }, from);

  const codeOf = (response: LightMyRequestResponse) => (response.statusCode < 300 ? 'ok' : response.json().code);

  /** Fills the counter of the name over all addresses. */
  async function lockName(username: string): Promise<void> {
    for (let count = 0; count < NAME_LIMIT; count += 1) await signIn(username, { password: OTHER_PASSWORD });
    expect(codeOf(await signIn(username))).toBe('LOGIN_LOCKED');
  }

  async function solved(purpose: 'sms' | 'login' | 'recover', from: string) {
    const url = `/app/auth/captcha?for=${purpose}&kind=image`;
    const { key } = (await app.inject({ url, remoteAddress: from })).json().data;
    expect(key).toEqual(expect.any(String));
    return { key: key as string, code: captchaText(await store.get(`captcha:${key}`)) };
  }

  it('LGN-12 the device token of one name opens no other, and no other spelling is another name', async () => {
    const [victim, other] = [await actor(app, admin, []), await actor(app, admin, [])];
    const home = stranger();
    const { deviceToken } = (await signIn(victim.username, {}, home)).json().data;
    const { deviceToken: foreign } = (await signIn(other.username)).json().data;
    await lockName(victim.username);
    const made = Buffer.alloc(32, 'made up').toString('base64url');
    for (const token of [foreign, made, `${deviceToken}A`, deviceToken.toUpperCase()]) {
      expect(codeOf(await signIn(victim.username, { deviceToken: token }))).not.toBe('ok');
    }
    const spelled = ` ${victim.username.toUpperCase()}`;
    expect(codeOf(await signIn(spelled))).toBe('LOGIN_LOCKED');
    expect(codeOf(await signIn(victim.username, { deviceToken }, home))).toBe('ok');
  });

  it('LGN-12 a stolen device token gives five guesses over all networks, however they are raced', async () => {
    const victim = await actor(app, admin, []);
    const { deviceToken } = (await signIn(victim.username)).json().data;
    await lockName(victim.username);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => signIn(victim.username, { password: OTHER_PASSWORD, deviceToken })),
    );
    const outcomes = answers.map(codeOf);
    expect(outcomes.filter((code) => code === 'LOGIN_FAILED')).toHaveLength(5);
    expect(outcomes.filter((code) => code === 'LOGIN_LOCKED')).toHaveLength(7);
  });

  it('LGN-12 USR-5 a recovered password ends the device tokens of the number', async () => {
    const { mobile, call } = await newAppUser(app);
    const smsCode = await nextCode(mobile);
    const change = await call('PUT', '/app/profile/password', { newPassword: PASSWORD, smsCode });
    expect(codeOf(change)).toBe('ok');
    const { deviceToken } = (await appSignIn(mobile, { password: PASSWORD })).json().data;
    expect(deviceToken).toEqual(expect.any(String));
    const from = stranger();
    const body = { mobile, smsCode: await nextCode(mobile), newPassword: OTHER_PASSWORD };
    const recovered = await post('/app/auth/recoverPassword', { ...body, ...(await solved('recover', from)) }, from);
    expect(codeOf(recovered)).toBe('ok');
    for (let count = 0; count < NAME_LIMIT; count += 1) await appSignIn(mobile, { password: PASSWORD });
    expect(codeOf(await appSignIn(mobile, { password: OTHER_PASSWORD, deviceToken }))).toBe('LOGIN_LOCKED');
  });

  it('LGN-6 OTC-1 a wrong code beside it makes no guess of a password free', async () => {
    const mobile = freshMobile();
    const outcomes = [];
    for (let count = 0; count < NAME_LIMIT + 2; count += 1) {
      outcomes.push(codeOf(await appSignIn(mobile, { password: OTHER_PASSWORD, smsCode: '000000' })));
    }
    expect(outcomes.slice(NAME_LIMIT)).not.toContain('LOGIN_FAILED');
  });

  it('OTC-1 sign-in and recovery share the attempts of a handle', async () => {
    const mobile = freshMobile();
    const from = stranger();
    const smsCode = await codeFor(app, mobile, { remoteAddress: from });
    const { handle } = (
      await sendSmsCode(app, mobile, { remoteAddress: from, payload: { mobile, ...(await solved('sms', from)) } })
    ).json().data;
    for (let count = 0; count < 3; count += 1) await appSignIn(mobile, { smsCode: wrong(smsCode), handle }, from);
    for (let count = 0; count < 2; count += 1) {
      const captcha = await solved('recover', from);
      const body = { mobile, smsCode: wrong(smsCode), newPassword: PASSWORD, handle, ...captcha };
      expect(codeOf(await post('/app/auth/recoverPassword', body, from))).toBe('SMS_CODE_WRONG');
    }
    expect(codeOf(await appSignIn(mobile, { smsCode, handle }, from))).toBe('LOGIN_FAILED');
    // The owner, elsewhere and without a handle, is not concerned.
    expect(codeOf(await appSignIn(mobile, { smsCode }))).toBe('ok');
  });

  it('OTC-1 the handle of an own number gives no guesses at another', async () => {
    const [own, victim] = [freshMobile(), freshMobile()];
    const from = stranger();
    const handles = [];
    for (let count = 0; count < 3; count += 1)
      handles.push(
        (
          await sendSmsCode(app, own, {
            remoteAddress: from,
            payload: { mobile: own, ...(count > 0 && (await solved('sms', from))) },
          })
        ).json().data.handle,
      );
    const smsCode = await codeFor(app, victim);
    for (const handle of handles) {
      for (let count = 0; count < 3; count += 1) await appSignIn(victim, { smsCode: wrong(smsCode), handle }, from);
    }
    // Nine wrong codes, and five from one network without a handle of the number end what comes from there.
    expect(codeOf(await appSignIn(victim, { smsCode, handle: handles[0] }, from))).toBe('LOGIN_FAILED');
    expect(codeOf(await appSignIn(victim, { smsCode }))).toBe('ok');
  });

  it('OTC-2 CAP-1 an owner gets the captcha that a stranger made necessary, and spellings of a number are one number', async () => {
    const mobile = freshMobile();
    const digits = mobile.slice(3);
    const spellings = [
      digits,
      `0086${digits}`,
      `+86 ${digits}`,
      digits.replaceAll(/\d/g, (d) => String.fromCodePoint(0xff10 + Number(d))),
    ];
    const limit = '/admin/system-parameters/app.auth.sms.mobile-captcha-after';
    const setLimit = async (value: number) => {
      const { version } = (await admin.call('GET', limit)).json().data;
      expect((await admin.call('PUT', limit, { value, version })).statusCode).toBe(200);
    };
    await setLimit(2);
    const ask = (text: string, more: object, from = stranger()) =>
      sendSmsCode(app, text, { remoteAddress: from, payload: { mobile: text, ...more } });
    for (const more of [{}, { for: 'login' }]) expect(codeOf(await ask(digits, more))).toBe('ok');
    for (const spelling of spellings) {
      expect(codeOf(await ask(spelling, { for: 'recover' }))).toBe('CAPTCHA_REQUIRED');
    }
    const owner = stranger();
    const answer = await solved('sms', owner);
    const payload = { ...answer, for: 'recover' };
    expect(codeOf(await ask(mobile, payload, owner))).toBe('ok');
    // A double click; and the captcha was used up.
    expect(codeOf(await ask(mobile, payload, owner))).toBe('ok');
    await setLimit(0);
    expect(codeOf(await ask(freshMobile(), answer, owner))).toBe('CAPTCHA_REQUIRED');
    await setLimit(3);
  });

  /** A code for a number that may need a captcha by now. */
  async function nextCode(mobile: string): Promise<string> {
    const from = stranger();
    return codeFor(app, mobile, { remoteAddress: from, payload: { mobile, ...(await solved('sms', from)) } });
  }
});
