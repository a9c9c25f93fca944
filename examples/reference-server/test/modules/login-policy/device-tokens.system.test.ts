import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import bcrypt from 'bcryptjs';
import { sql } from 'drizzle-orm';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, composeApp, createApp } from '../../../src/app.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD, root } from '../../support/accounts.js';
import { appSignIn, codeFor, freshMobile, newAppUser, roomyApp, sendSmsCode } from '../../support/app-accounts.js';
import { captchaText } from '../../support/captcha-text.js';
import { openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const WRONG = 'f'.repeat(64);
const TOKEN = /^[\w-]{43}$/;

let bench: TestBench;
let app: App;
let admin: Actor;
let log = '';
/** Every route of the server with a body, and the members of the body. */
const bodies = new Map<string, string[]>();

beforeAll(async () => {
  bench = await openTestBench();
  const config = bench.config({ ...roomyApp, SERVICE_LOG_LEVEL: 'debug' });
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += chunk.toString();
      done();
    },
  });
  app = createApp(config, stream);
  app.addHook('onRoute', ({ method, url, schema }) => {
    const { properties = {} } = (schema?.body ?? {}) as { properties?: object };
    bodies.set(`${method} ${url}`, Object.keys(properties));
  });
  await composeApp(app, config, bench.resources(config));
  await app.ready();
  admin = await root(app);
});
afterAll(async () => {
  await app.close();
  await bench.close();
});

let addresses = 0;
const elsewhere = () => ({ remoteAddress: `198.18.${++addresses >> 8}.${addresses & 255}` });

async function newAdministrator(): Promise<{ id: string; username: string; deviceToken: string }> {
  const { id, username } = await actor(app, admin, []);
  const response = await signIn(app, { username, password: PASSWORD, terminal: 'web' }, elsewhere());
  return { id, username, deviceToken: response.json().data.deviceToken };
}

async function newUserWithPassword() {
  const user = await newAppUser(app);
  const hash = await bcrypt.hash(PASSWORD, 4);
  await bench.database.orm.execute(sql`update app_users set password_hash = ${hash} where mobile = ${user.mobile}`);
  const { token, deviceToken } = (await appSignIn(app, { mobile: user.mobile, password: PASSWORD })).json().data;
  return { mobile: user.mobile, deviceToken: deviceToken as string, headers: { authorization: `Bearer ${token}` } };
}

