import { randomBytes, randomUUID } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { sql } from 'drizzle-orm';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.js';
import { passwordToSend } from '../../../src/modules/administrators/development-account.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD, roomy, root, token } from '../../support/accounts.js';
import { newAppUser } from '../../support/app-accounts.js';
import { openTestBench, signIn, type TestBench } from '../../support/test-app.js';
import { writingRequests } from '../../support/writing-requests.js';

const COMMON = passwordToSend('iloveyou');

/** New passwords that are refused, and the codes. */
const REFUSED = [
  [COMMON, 'PASSWORD_COMMON'],
  ['a', 'PASSWORD_NOT_HASHED'],
  ['a'.repeat(21), 'PASSWORD_NOT_HASHED'],
  ['密'.repeat(21), 'PASSWORD_NOT_HASHED'],
] as const;

/** Members of bodies that are a password which exists already. Every other member named like one sets a password. */
const EXISTING = [
  'POST /admin/auth/login password',
  'POST /app/auth/login password',
  'POST /auth/second-factor password',
  'PUT /admin/profile/password oldPassword',
  'PUT /app/profile/password oldPassword',
];

/** `METHOD /path member` of each member of a body that is named like a password, wherever in the schema it stands. */
function passwordMembersOf(method: string, { url, schema }: RouteOptions): string[] {
  const names = new Set<string>();
  JSON.stringify(schema?.body ?? null, (key, value) => {
    if (key === 'properties') for (const name of Object.keys(value)) if (/password/i.test(name)) names.add(name);
    return value;
  });
  return [...names].map((name) => `${method} ${url} ${name}`);
}

