import { randomUUID } from 'node:crypto';
import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { openPasswordHashing, type PasswordHashing } from '../../../src/modules/passwords/index.js';
import { type Actor, actor, PASSWORD, root } from '../../support/accounts.js';
import {
  type AppActor,
  appActor,
  appSignIn,
  codeFor,
  freshMobile,
  newAppUser,
  roomyApp,
} from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

describe('administration of app users', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let user: AppActor;
  let id: string;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomyApp);
    admin = await root(app);
    await setParameter('app.auth.sms.resend-seconds', 1);
    await setParameter('app.auth.sms.captcha-after', 1000);
    await setParameter('app.auth.sms.ip-hourly-limit', 1000);
  });
  beforeEach(async () => {
    user = await newAppUser(app);
    ({ id } = await found(user.mobile));
  });
  afterAll(() => bench.close());

  async function setParameter(key: string, value: unknown): Promise<void> {
    const { version } = (await admin.call('GET', `/admin/system-parameters/${key}`)).json().data;
    const answer = await admin.call('PUT', `/admin/system-parameters/${key}`, { value, version });
    expect(answer.statusCode).toBe(200);
  }
  async function found(mobile: string) {
    const { data, page } = (await admin.call('GET', `/admin/app-users?mobile=${encodeURIComponent(mobile)}`)).json();
    expect(page).toEqual({ number: 1, size: 20, total: 1, next: null });
    return data[0];
  }
  /** Passes the interval between two codes first. */
  const nextCode = (mobile: string) => vi.waitFor(() => codeFor(app, mobile), { timeout: 20_000, interval: 200 });
  async function withPassword(): Promise<void> {
    const change = { newPassword: PASSWORD, smsCode: await nextCode(user.mobile) };
    expect((await user.call('PUT', '/app/profile/password', change)).statusCode).toBe(204);
  }
  const disable = (disabled = true) => admin.call('PUT', `/admin/app-users/${id}`, { disabled });
  async function refusal(body: object) {
    const response = await appSignIn(app, body);
    const { requestId: _id, ...problem } = response.json();
    return problem;
  }

  it('PWD-3 a code is not used up by a new password that the workers are too busy to hash', async () => {
    const config = bench.config(roomyApp);
    const hashing = openPasswordHashing(config);
    onTestFinished(() => hashing.close());
    let isBusy = true;
    const busyHashing: PasswordHashing = {
      ...hashing,
      hash: (...task) => (isBusy ? Promise.reject(new PasswordHashingBusyError()) : hashing.hash(...task)),
    };
    const node = await bench.appOn(config, bench.resources(config), { hashing: busyHashing });
    const owner = await newAppUser(node);
    const smsCode = await vi.waitFor(() => codeFor(node, owner.mobile), { timeout: 20_000, interval: 200 });
    const change = { newPassword: PASSWORD, smsCode };
    const refused = await owner.call('PUT', '/app/profile/password', change);
    expect([refused.statusCode, refused.json().code]).toEqual([503, 'PASSWORD_WORKERS_BUSY']);
    isBusy = false;
    expect((await owner.call('PUT', '/app/profile/password', change)).statusCode).toBe(204);
  });

  it('APP-3 AUD-3 a user is listed, found by the number in any spelling, and read, with the number in part', async () => {
    const { mobile } = user;
    const masked = `${mobile.slice(0, 5)}****${mobile.slice(-2)}`;
    const shown = {
      id,
      mobile: masked,
      displayName: '',
      hasPassword: false,
      disabled: false,
      inactive: false,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    };
    expect((await admin.call('GET', `/admin/app-users/${id.toUpperCase()}`)).json()).toEqual({ data: shown });
    expect(await found(mobile.slice(3))).toEqual(shown);
    const page = (await admin.call('GET', '/admin/app-users?size=1')).json();
    expect(page).toMatchObject({ data: [shown], page: { number: 1, size: 1, total: expect.any(Number) } });
    expect(JSON.stringify(page)).not.toContain(mobile.slice(1));
    const none = await admin.call('GET', `/admin/app-users?mobile=${encodeURIComponent(freshMobile())}`);
    expect(none.json()).toEqual({ data: [], page: { number: 1, size: 20, total: 0, next: null } });
    expect((await admin.call('GET', '/admin/app-users?mobile=12345')).json()).toMatchObject({ code: 'MOBILE_INVALID' });
  });

  it('HTTP-4 TOK-7 an unknown id is 404, and an invalid request is 400', async () => {
    for (const unknown of [randomUUID(), admin.id, 'x']) {
      const url = `/admin/app-users/${unknown}`;
      expect((await admin.call('GET', url)).statusCode).toBe(404);
      expect((await admin.call('PUT', url, { disabled: true })).statusCode).toBe(404);
      expect((await admin.call('PUT', url, { disabled: false })).statusCode).toBe(404);
      expect((await admin.call('DELETE', `${url}/sessions`)).statusCode).toBe(404);
    }
    for (const body of [{}, { disabled: 'true' }, { disabled: true, mobile: '+8613812345678' }]) {
      const refused = await admin.call('PUT', `/admin/app-users/${id}`, body);
      expect(refused.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    }
    const without = await admin.call('GET', '/admin/sessions?audience=app');
    expect(without.json()).toMatchObject({ status: 400, errors: [{ pointer: '/subject', detail: 'is required' }] });
    expect((await admin.call('GET', '/admin/sessions?audience=ticket')).statusCode).toBe(400);
  });

  it("TOK-8 AT-17 each operation needs its permission, also on sessions of an app user whose id equals the caller's", async () => {
    const requests = [
      [['api:admin:app-users:list'], 'GET', '/admin/app-users'],
      [['api:admin:app-users:read'], 'GET', `/admin/app-users/${id}`],
      [['api:admin:app-users:update'], 'PUT', `/admin/app-users/${id}`],
      [['api:admin:sessions:list'], 'GET', `/admin/sessions?audience=app&subject=${id}`],
      [['api:admin:sessions:end', 'api:admin:app-users:update'], 'DELETE', `/admin/app-users/${id}/sessions`],
    ] as const;
    const call = (who: Actor, [, method, url]: (typeof requests)[number]) =>
      who.call(method, url, method === 'PUT' ? { disabled: false } : undefined);
    const held = [...requests.map(([permissions]) => permissions), ['api:admin:sessions:end']];
    const holders = await Promise.all(held.map((permissions) => actor(app, admin, permissions)));
    for (const [i, holder] of holders.entries()) {
      const statuses = await Promise.all(requests.map(async (request) => (await call(holder, request)).statusCode));
      const holdsAll = (needed: readonly string[]) => needed.every((code) => held[i]!.some((own) => own === code));
      expect(statuses).toEqual(
        requests.map(([needed, method]) => (holdsAll(needed) ? (method === 'DELETE' ? 204 : 200) : 403)),
      );
    }
    const nobody = await actor(app, admin, []);
    const own = `/admin/sessions?audience=app&subject=${nobody.id}`;
    expect((await nobody.call('GET', own)).statusCode).toBe(403);
    expect((await nobody.call('GET', '/admin/sessions?audience=app')).statusCode).toBe(403);
    expect((await nobody.call('GET', '/admin/sessions')).statusCode).toBe(200);
  });

  it('TOK-6 LP-17 a disabled user has no sessions, and every sign-in gets the answer of a wrong one, until the user is enabled', async () => {
    await withPassword();
    const { mobile } = user;
    const wrong = await refusal({ mobile, password: 'f'.repeat(64) });
    expect(wrong).toMatchObject({ status: 401, code: 'LOGIN_FAILED', detail: 'The sign-in details are wrong.' });
    const live = (await appSignIn(app, { mobile, password: PASSWORD })).json().data.token;
    expect((await disable()).json().data).toMatchObject({ id, disabled: true });
    const ended = await appActor(app, mobile, live).call('GET', '/app/profile');
    expect(ended.json()).toMatchObject({ status: 401, code: 'ACCOUNT_DISABLED' });

    const smsCode = await nextCode(mobile);
    expect(await refusal({ mobile, password: PASSWORD })).toEqual(wrong);
    expect(await refusal({ mobile, password: PASSWORD, smsCode })).toEqual(wrong);
    expect(await refusal({ mobile, smsCode })).toEqual(wrong);
    const sessions = await admin.call('GET', `/admin/sessions?audience=app&subject=${id}`);
    expect(sessions.json().data).toEqual([]);

    expect((await disable(false)).json().data).toMatchObject({ disabled: false });
    expect((await appSignIn(app, { mobile, password: PASSWORD })).statusCode).toBe(200);
    expect((await appSignIn(app, { mobile, smsCode: await nextCode(mobile) })).statusCode).toBe(200);
  });

  it('TOK-6 no sign-in in parallel with disabling leaves a valid session', async () => {
    await withPassword();
    const { mobile } = user;
    const [disabled, ...signIns] = await Promise.all([
      disable(),
      ...Array.from({ length: 10 }, () => appSignIn(app, { mobile, password: PASSWORD })),
    ]);
    expect(disabled?.statusCode).toBe(200);
    for (const response of signIns.filter(({ statusCode }) => statusCode === 200)) {
      const late = await appActor(app, mobile, response.json().data.token).call('GET', '/app/profile');
      expect(late.statusCode).toBe(401);
    }
    expect(await app.authTokens.sessions({ audience: 'app', subject: id })).toEqual([]);
  });

  describe('on a node with a controlled session store', () => {
    async function faultyNode() {
      const config = bench.config(roomyApp);
      const resources = bench.resources(config);
      const { sessions } = resources.stores;
      const fault = { afterWrite: async () => {}, beforeWrite: async (_key: string) => {} };
      const compareAndSet = async (...entry: Parameters<typeof sessions.compareAndSet>) => {
        await fault.beforeWrite(entry[0]);
        const written = await sessions.compareAndSet(...entry);
        await fault.afterWrite();
        return written;
      };
      const stores = { ...resources.stores, sessions: { ...sessions, compareAndSet } };
      const node = await bench.appOn(config, { ...resources, stores });
      // Otherwise it would take messages out of the shared queue and fail to send them.
      onTestFinished(() => node.close());
      return { node, fault };
    }
    const disableAt = (node: App) =>
      node.inject({
        method: 'PUT',
        url: `/admin/app-users/${id}`,
        headers: admin.headers,
        payload: { disabled: true },
      });

    it('TOK-6 TOK-11 if sessions cannot be ended the answer is 503, and the user is not disabled', async () => {
      const { node, fault } = await faultyNode();
      fault.beforeWrite = async () => {
        throw new Error('away');
      };
      const refused = await disableAt(node);
      expect(refused.json()).toMatchObject({ status: 503, code: 'SESSION_STORE_UNAVAILABLE' });
      expect((await found(user.mobile)).disabled).toBe(false);
      expect((await user.call('GET', '/app/profile')).statusCode).toBe(200);
    });

    it('TOK-6 a session that begins between the end of the sessions and disabling is ended as well', async () => {
      await withPassword();
      const { mobile } = user;
      const old = await appSignIn(app, { mobile, password: PASSWORD });
      expect(old.statusCode).toBe(200);
      const { node, fault } = await faultyNode();
      let between: AppActor | undefined;
      // The first write ends the existing sessions; then comes the change.
      fault.afterWrite = async () => {
        fault.afterWrite = async () => {};
        const { token } = (await appSignIn(app, { mobile, password: PASSWORD })).json().data;
        between = appActor(app, mobile, token);
        expect((await between.call('GET', '/app/profile')).statusCode).toBe(200);
      };
      expect((await disableAt(node)).statusCode).toBe(200);
      expect((await between?.call('GET', '/app/profile'))?.json()).toMatchObject({ code: 'ACCOUNT_DISABLED' });
    });

    it('TOK-6 disabling between the check of a sign-in and its session refuses the sign-in', async () => {
      const smsCode = await nextCode(user.mobile);
      const { node, fault } = await faultyNode();
      let isDisabled = false;
      fault.beforeWrite = async (key) => {
        if (isDisabled || !key.includes('session:app')) return;
        isDisabled = true;
        expect((await disable()).statusCode).toBe(200);
      };
      const late = await appSignIn(node, { mobile: user.mobile, smsCode });
      expect(isDisabled).toBe(true);
      expect(late.statusCode).toBe(401);
      expect(late.body).not.toContain('token"');
      expect(await app.authTokens.sessions({ audience: 'app', subject: id })).toEqual([]);
    });
  });
});
