import { randomUUID } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { sql } from 'drizzle-orm';
import type { InjectOptions } from 'fastify';
import { type App, catalog } from '../../src/app.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import { formWith } from '../modules/files/multipart.js';
import { textFile, upload } from '../modules/files/uploads.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD } from './accounts.js';
import { type AppActor, codeFor, freshMobile, newAppUser } from './app-accounts.js';
import { captchaText } from './captcha-text.js';
import { factorRequests } from './factor-requests.js';
import type { TestBench } from './test-app.js';

/** What the requests are made of. */
export interface WritingContext {
  readonly app: App;
  readonly bench: TestBench;
  readonly admin: Actor;
}

/** Every operation that may write. The question for the time has no session and no record: it writes nothing. */
export const writingOperations: readonly string[] = Object.keys(catalog.operations).filter(
  (operation) => !/^(?:GET|HEAD) /.test(operation) && operation !== 'POST /encryption/time',
);

/** Prepares one valid request, with fixtures of its own, so that requests don't depend on each other. */
export type Prepare = (context: WritingContext) => Promise<InjectOptions>;

const json = (method: 'POST' | 'PUT' | 'DELETE', url: string, by: Pick<Actor, 'headers'> | null, payload?: object) => ({
  method,
  url,
  ...(by && { headers: by.headers }),
  ...(payload && { payload }),
});

const unique = (name: string) => `${name}-${randomUUID()}`;

/** Codes are limited by address. */
const freshAddress = () => `198.18.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`;

async function newRole({ admin }: WritingContext): Promise<string> {
  const made = await admin.call('POST', '/admin/roles', { name: unique('role'), permissions: [] });
  return made.json().data.id;
}

async function newAdministrator({ admin }: WritingContext): Promise<string> {
  const username = unique('account');
  const content = { username, password: PASSWORD, displayName: username };
  return (await admin.call('POST', '/admin/administrators', content)).json().data.id;
}

async function newFile({ app, admin }: WritingContext): Promise<string> {
  return (await upload(app, admin.headers, textFile(64))).json().data.id;
}

async function appUserId({ bench }: WritingContext, { mobile }: AppActor): Promise<string> {
  const statement = sql`select id from app_users where mobile = ${mobile}`;
  return (await rowsOf<{ id: string }>(bench.database.orm, statement))[0]!.id;
}

async function answerOf({ bench }: WritingContext, key: string): Promise<string> {
  const statement = sql`select value from ttl_entries where key = ${`captcha:${key}`}`;
  return captchaText((await rowsOf<{ value: string }>(bench.database.orm, statement))[0]!.value);
}

async function registration(context: WritingContext): Promise<InjectOptions> {
  const { app, admin } = context;
  const url = '/admin/system-parameters/admin.auth.registration.enabled';
  const { version, value } = (await admin.call('GET', url)).json().data;
  if (value !== true) await admin.call('PUT', url, { value: true, version, confirm: true });
  const { key } = (await app.inject('/admin/auth/captcha?for=register')).json().data;
  const code = await answerOf(context, key);
  const username = unique('visitor');
  const payload = { username, password: PASSWORD, terminal: 'web', displayName: username, key, code };
  return json('POST', '/admin/auth/register', null, payload);
}