describe('common passwords', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  const members: string[] = [];

  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config({ ...roomy, SERVICE_RATE_LIMIT_REGISTRATION_MAX_REQUESTS: '100' });
    app = createApp(config);
    app.addHook('onRoute', (route) => {
      for (const method of [route.method].flat()) members.push(...passwordMembersOf(method, route));
    });
    await bench.compose(app, config);
    admin = await root(app);
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  it('PWD-4 PWD-6 every route that sets a password refuses a common one and one that is no digest, and does nothing', async () => {
    expect(members).toEqual(expect.arrayContaining(EXISTING));
    const setting = members.filter((member) => !EXISTING.includes(member));
    expect(setting.length).toBeGreaterThanOrEqual(6);
    for (const one of setting) {
      const [method, url, member] = one.split(' ') as [string, string, string];
      const request = await writingRequests[`${method} ${url}`]!({ app, bench, admin });
      for (const [password, code] of REFUSED) {
        const payload = { ...(request.payload as object), [member]: password };
        const headers = { ...request.headers, 'idempotency-key': randomUUID() };
        const refused = await app.inject({ ...request, headers, payload });
        expect({ one, password, ...refused.json() }).toMatchObject({ one, password, status: 400, code });
      }
      // What the refused requests needed is still there: a captcha, a code, the account.
      const accepted = await app.inject(request);
      expect({ one, status: accepted.statusCode }).toMatchObject({ one, status: expect.toSatisfy((s) => s < 300) });
    }
  });

  it('PWD-6 takes digests of other functions, from 22 characters', async () => {
    const { call } = await actor(app, admin, []);
    const change = { oldPassword: PASSWORD, newPassword: randomBytes(16).toString('base64url') };
    expect(change.newPassword).toHaveLength(22);
    expect((await call('PUT', '/admin/profile/password', change)).statusCode).toBe(204);
  });

  it('PWD-6 the parameter demands the form of the reference clients; older passwords still sign in', async () => {
    const url = '/admin/system-parameters/admin.auth.password.require-sm3';
    const { username, call } = await actor(app, admin, []);
    const short = 'x';
    const statement = sql`update administrators set password_hash = ${bcrypt.hashSync(short, 4)} where username = ${username}`;
    await bench.database.orm.execute(statement);
    const { version } = (await admin.call('GET', url)).json().data;
    expect((await admin.call('PUT', url, { confirm: true, value: true, version })).statusCode).toBe(200);
    for (const newPassword of [OTHER_PASSWORD.toUpperCase(), OTHER_PASSWORD.slice(1), `${OTHER_PASSWORD}0`]) {
      const refused = await call('PUT', '/admin/profile/password', { oldPassword: short, newPassword });
      expect(refused.json().code).toBe('PASSWORD_NOT_HASHED');
    }
    await expect(token(app, username, short)).resolves.toBeDefined();
    const changed = await call('PUT', '/admin/profile/password', { oldPassword: short, newPassword: OTHER_PASSWORD });
    expect(changed.statusCode).toBe(204);
    expect((await admin.call('PUT', url, { confirm: true, value: false, version: version + 1 })).statusCode).toBe(200);
  });

  it('PWD-4 refuses variants of the own name, in the language of the client', async () => {
    const { username, id, call } = await actor(app, admin, []);
    const [ownName, variant] = [username, username.toUpperCase()].map(passwordToSend);
    const reset = await admin.call('PUT', `/admin/administrators/${id}/password`, { password: variant });
    expect(reset.json()).toMatchObject({ status: 400, code: 'PASSWORD_COMMON' });
    const change = { oldPassword: PASSWORD, newPassword: ownName };
    expect((await call('PUT', '/admin/profile/password', change)).json().code).toBe('PASSWORD_COMMON');
    expect((await signIn(app, { username, password: PASSWORD, terminal: 'web' })).statusCode).toBe(200);

    const account = { username: 'morgana', password: passwordToSend('Morgana2026'), displayName: 'Morgana' };
    const headers = { ...admin.headers, 'accept-language': 'zh-CN', 'idempotency-key': randomUUID() };
    const refused = await app.inject({ method: 'POST', url: '/admin/administrators', headers, payload: account });
    expect(refused.json()).toMatchObject({ code: 'PASSWORD_COMMON', detail: expect.stringContaining('过于常见') });
    expect(refused.body).not.toContain(account.password);
  });

  it('PWD-4 refuses variants of the words of the organisation, once a parameter lists them, everywhere', async () => {
    const url = '/admin/system-parameters/admin.auth.password.refused-words';
    const shown = (await admin.call('GET', url)).json().data;
    expect(shown).toMatchObject({ type: 'STRING', value: '', isPublic: false });
    const write = (value: string, version: number) => admin.call('PUT', url, { confirm: true, value, version });
    const { id } = await actor(app, admin, []);
    const allowed = { password: passwordToSend('Sallyport2026') };
    expect((await admin.call('PUT', `/admin/administrators/${id}/password`, allowed)).statusCode).toBe(204);
    for (const bad of ['x', 'y'.repeat(33), '!!', Array.from({ length: 21 }, () => 'word').join(',')]) {
      const refused = await write(bad, shown.version);
      expect(refused.statusCode, bad).toBe(400);
    }
    expect((await write(' Sallyport ，城门安全、,口令守卫', shown.version)).statusCode).toBe(200);
    for (const word of ['Sallyport2026', '$@llyp0r7', '城门安全', '城门安全!']) {
      const refused = await admin.call('PUT', `/admin/administrators/${id}/password`, {
        password: passwordToSend(word),
      });
      expect(refused.json().code, word).toBe('PASSWORD_COMMON');
    }
    for (const one of members.filter((member) => !EXISTING.includes(member))) {
      const [method, path, member] = one.split(' ') as [string, string, string];
      const request = await writingRequests[`${method} ${path}`]!({ app, bench, admin });
      const payload = { ...(request.payload as object), [member]: passwordToSend('Sallyport123') };
      const refused = (await app.inject({ ...request, payload })).json();
      expect({ one, ...refused }).toMatchObject({ one, code: 'PASSWORD_COMMON' });
    }
    expect((await write('', shown.version + 1)).statusCode).toBe(200);
    expect((await admin.call('PUT', `/admin/administrators/${id}/password`, allowed)).statusCode).toBe(204);
  });

  it('PWD-4 refuses the own number as the password of an app user', async () => {
    const user = await newAppUser(app);
    const payload = { smsCode: '000000', newPassword: passwordToSend(user.mobile.slice(-8)) };
    const refused = await app.inject({ method: 'PUT', url: '/app/profile/password', headers: user.headers, payload });
    expect(refused.json().code).toBe('PASSWORD_COMMON');
  });

  it('PWD-4 the parameter turns it off, on by default and not public; the seeded account is not affected', async () => {
    const url = '/admin/system-parameters/admin.auth.password.refuse-common';
    const { data } = (await admin.call('GET', url)).json();
    expect(data).toMatchObject({ type: 'BOOLEAN', value: true, isPublic: false });
    const change = { confirm: true, value: false, version: data.version };
    expect((await admin.call('PUT', url, change)).statusCode).toBe(200);
    const { username, call } = await actor(app, admin, []);
    const changed = await call('PUT', '/admin/profile/password', { oldPassword: PASSWORD, newPassword: COMMON });
    expect(changed.statusCode).toBe(204);
    // A password that was common before the parameter was on again still signs in.
    expect((await admin.call('PUT', url, { ...change, value: true, version: data.version + 1 })).statusCode).toBe(200);
    await expect(token(app, username, COMMON)).resolves.toBeDefined();
    expect(OTHER_PASSWORD).not.toBe(COMMON);
  });
});