describe('device tokens of administrators', () => {
  it('LGN-12 an owner signs in with one while strangers keep the account locked', async () => {
    const { username, deviceToken } = await newAdministrator();
    expect(deviceToken).toMatch(TOKEN);
    const attempt = (more: object, from: InjectOptions = elsewhere()) =>
      signIn(app, { username, password: PASSWORD, terminal: 'Web', ...more }, from);
    // Without hashing.
    const guess = (more: object) =>
      app.loginPolicy.attempt(
        { username, terminal: 'web', clientIp: elsewhere().remoteAddress, ...more },
        async () => null,
      );
    for (let n = 0; n < 20; n += 1) await guess({});
    expect((await attempt({})).json().code).toBe('LOGIN_LOCKED');
    for (const forged of ['', 'x', 'A'.repeat(43), 'A'.repeat(128)]) {
      expect((await attempt({ deviceToken: forged })).json().code).toBe('LOGIN_LOCKED');
    }
    expect((await attempt({ deviceToken: 'A'.repeat(129) })).statusCode).toBe(400);
    const { data } = (await attempt({ deviceToken })).json();
    expect(data.deviceToken).toMatch(TOKEN);
    expect(data.deviceToken).not.toBe(deviceToken);
    // The answer may have been lost: the first one is known for a while.
    expect((await attempt({ deviceToken })).statusCode).toBe(200);
    for (let n = 0; n < 4; n += 1) await guess({ deviceToken: data.deviceToken });
    expect((await attempt({ deviceToken: data.deviceToken, password: WRONG })).statusCode).toBe(401);
    expect((await attempt({ deviceToken: data.deviceToken })).json().code).toBe('LOGIN_LOCKED');
    const explained = await admin.call('GET', `/admin/login-policy/explain?username=${username}`);
    expect(explained.json().data.devices).toEqual({ known: 3, locked: 1 });
  });

  it('LGN-12 a token of an app user is unknown at the sign-in of administrators, under the same name', async () => {
    const { mobile, deviceToken } = await newUserWithPassword();
    const { devices } = await app.appLoginPolicy.explain({ username: mobile });
    expect(devices.known).toBe(1);
    expect((await app.loginPolicy.explain({ username: mobile })).devices.known).toBe(0);
    expect(deviceToken).toMatch(TOKEN);
  });

  it('LGN-12 a code signs in without a token as long as the user has no password, and with one then', async () => {
    const mobile = freshMobile();
    await bench.database.orm.execute(
      sql`insert into app_users (id, mobile, password_hash) values (${randomUUID()}, ${mobile}, 'none')`,
    );
    const smsCode = await codeFor(app, mobile, elsewhere());
    expect((await appSignIn(app, { mobile, smsCode })).json().data.deviceToken).toMatch(TOKEN);
    const without = await newAppUser(app);
    expect((await app.appLoginPolicy.explain({ username: without.mobile })).devices.known).toBe(0);
  });

  it('AUD-3 LGN-12 no token is in the log or in an audit record, sent or answered', async () => {
    const { username, deviceToken } = await newAdministrator();
    const body = { username, password: PASSWORD, terminal: 'web', deviceToken };
    const answer = await signIn(app, body, elsewhere());
    const forged = `forged-${'A'.repeat(36)}`;
    await signIn(app, { ...body, deviceToken: forged, password: WRONG }, elsewhere());
    const found = await bench.database.orm.execute(sql`select * from audit_records where target = ${username}`);
    const records = JSON.stringify(found);
    expect(records).toContain('"deviceToken":"[masked]"');
    for (const secret of [deviceToken, answer.json().data.deviceToken, forged]) {
      expect(records).not.toContain(secret);
      expect(log).not.toContain(secret);
    }
    const stored = JSON.stringify(await bench.database.orm.execute(sql`select * from ttl_entries`));
    expect(stored).not.toContain(answer.json().data.deviceToken);
  });

  it('AUD-3 OTC-1 CAP-1 no handle of a code, and no proof of work, is in the log or in an audit record', async () => {
    const mobile = freshMobile();
    const { handle } = (await sendSmsCode(app, mobile, elsewhere())).json().data;
    const proof = 'proof-of-work-1234';
    await appSignIn(app, { mobile, smsCode: '000000', handle, proof, key: 'none' }, elsewhere());
    const records = JSON.stringify(await bench.database.orm.execute(sql`select * from audit_records`));
    for (const secret of [handle, proof]) {
      expect(records).not.toContain(secret);
      expect(log).not.toContain(secret);
    }
  });
});