/** A valid request for every operation that writes. */
export const writingRequests: Readonly<Record<string, Prepare>> = {
  ...factorRequests,
  async 'POST /admin/auth/login'(context) {
    const { username } = await actor(context.app, context.admin, []);
    return json('POST', '/admin/auth/login', null, { username, password: PASSWORD, terminal: 'web' });
  },
  'POST /admin/auth/register': registration,
  'POST /admin/auth/clearLoginLimit': async ({ admin }) =>
    json('POST', '/admin/auth/clearLoginLimit', admin, { username: unique('anybody') }),
  'POST /auth/second-factor': async ({ app, admin }) =>
    json('POST', '/auth/second-factor', await actor(app, admin, []), { kind: 'password', password: PASSWORD }),
  'POST /auth/logout': async ({ app, admin }) => ({
    ...json('POST', '/auth/logout', await actor(app, admin, []), {}),
  }),
  async 'DELETE /admin/sessions/:id'({ app, admin }) {
    const by = await actor(app, admin, []);
    const { data } = (await by.call('GET', '/admin/sessions')).json();
    return json('DELETE', `/admin/sessions/${data[0].id}`, admin);
  },
  async 'DELETE /admin/administrators/:id/sessions'({ app, admin }) {
    const { id } = await actor(app, admin, []);
    return json('DELETE', `/admin/administrators/${id}/sessions`, admin);
  },
  async 'POST /auth/tickets'(context) {
    const resource = await newFile(context);
    return json('POST', '/auth/tickets', context.admin, { purpose: 'storage:download', resource });
  },
  'PUT /admin/profile': async ({ app, admin }) =>
    json('PUT', '/admin/profile', await actor(app, admin, []), { displayName: unique('name') }),
  'PUT /admin/profile/password': async ({ app, admin }) =>
    json('PUT', '/admin/profile/password', await actor(app, admin, []), {
      oldPassword: PASSWORD,
      newPassword: OTHER_PASSWORD,
    }),
  async 'POST /admin/administrators'({ admin }) {
    const username = unique('new');
    return json('POST', '/admin/administrators', admin, { username, password: PASSWORD, displayName: username });
  },
  'PUT /admin/administrators/:id': async ({ app, admin }) =>
    json('PUT', `/admin/administrators/${(await actor(app, admin, [])).id}`, admin, { disabled: true }),
  'PUT /admin/administrators/:id/password': async ({ app, admin }) =>
    json('PUT', `/admin/administrators/${(await actor(app, admin, [])).id}/password`, admin, {
      password: OTHER_PASSWORD,
    }),
  'DELETE /admin/administrators/:id': async (context) =>
    json('DELETE', `/admin/administrators/${await newAdministrator(context)}`, context.admin),
  'POST /admin/roles': async ({ admin }) =>
    json('POST', '/admin/roles', admin, { name: unique('role'), permissions: ['api:admin:roles:list'] }),
  'PUT /admin/roles/:id': async (context) =>
    json('PUT', `/admin/roles/${await newRole(context)}`, context.admin, { permissions: ['*'] }),
  'DELETE /admin/roles/:id': async (context) => json('DELETE', `/admin/roles/${await newRole(context)}`, context.admin),
  async 'PUT /admin/app-users/:id'(context) {
    const id = await appUserId(context, await newAppUser(context.app));
    return json('PUT', `/admin/app-users/${id}`, context.admin, { disabled: true });
  },
  async 'DELETE /admin/app-users/:id/sessions'(context) {
    const id = await appUserId(context, await newAppUser(context.app));
    return json('DELETE', `/admin/app-users/${id}/sessions`, context.admin);
  },
  'POST /app/auth/sendSmsCode': async () => ({
    ...json('POST', '/app/auth/sendSmsCode', null, { mobile: freshMobile() }),
    remoteAddress: freshAddress(),
  }),
  async 'POST /app/auth/login'({ app }) {
    const mobile = freshMobile();
    const remoteAddress = freshAddress();
    const smsCode = await codeFor(app, mobile, { remoteAddress });
    return { ...json('POST', '/app/auth/login', null, { mobile, smsCode, terminal: 'app' }), remoteAddress };
  },
  async 'POST /app/auth/recoverPassword'(context) {
    const { mobile } = await newAppUser(context.app);
    const smsCode = await codeFor(context.app, mobile, { remoteAddress: freshAddress() });
    const { key } = (await context.app.inject('/app/auth/captcha?for=recover')).json().data;
    const code = await answerOf(context, key);
    return json('POST', '/app/auth/recoverPassword', null, { mobile, smsCode, newPassword: OTHER_PASSWORD, key, code });
  },
  'PUT /app/profile': async ({ app }) => json('PUT', '/app/profile', await newAppUser(app), { displayName: 'New' }),
  async 'PUT /app/profile/password'({ app, bench }) {
    const user = await newAppUser(app);
    const hash = await bcrypt.hash(PASSWORD, 4);
    await bench.database.orm.execute(sql`update app_users set password_hash = ${hash} where mobile = ${user.mobile}`);
    return json('PUT', '/app/profile/password', user, { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD });
  },
  async 'DELETE /app/sessions/:id'({ app }) {
    const user = await newAppUser(app);
    const { data } = (await user.call('GET', '/app/sessions')).json();
    return json('DELETE', `/app/sessions/${data[0].id}`, user);
  },
  'DELETE /app/sessions': async ({ app }) => json('DELETE', '/app/sessions', await newAppUser(app)),
  'POST /admin/payments': async ({ admin }) => ({
    ...json('POST', '/admin/payments', admin, { payee: unique('payee'), amount: '12.50' }),
    headers: { ...admin.headers, 'idempotency-key': randomUUID() },
  }),
  async 'PUT /admin/system-parameters/:key'({ admin }) {
    const url = '/admin/system-parameters/admin.auth.login.failure-count';
    const { version, value } = (await admin.call('GET', url)).json().data;
    return json('PUT', url, admin, { value: value === 50 ? 51 : 50, version, confirm: true });
  },
  async 'POST /admin/storage/files'({ admin }) {
    const { headers, payload } = formWith(textFile(64));
    return { method: 'POST', url: '/admin/storage/files', headers: { ...headers, ...admin.headers }, payload };
  },
  async 'POST /app/storage/files'({ app }) {
    const { headers, payload } = formWith(textFile(64));
    const user = await newAppUser(app);
    return { method: 'POST', url: '/app/storage/files', headers: { ...headers, ...user.headers }, payload };
  },
  'DELETE /admin/storage/files/:id': async (context) =>
    json('DELETE', `/admin/storage/files/${await newFile(context)}`, context.admin),
  'POST /admin/audit-records/verify': async ({ admin }) => json('POST', '/admin/audit-records/verify', admin),
  'POST /admin/storage/simulate': async ({ admin }) => ({
    method: 'POST',
    url: '/admin/storage/simulate?fileName=a.txt',
    headers: { ...admin.headers, 'content-type': 'text/plain' },
    payload: 'text',
  }),
};
