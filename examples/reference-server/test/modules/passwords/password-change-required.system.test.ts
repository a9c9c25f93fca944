import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { auditRecords } from '@sallyport/audit-log/postgres';
import bcrypt from 'bcryptjs';
import { desc, eq, sql } from 'drizzle-orm';
import type { RouteOptions } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.js';
import { generateAccount, passwordToSend } from '../../../src/modules/administrators/index.js';
import { administrators, appUsers, roles } from '../../../src/storage/schema.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD, roomy, root, token } from '../../support/accounts.js';
import { type AppActor, appActor, appSignIn, freshMobile, newAppUser } from '../../support/app-accounts.js';
import { setParameter } from '../../support/system-parameters.js';
import { hashingOf, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const FIRST = 'admin.auth.password.force-first-change';
const AGE = 'admin.auth.password.max-age-days';
const APP_AGE = 'app.auth.password.max-age-days';

/** The routes of a session that are served. Every other one, present or future, is refused. */
const SERVED = [
  'PUT /admin/profile/password',
  'PUT /app/profile/password',
  'POST /auth/logout',
  'POST /auth/second-factor',
  'POST /auth/second-factor/options',
];

interface Route {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly audiences: readonly string[];
}

describe('a password that has to be changed', { timeout: 60_000 }, () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  const routes: Route[] = [];

  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config(roomy);
    app = createApp(config);
    app.addHook('onRoute', ({ method, url, config: { access = [] } = {} }: RouteOptions) => {
      const audiences = access === 'public' ? [] : [access].flat();
      for (const each of [method].flat()) routes.push({ name: `${each} ${url}`, method: String(each), url, audiences });
    });
    await bench.compose(app, config);
    // A route that was added without regard to passwords.
    app.post('/test/new', { config: { access: 'admin', audit: false } }, async () => ({ data: 'done' }));
    admin = await root(app);
  });
  afterEach(async () => {
    await setParameter(admin, FIRST, false);
    await setParameter(admin, AGE, 0);
    await setParameter(admin, APP_AGE, 0);
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  /** An administrator with every permission, whose password another one has set. */
  async function created(): Promise<{ id: string; username: string; headers: { authorization: string } }> {
    const username = `new-${randomUUID()}`;
    const account = { username, password: PASSWORD, displayName: username, roleIds: [admin.roleId] };
    const { id } = (await admin.call('POST', '/admin/administrators', account)).json().data;
    return { id, username, headers: await token(app, username) };
  }

  async function userWithPassword(): Promise<AppActor> {
    const mobile = freshMobile();
    const passwordHash = await bcrypt.hash(PASSWORD, 4);
    await bench.database.orm.insert(appUsers).values({ id: randomUUID(), mobile, passwordHash });
    const response = await appSignIn(app, { mobile, password: PASSWORD });
    return appActor(app, mobile, response.json().data.token);
  }

  /** Moves the last change into the past. */
  const agedBy = (days: number) => ({ passwordChangedAt: sql`now() - make_interval(days => ${days})` });
  const age = (username: string, days: number) =>
    bench.database.orm.update(administrators).set(agedBy(days)).where(eq(administrators.username, username));

  function send({ method, url }: Pick<Route, 'method' | 'url'>, headers: { authorization: string }) {
    const path = url.replace(/:\w+/g, randomUUID()).replace('*', 'x');
    const payload = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? {} : { payload: {} };
    return app.inject({ method: method as 'POST', url: path, headers, ...payload });
  }

  const codeOf = async (url: string, headers: { authorization: string }) => {
    const response = await app.inject({ url, headers });
    return response.json().code ?? response.statusCode;
  };

  /** Every route that a session of the audience may call, and how it answers. */
  async function walk(audience: string, headers: { authorization: string }): Promise<void> {
    const own = routes.filter(({ name, audiences }) => audiences.includes(audience) && !SERVED.includes(name));
    expect(own.length).toBeGreaterThan(audience === 'admin' ? 40 : 4);
    for (const route of own) {
      const { statusCode, body } = await send(route, headers);
      const code = route.method === 'HEAD' ? 'PASSWORD_CHANGE_REQUIRED' : JSON.parse(body).code;
      expect([route.name, statusCode, code]).toEqual([route.name, 403, 'PASSWORD_CHANGE_REQUIRED']);
    }
    const unknown = await send({ method: 'GET', url: '/admin/nothing' }, headers);
    expect(unknown.json()).toMatchObject({ status: 403, code: 'PASSWORD_CHANGE_REQUIRED' });
    for (const route of routes.filter(({ name, audiences }) => SERVED.includes(name) && audiences.includes(audience))) {
      expect((await send(route, headers)).body).not.toContain('PASSWORD_CHANGE_REQUIRED');
    }
  }

  it('PWD-7: the catalogue has the routes that are served, and every route of a session says who may call it', () => {
    expect(routes.map(({ name }) => name)).toEqual(expect.arrayContaining([...SERVED, 'POST /test/new']));
  });

  it('PWD-7: until an administrator has changed a password that somebody else has set, every route is 403 except the own change and signing out', async () => {
    await setParameter(admin, FIRST, true);
    const { headers } = await created();
    await walk('admin', headers);
    // Signed out by the walk.
    expect(await codeOf('/admin/profile', headers)).toBe('SESSION_REVOKED');
  });

  it('PWD-7: the same for an administrator whose password is too old, and for an app user', async () => {
    await setParameter(admin, AGE, 90);
    await setParameter(admin, APP_AGE, 30);
    const { username, headers } = await created();
    expect(await codeOf('/admin/profile', headers)).toBe(200);
    await age(username, 91);
    await walk('admin', headers);

    const user = await userWithPassword();
    expect(await codeOf('/app/profile', user.headers)).toBe(200);
    await bench.database.orm.update(appUsers).set(agedBy(31)).where(eq(appUsers.mobile, user.mobile));
    await walk('app', user.headers);
  });

  it('PWD-7: by default nothing is refused, neither an old password nor one that another person has set', async () => {
    await age('admin', 3650);
    const { username, headers } = await created();
    await age(username, 3650);
    expect(await codeOf('/admin/administrators', headers)).toBe(200);
    await bench.database.orm.update(administrators).set({ passwordChangedAt: sql`now()` });
  });

  it('PWD-7: the rule holds by the present parameters, also for a session from before', async () => {
    const { headers } = await created();
    const seen = [await codeOf('/admin/profile', headers)];
    await setParameter(admin, FIRST, true);
    seen.push(await codeOf('/admin/profile', headers));
    await setParameter(admin, FIRST, false);
    seen.push(await codeOf('/admin/profile', headers));
    expect(seen).toEqual([200, 'PASSWORD_CHANGE_REQUIRED', 200]);
  });

  it('PWD-7: after the own change the account is free, and after a reset it is not', async () => {
    await setParameter(admin, FIRST, true);
    await setParameter(admin, AGE, 90);
    const { id, username, headers } = await created();
    await age(username, 91);
    const change = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    const own = { method: 'PUT', url: '/admin/profile/password', headers, payload: change } as const;
    expect((await app.inject(own)).statusCode).toBe(204);
    expect(await codeOf('/admin/profile', headers)).toBe('PASSWORD_CHANGED');
    expect(await codeOf('/admin/profile', await token(app, username, OTHER_PASSWORD))).toBe(200);
    const reset = await admin.call('PUT', `/admin/administrators/${id}/password`, { password: PASSWORD });
    expect(reset.statusCode).toBe(204);
    expect(await codeOf('/admin/profile', await token(app, username))).toBe('PASSWORD_CHANGE_REQUIRED');
  });

  it('PWD-7: a password that a command has made has to be changed, that of the development account has not', async () => {
    await setParameter(admin, FIRST, true);
    const { username, password } = await generateAccount(bench.changes, hashingOf(bench.config())!, 'made-by-command');
    const headers = await token(app, username, passwordToSend(password));
    expect(await codeOf('/admin/profile', headers)).toBe('PASSWORD_CHANGE_REQUIRED');
    expect(await codeOf('/admin/profile', admin.headers)).toBe(200);
  });

  it('PWD-7: a new hash of the same password is no change of it', async () => {
    await setParameter(admin, AGE, 90);
    const { username } = await created();
    // The cost is raised, so that the sign-in hashes the password again.
    await age(username, 91);
    const costly = await bench.app({ ...roomy, SERVICE_AUTH_PASSWORD_BCRYPT_COST: '5' });
    const headers = await token(costly, username);
    const [row] = await bench.database.orm.select().from(administrators).where(eq(administrators.username, username));
    expect(row?.passwordHash).toMatch(/^\$2[aby]\$05\$/);
    expect((await costly.inject({ url: '/admin/profile', headers })).json().code).toBe('PASSWORD_CHANGE_REQUIRED');
  });

  it('PWD-7: an app user without a password has none to change', async () => {
    await setParameter(admin, APP_AGE, 1);
    const user = await newAppUser(app);
    await bench.database.orm.update(appUsers).set(agedBy(2)).where(eq(appUsers.mobile, user.mobile));
    expect(await codeOf('/app/profile', user.headers)).toBe(200);
  });

  it('PWD-7: a change that was under way when the password became too old is not committed', async () => {
    await setParameter(admin, AGE, 90);
    const { username, headers } = await created();
    const name = `Late ${randomUUID()}`;
    // A body is read after the request has been authorized.
    const body = new Readable({
      read() {
        age(username, 91).then(() => {
          this.push(JSON.stringify({ name, permissions: [] }));
          this.push(null);
        });
      },
    });
    const late = await app.inject({
      method: 'POST',
      url: '/admin/roles',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      payload: body,
    });
    expect(late.json()).toMatchObject({ status: 403, code: 'PASSWORD_CHANGE_REQUIRED' });
    expect(await bench.database.orm.select().from(roles).where(eq(roles.name, name))).toEqual([]);
  });

  it('PWD-7: without the permission the answer is as before, and the refusal is recorded with texts in both languages', async () => {
    await setParameter(admin, FIRST, true);
    const { username } = await actor(app, admin, ['api:admin:roles:list']);
    const headers = await token(app, username);
    expect(await codeOf('/admin/administrators', headers)).toBe('PERMISSION_DENIED');
    const inChinese = { ...headers, 'accept-language': 'zh-CN' };
    expect((await app.inject({ url: '/admin/roles', headers: inChinese })).json()).toMatchObject({
      code: 'PASSWORD_CHANGE_REQUIRED',
      detail: expect.stringContaining('请先修改密码'),
    });
    const [last] = await bench.database.orm.select().from(auditRecords).orderBy(desc(auditRecords.sequence)).limit(1);
    expect(last).toMatchObject({ action: 'role.read', outcome: 'refused', reason: 'PASSWORD_CHANGE_REQUIRED' });
    expect((await signIn(app, { username, password: PASSWORD, terminal: 'web' })).statusCode).toBe(200);
  });
});