describe('routes that change a password', () => {
  /** Changes a password, and names the account whose tokens have to end. */
  interface Change {
    readonly policy: 'loginPolicy' | 'appLoginPolicy';
    readonly username: string;
    /** Of the sign-in whose session sends the request. */
    readonly deviceToken?: string;
    readonly request: InjectOptions;
  }

  const routes: Readonly<Record<string, () => Promise<Change>>> = {
    async 'PUT /admin/profile/password'() {
      const { username } = await newAdministrator();
      const body = { username, password: PASSWORD, terminal: 'web' };
      const { token, deviceToken } = (await signIn(app, body)).json().data;
      const headers = { authorization: `Bearer ${token}` };
      const payload = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
      return {
        policy: 'loginPolicy',
        username,
        deviceToken,
        request: { method: 'PUT', url: '/admin/profile/password', headers, payload },
      };
    },
    async 'PUT /admin/administrators/:id/password'() {
      const { id, username } = await newAdministrator();
      const url = `/admin/administrators/${id}/password`;
      const { headers } = admin;
      return {
        policy: 'loginPolicy',
        username,
        request: { method: 'PUT', url, headers, payload: { password: OTHER_PASSWORD } },
      };
    },
    async 'PUT /app/profile/password'() {
      const { mobile, deviceToken, headers } = await newUserWithPassword();
      const payload = { oldPassword: PASSWORD, newPassword: OTHER_PASSWORD };
      return {
        policy: 'appLoginPolicy',
        username: mobile,
        deviceToken,
        request: { method: 'PUT', url: '/app/profile/password', headers, payload },
      };
    },
    async 'POST /app/auth/recoverPassword'() {
      const { mobile } = await newUserWithPassword();
      const smsCode = await codeFor(app, mobile, elsewhere());
      const { key } = (await app.inject('/app/auth/captcha?for=recover')).json().data;
      const entry = sql`select value from ttl_entries where key = ${`captcha:${key}`}`;
      const rows = await rowsOf<{ value: string }>(bench.database.orm, entry);
      const payload = { mobile, smsCode, newPassword: OTHER_PASSWORD, key, code: captchaText(rows[0]!.value) };
      return {
        policy: 'appLoginPolicy',
        username: mobile,
        request: { method: 'POST', url: '/app/auth/recoverPassword', payload },
      };
    },
  };

  /** They verify a password, or set that of an account that is new. */
  const OTHERS = [
    'POST /admin/auth/login',
    'POST /app/auth/login',
    'POST /admin/auth/register',
    'POST /admin/administrators',
    'POST /auth/second-factor',
  ];

  it('LGN-12 are these, and no others', () => {
    const takePassword = [...bodies].filter(([, members]) => members.some((member) => /password/i.test(member)));
    const found = takePassword.map(([route]) => route).filter((route) => !OTHERS.includes(route));
    expect(found.sort()).toEqual(Object.keys(routes).sort());
  });

  it.each(Object.keys(routes))('LGN-12 %s ends the device tokens of the account', async (route) => {
    const { policy, username, request } = await routes[route]!();
    expect((await app[policy].explain({ username })).devices.known).toBeGreaterThan(0);
    expect((await app.inject(request)).statusCode).toBe(204);
    expect((await app[policy].explain({ username })).devices.known).toBe(0);
  });

  it.each(['PUT /admin/profile/password', 'PUT /app/profile/password'])(
    'LGN-12 USR-2 %s goes on with one while strangers keep the account locked',
    async (route) => {
      const { policy, username, deviceToken, request } = await routes[route]!();
      const terminal = policy === 'loginPolicy' ? 'web' : 'app';
      for (let n = 0; n < 20; n += 1) {
        await app[policy].attempt({ username, terminal, clientIp: `198.19.0.${n}` }, async () => null);
      }
      expect((await app.inject(request)).json().code).toBe('LOGIN_LOCKED');
      const payload = { ...(request.payload as object), deviceToken };
      expect((await app.inject({ ...request, payload })).statusCode).toBe(204);
    },
  );

  it('LGN-12 deleting an administrator ends them, too: the name may be given to somebody else', async () => {
    const { id, username } = await newAdministrator();
    expect((await admin.call('DELETE', `/admin/administrators/${id}`)).statusCode).toBe(204);
    expect((await app.loginPolicy.explain({ username })).devices.known).toBe(0);
  });

  it('LGN-12 TOK-6 disabling an account ends them, too: they do not come back when it is enabled', async () => {
    const { id, username } = await newAdministrator();
    const { mobile, headers } = await newUserWithPassword();
    const [, payload = ''] = headers.authorization.split('.');
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const known = async () =>
      Promise.all([app.loginPolicy.explain({ username }), app.appLoginPolicy.explain({ username: mobile })]);
    expect((await known()).map(({ devices }) => devices.known)).not.toContain(0);
    for (const disabled of [true, false]) {
      for (const path of [`administrators/${id}`, `app-users/${sub}`]) {
        expect((await admin.call('PUT', `/admin/${path}`, { disabled })).statusCode).toBe(200);
      }
      expect((await known()).map(({ devices }) => devices.known)).toEqual([0, 0]);
    }
  });

  it('LGN-12 clearing ends them', async () => {
    const { username } = await newAdministrator();
    expect((await admin.call('POST', '/admin/auth/clearLoginLimit', { username })).statusCode).toBe(200);
    expect((await app.loginPolicy.explain({ username })).devices.known).toBe(0);
  });
});
