import { randomUUID } from 'node:crypto';
import { auditRecords } from '@sallyport/audit-log/postgres';
import bcrypt from 'bcryptjs';
import { desc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { passwordToSend } from '../../../src/modules/administrators/index.js';
import { administrators, appUsers } from '../../../src/storage/schema.js';
import { type Actor, actor, PASSWORD, roomy, root, token } from '../../support/accounts.js';
import { appActor, appSignIn, codeFor, freshMobile } from '../../support/app-accounts.js';
import { setParameter } from '../../support/system-parameters.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

const COUNT = 'admin.auth.password.history-count';
const APP_COUNT = 'app.auth.password.history-count';
const AGE = 'admin.auth.password.max-age-days';
const APP_AGE = 'app.auth.password.max-age-days';
const FIRST = 'admin.auth.password.force-first-change';

/** The passwords of an account, one after the other. The first is that of every test account. */
const [A, B, C, D] = [PASSWORD, ...['second horse', 'third horse', 'fourth horse'].map(passwordToSend)] as [
  string,
  string,
  string,
  string,
];

describe('the history of passwords', { timeout: 60_000 }, () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  /** Changes the own password in a new session; yields the code of the refusal, or the status. */
  async function change(username: string, oldPassword: string, newPassword: string): Promise<string | number> {
    const headers = await token(app, username, oldPassword);
    const payload = { oldPassword, newPassword };
    const response = await app.inject({ method: 'PUT', url: '/admin/profile/password', headers, payload });
    return response.body === '' ? response.statusCode : response.json().code;
  }

  async function rowOf(username: string) {
    const { orm } = bench.database;
    const [row] = await orm.select().from(administrators).where(eq(administrators.username, username));
    return row!;
  }

  it('PWD-7: by default a password may come back at once, and no hash is kept', async () => {
    const { username } = await actor(app, admin, []);
    expect([await change(username, A, B), await change(username, B, A)]).toEqual([204, 204]);
    expect((await rowOf(username)).passwordHistory).toEqual([]);
  });

  it('PWD-7: the present password is no new one, also without a history: a change that is due is not made by it', async () => {
    await setParameter(admin, FIRST, true);
    const { id, username } = await actor(app, admin, []);
    expect(await change(username, A, A)).toBe('PASSWORD_REUSED');
    const profileOf = async (password: string) =>
      (await app.inject({ url: '/admin/profile', headers: await token(app, username, password) })).statusCode;
    expect(await profileOf(A)).toBe(403);
    const headers = await token(app, username, A);
    // Who does not know the password does not learn it.
    const payload = { oldPassword: B, newPassword: B };
    const wrong = await app.inject({ method: 'PUT', url: '/admin/profile/password', headers, payload });
    expect(wrong.json()).toMatchObject({ code: 'OLD_PASSWORD_WRONG' });
    expect(await change(username, A, B)).toBe(204);
    expect(await profileOf(B)).toBe(200);
    await setParameter(admin, FIRST, false);

    // A reset to the same password would begin a new age.
    const reset = (password: string) => admin.call('PUT', `/admin/administrators/${id}/password`, { password });
    await setParameter(admin, AGE, 90);
    expect((await reset(B)).json()).toMatchObject({ status: 400, code: 'PASSWORD_REUSED' });
    expect((await reset(A)).statusCode).toBe(204);
    expect((await rowOf(username)).passwordHistory).toEqual([]);
    await setParameter(admin, AGE, 0);
    expect((await reset(A)).statusCode).toBe(204);
  });

  it('PWD-7: nor is it for an app user, by the old password, or by a code while passwords age', async () => {
    const mobile = freshMobile();
    const values = { id: randomUUID(), mobile, passwordHash: await bcrypt.hash(A, 4) };
    await bench.database.orm.insert(appUsers).values(values);
    const { data } = (await appSignIn(app, { mobile, password: A })).json();
    const user = appActor(app, mobile, data.token);
    const set = async (body: object) => {
      const response = await user.call('PUT', '/app/profile/password', body);
      return response.body === '' ? response.statusCode : response.json().code;
    };
    expect(await set({ oldPassword: A, newPassword: A })).toBe('PASSWORD_REUSED');
    await setParameter(admin, APP_AGE, 30);
    const smsCode = await codeFor(app, mobile, { remoteAddress: '198.51.100.8' });
    expect(await set({ smsCode, newPassword: A })).toBe('PASSWORD_REUSED');
    expect(await set({ smsCode, newPassword: B })).toBe(204);
    await setParameter(admin, APP_AGE, 0);
  });

  it('PWD-7: the latest passwords are refused, the present one among them, and older ones may come back', async () => {
    await setParameter(admin, COUNT, 3);
    const { username } = await actor(app, admin, []);
    expect(await change(username, A, A)).toBe('PASSWORD_REUSED');
    expect([await change(username, A, B), await change(username, B, C)]).toEqual([204, 204]);
    expect(await change(username, C, A)).toBe('PASSWORD_REUSED');
    expect(await change(username, C, D)).toBe(204);
    expect((await rowOf(username)).passwordHistory).toHaveLength(2);
    expect(await change(username, D, B)).toBe('PASSWORD_REUSED');
    expect(await change(username, D, A)).toBe(204);
    await setParameter(admin, COUNT, 0);
    // The next change deletes the hashes that are no longer needed.
    expect(await change(username, A, B)).toBe(204);
    expect((await rowOf(username)).passwordHistory).toEqual([]);
  });

  it('PWD-7: of two parallel changes one is made, and no earlier password comes back', async () => {
    await setParameter(admin, COUNT, 5);
    const { id, username } = await actor(app, admin, []);
    expect(await change(username, A, B)).toBe(204);
    const headers = [await token(app, username, B), await token(app, username, B)];
    const wanted = [C, D];
    const answers = await Promise.all(
      headers.map((each, index) =>
        app.inject({
          method: 'PUT',
          url: '/admin/profile/password',
          headers: each,
          payload: { oldPassword: B, newPassword: wanted[index] },
        }),
      ),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 204)).toHaveLength(1);
    const { passwordHash, passwordHistory } = await rowOf(username);
    expect(passwordHistory).toHaveLength(2);
    const isOf = async (password: string, hash: string) => bcrypt.compare(password, hash);
    expect([await isOf(B, passwordHistory[0]!), await isOf(A, passwordHistory[1]!)]).toEqual([true, true]);
    const now = (await isOf(C, passwordHash)) ? C : D;
    // A reset in parallel to the owner's change: both compare with the same history, and one of them is made.
    const own = {
      headers: await token(app, username, now),
      payload: { oldPassword: now, newPassword: `${now.slice(1)}0` },
    };
    const reset = { headers: admin.headers, payload: { password: `${now.slice(2)}00` } };
    const [changed, done] = await Promise.all([
      app.inject({ method: 'PUT', url: '/admin/profile/password', ...own }),
      app.inject({ method: 'PUT', url: `/admin/administrators/${id}/password`, ...reset }),
    ]);
    expect([changed.statusCode, done.statusCode].filter((status) => status === 204).length).toBeGreaterThan(0);
    const after = await rowOf(username);
    const isKept = await Promise.all(after.passwordHistory.map((hash) => isOf(now, hash)));
    expect(isKept.filter(Boolean)).toHaveLength(1);
  });

  it('PWD-7: a reset is refused, too, but tells a password to nobody who may not reset it', async () => {
    await setParameter(admin, COUNT, 3);
    const { id, username } = await actor(app, admin, ['api:admin:roles:list', 'api:admin:payments:list']);
    const other = await actor(app, admin, ['api:admin:administrators:reset-password', 'api:admin:administrators:read']);
    const reset = (by: Actor, of: string, password: string) =>
      by.call('PUT', `/admin/administrators/${of}/password`, { password });
    for (const password of [A, B]) {
      expect((await reset(other, id, password)).json()).toMatchObject({ code: 'GRANT_NOT_HELD' });
    }
    expect((await reset(admin, admin.id, B)).json()).toMatchObject({ code: 'OWN_ACCOUNT' });
    expect((await reset(admin, randomUUID(), B)).json()).toMatchObject({ code: 'NOT_FOUND' });
    expect((await reset(admin, id, A)).json()).toMatchObject({ status: 400, code: 'PASSWORD_REUSED' });
    const records = bench.database.orm.select().from(auditRecords).orderBy(desc(auditRecords.sequence)).limit(1);
    const [last] = await records;
    expect(last).toMatchObject({ action: 'password.reset', outcome: 'refused', reason: 'PASSWORD_REUSED' });
    expect(JSON.stringify(last)).not.toMatch(new RegExp(`${A}|\\$2[aby]\\$`));
    expect((await reset(admin, id, B)).statusCode).toBe(204);
    expect(await change(username, B, A)).toBe('PASSWORD_REUSED');
    expect(await change(username, B, C)).toBe(204);
  });

  it('PWD-7: the same for app users, by their own parameter: the own change, and a recovery by code', async () => {
    await setParameter(admin, APP_COUNT, 3);
    const mobile = freshMobile();
    const values = { id: randomUUID(), mobile, passwordHash: await bcrypt.hash(A, 4) };
    await bench.database.orm.insert(appUsers).values(values);
    async function own(oldPassword: string, newPassword: string) {
      const user = appActor(app, mobile, (await appSignIn(app, { mobile, password: oldPassword })).json().data.token);
      return user.call('PUT', '/app/profile/password', { oldPassword, newPassword });
    }
    expect((await own(A, A)).json()).toMatchObject({ status: 400, code: 'PASSWORD_REUSED' });
    expect((await own(A, B)).statusCode).toBe(204);
    expect((await own(B, A)).json()).toMatchObject({ code: 'PASSWORD_REUSED' });

    const smsCode = await codeFor(app, mobile, { remoteAddress: '198.51.100.7' });
    const byCode = appActor(app, mobile, (await appSignIn(app, { mobile, password: B })).json().data.token);
    // The code is still good after the refusal.
    expect((await byCode.call('PUT', '/app/profile/password', { smsCode, newPassword: A })).json()).toMatchObject({
      code: 'PASSWORD_REUSED',
    });
    expect((await byCode.call('PUT', '/app/profile/password', { smsCode, newPassword: C })).statusCode).toBe(204);
  });
});
