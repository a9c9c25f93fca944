import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, OTHER_PASSWORD, PASSWORD, root } from '../../support/accounts.js';
import { type AppActor, appActor, appSignIn, codeFor, newAppUser, roomyApp } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

describe('sessions of app users', () => {
  let bench: TestBench;
  let app: App;
  let other: App;
  let admin: Actor;
  let user: AppActor;
  beforeAll(async () => {
    bench = await openTestBench('embedded');
    app = await bench.app(roomyApp);
    other = await bench.app(roomyApp);
    admin = await root(app);
    await setParameter('app.auth.sms.resend-seconds', 1);
    await setParameter('app.auth.sms.captcha-after', 1000);
    await setParameter('app.auth.sms.ip-hourly-limit', 1000);
  });
  beforeEach(async () => {
    user = await newAppUser(app);
  });
  afterAll(() => bench.close());

  async function setParameter(key: string, value: unknown): Promise<void> {
    const { version } = (await admin.call('GET', `/admin/system-parameters/${key}`)).json().data;
    const answer = await admin.call('PUT', `/admin/system-parameters/${key}`, { value, version });
    expect(answer.statusCode).toBe(200);
  }
  /** Passes the interval between two codes first. */
  const nextCode = (mobile: string) => vi.waitFor(() => codeFor(app, mobile), { timeout: 20_000, interval: 200 });
  const setPassword = async (newPassword = PASSWORD) =>
    user.call('PUT', '/app/profile/password', { newPassword, smsCode: await nextCode(user.mobile) });
  const signIn = async (credentials: object) => {
    const answer = await appSignIn(app, { mobile: user.mobile, ...credentials });
    expect(answer.statusCode).toBe(200);
    return appActor(app, user.mobile, answer.json().data.token);
  };
  const onBoth = async (who: AppActor) => {
    const answers = await Promise.all(
      [app, other].map((node) => node.inject({ url: '/app/profile', headers: who.headers })),
    );
    return [...new Set(answers.map((answer) => `${answer.statusCode} ${answer.json().code ?? ''}`.trim()))];
  };

  const idOf = (who: AppActor): string => {
    const [, payload = ''] = who.headers.authorization.split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).sub;
  };

  const ends: Record<string, readonly [(who: AppActor, also: AppActor) => Promise<{ statusCode: number }>, string]> = {
    logout: [(who) => who.call('POST', '/auth/logout'), 'SESSION_REVOKED'],
    'logout everywhere, from another session': [
      (_who, also) => also.call('DELETE', '/app/sessions'),
      'SESSION_REVOKED',
    ],
    'an administrator ends it, out of the list of sessions': [
      async (who) => {
        const { data } = (await admin.call('GET', `/admin/sessions?audience=app&subject=${idOf(who)}`)).json();
        const [, payload = ''] = who.headers.authorization.split('.');
        const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString());
        const { id } = data.find((session: { id: string }) => session.id.startsWith(`${jti}.`));
        return admin.call('DELETE', `/admin/sessions/${id}`);
      },
      'SESSION_REVOKED',
    ],
    'an administrator ends all of the user': [
      (who) => admin.call('DELETE', `/admin/app-users/${idOf(who)}/sessions`),
      'SESSION_REVOKED',
    ],
    'an administrator disables the user': [
      (who) => admin.call('PUT', `/admin/app-users/${idOf(who)}`, { disabled: true }),
      'ACCOUNT_DISABLED',
    ],
    'the password is reset by a code': [
      async (who) =>
        who.call('PUT', '/app/profile/password', {
          newPassword: OTHER_PASSWORD,
          smsCode: await nextCode(who.mobile),
        }),
      'PASSWORD_CHANGED',
    ],
    'password change': [
      (who) => who.call('PUT', '/app/profile/password', { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD }),
      'PASSWORD_CHANGED',
    ],
    'password change, from another session': [
      (_who, also) => also.call('PUT', '/app/profile/password', { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD }),
      'PASSWORD_CHANGED',
    ],
  };

  it.each(Object.entries(ends))(
    'TOK-6 TOK-7 AT-07 %s: the next request of an app user is refused on every node, with the reason',
    async (_name, [end, reason]) => {
      expect((await setPassword()).statusCode).toBe(204);
      const [one, another] = [await signIn({ password: PASSWORD }), await signIn({ password: PASSWORD })];
      expect(await onBoth(one)).toEqual(['200']);
      expect([200, 204]).toContain((await end(one, another)).statusCode);
      expect(await onBoth(one)).toEqual([`401 ${reason}`]);
      const fresh = (await one.call('POST', '/auth/logout')).json();
      expect(fresh).toMatchObject({ status: 401, code: reason });
    },
  );

  it("TOK-4 TOK-6 retiring a key refuses the app users' tokens that it signed, from the next request on", async () => {
    const retired = await bench.app({
      ...roomyApp,
      SERVICE_AUTH_TOKEN_ALGORITHM: 'HS256',
      SERVICE_AUTH_TOKEN_KEY: randomBytes(48).toString('base64url'),
    });
    expect(await onBoth(user)).toEqual(['200']);
    const refused = await retired.inject({ url: '/app/profile', headers: user.headers });
    expect(refused.json()).toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  });

  it('TOK-7 an administrator ends one session of a user, and the others continue', async () => {
    const another = await signIn({ smsCode: await nextCode(user.mobile) });
    const list = async () =>
      (await admin.call('GET', `/admin/sessions?audience=app&subject=${idOf(user)}`)).json() as {
        data: { id: string; issuedAt: number }[];
        page: object;
      };
    const { data, page } = await list();
    expect(page).toEqual({ number: 1, size: 20, total: 2, next: null });
    const ofUser = { subject: idOf(user), terminal: 'app', current: false, expiresAt: expect.any(Number) };
    for (const session of data) expect(session).toMatchObject(ofUser);
    const [first] = data.toSorted((one, other) => one.issuedAt - other.issuedAt);
    expect((await admin.call('DELETE', `/admin/sessions/${first?.id}`)).statusCode).toBe(204);
    expect((await list()).data).toHaveLength(1);
    const states = [await onBoth(user), await onBoth(another)].flat();
    expect(states.toSorted()).toEqual(['200', '401 SESSION_REVOKED']);
  });

  it('TOK-3 logout ends one session and leaves the others', async () => {
    const another = await signIn({ smsCode: await nextCode(user.mobile) });
    expect((await user.call('POST', '/auth/logout')).statusCode).toBe(204);
    expect(await onBoth(another)).toEqual(['200']);
  });

  it('TOK-6 APP-2 setting a first password needs a fresh code and ends every session; then the password signs in', async () => {
    const refused = await user.call('PUT', '/app/profile/password', { newPassword: PASSWORD });
    expect(refused.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    const guessed = await user.call('PUT', '/app/profile/password', { newPassword: PASSWORD, smsCode: '000000' });
    expect(guessed.json()).toMatchObject({ status: 400, code: 'SMS_CODE_WRONG' });
    const without = await user.call('PUT', '/app/profile/password', { newPassword: PASSWORD, oldPassword: PASSWORD });
    expect(without.json()).toMatchObject({ status: 400, code: 'OLD_PASSWORD_WRONG' });
    expect((await user.call('GET', '/app/profile')).json().data.hasPassword).toBe(false);
    expect((await setPassword()).statusCode).toBe(204);
    expect(await onBoth(user)).toEqual(['401 PASSWORD_CHANGED']);
    const again = await signIn({ password: PASSWORD });
    expect((await again.call('GET', '/app/profile')).json().data.hasPassword).toBe(true);
  });

  it('USR-2 PWD-7 ten requests of a stolen session in 15 minutes leave the owner the change in another one', async () => {
    expect((await setPassword()).statusCode).toBe(204);
    const [stolen, own] = [await signIn({ password: PASSWORD }), await signIn({ password: PASSWORD })];
    const url = '/app/profile/password';
    for (let i = 0; i < 10; i += 1) expect((await stolen.call('PUT', url, {})).statusCode).toBe(400);
    expect((await stolen.call('PUT', url, {})).json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    const change = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    expect((await own.call('PUT', url, change)).statusCode).toBe(204);
  });

  it('USR-2 exactly one of five parallel changes of a password takes effect', async () => {
    expect((await setPassword()).statusCode).toBe(204);
    const who = await signIn({ password: PASSWORD });
    const passwords = Array.from({ length: 5 }, (_, i) => String(i).repeat(64));
    const answers = await Promise.all(
      passwords.map((newPassword) => who.call('PUT', '/app/profile/password', { oldPassword: PASSWORD, newPassword })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(1);
    const winner = answers.findIndex(({ statusCode }) => statusCode === 204);
    await signIn({ password: passwords[winner] });
  });

  it('TOK-6 a password change between the check of a sign-in and its session refuses the sign-in', async () => {
    expect((await setPassword()).statusCode).toBe(204);
    const who = await signIn({ password: PASSWORD });
    const config = bench.config(roomyApp);
    const resources = bench.resources(config);
    const { sessions } = resources.stores;
    let isFirst = true;
    const stores = {
      ...resources.stores,
      sessions: {
        ...sessions,
        compareAndSet: async (...entry: Parameters<typeof sessions.compareAndSet>) => {
          if (isFirst && entry[0].includes('session:app')) {
            isFirst = false;
            const change = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
            expect((await who.call('PUT', '/app/profile/password', change)).statusCode).toBe(204);
          }
          return sessions.compareAndSet(...entry);
        },
      },
    };
    const node = await bench.appOn(bench.config(roomyApp), {
      ...resources,
      stores,
    });
    const late = await appSignIn(node, { mobile: user.mobile, password: PASSWORD });
    expect(isFirst).toBe(false);
    expect(late.statusCode).toBe(401);
  });

  it("AT-17 app users' sessions give no access to administrator routes, nor administrators' sessions to app routes", async () => {
    const ofAdministrators = [
      ['GET', '/admin/profile'],
      ['PUT', '/admin/profile'],
      ['PUT', '/admin/profile/password'],
      ['GET', '/admin/sessions'],
      ['GET', '/admin/administrators'],
      ['GET', '/admin/roles'],
      ['GET', '/admin/system-parameters'],
      ['GET', '/admin/payments'],
      ['GET', '/admin/notifications'],
      ['GET', '/admin/app-users'],
      ['GET', `/admin/app-users/${idOf(user)}`],
      ['PUT', `/admin/app-users/${idOf(user)}`],
      ['DELETE', `/admin/app-users/${idOf(user)}/sessions`],
      ['GET', `/admin/sessions?audience=app&subject=${idOf(user)}`],
      ['POST', '/admin/auth/clearLoginLimit'],
    ] as const;
    for (const [method, url] of ofAdministrators) {
      const refused = await user.call(method, url, method === 'POST' || method === 'PUT' ? {} : undefined);
      expect([url, refused.statusCode, refused.json().code]).toEqual([url, 403, 'PERMISSION_DENIED']);
    }
    const ofAppUsers = [
      ['GET', '/app/profile'],
      ['PUT', '/app/profile'],
      ['PUT', '/app/profile/password'],
      ['DELETE', '/app/sessions'],
      ['GET', '/app/sessions'],
      ['DELETE', '/app/sessions/none'],
    ] as const;
    for (const [method, url] of ofAppUsers) {
      const refused = await admin.call(method, url, method === 'PUT' ? {} : undefined);
      expect([url, refused.statusCode, refused.json().code]).toEqual([url, 403, 'PERMISSION_DENIED']);
    }
    for (const [method, url] of ofAppUsers) expect((await app.inject({ method, url })).statusCode).toBe(401);
  });

  it('TOK-5 sessions of app users follow their own parameters, at once', async () => {
    const issued = await app.authTokens.issue({ audience: 'app', subject: 'somebody' });
    expect(issued.expiresAt - Date.now()).toBeGreaterThan(29 * 86_400_000);
    await setParameter('auth.token.app.idle-seconds', 60);
    // The embedded database, whose clock sessions go by, has the clock of this process.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    try {
      expect(await onBoth(user)).toEqual(['401 SESSION_EXPIRED']);
    } finally {
      vi.useRealTimers();
    }
    await setParameter('auth.token.app.idle-seconds', 604_800);
  });

  it('APP-2 HTTP-4 reads and writes the profile of the signed-in user', async () => {
    expect((await user.call('GET', '/app/profile')).json()).toEqual({
      data: { mobile: user.mobile, displayName: '', hasPassword: false },
    });
    const changed = await user.call('PUT', '/app/profile', { displayName: '小明' });
    expect(changed.json().data).toEqual({ mobile: user.mobile, displayName: '小明', hasPassword: false });
    for (const payload of [{}, { displayName: '' }, { displayName: 'a\nb' }, { displayName: 'x', mobile: '+1' }]) {
      expect((await user.call('PUT', '/app/profile', payload)).json()).toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  });
});
