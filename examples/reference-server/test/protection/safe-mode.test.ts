import { randomBytes, randomUUID } from 'node:crypto';
import { auditRecords } from '@sallyport/audit-log/postgres';
import { sql } from 'drizzle-orm';
import { desc, eq } from 'drizzle-orm/sql';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { startFacts } from '../../src/commands/start-banner.js';
import { type Notifications, openNotifications } from '../../src/modules/notifications/notifications.js';
import { type SmsPolicy, smsParameters } from '../../src/modules/one-time-codes/parameters.js';
import { createSmsCodes } from '../../src/modules/one-time-codes/sms-codes.js';
import { deriveKey, loadTokenKeys } from '../../src/protection/token-keys.js';
import { appUsers } from '../../src/storage/schema.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import { png, upload } from '../modules/files/uploads.js';
import { type Actor, actor, roomy, root } from '../support/accounts.js';
import { type AppActor, appActor, appSignIn, codeFor, freshMobile, newAppUser } from '../support/app-accounts.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, openTestBench, signIn, type TestBench } from '../support/test-app.js';

/** The write routes that are served. Every other write route, present or future, must be refused. */
const SERVED = [
  'POST /admin/auth/login',
  'POST /app/auth/login',
  'POST /auth/logout',
  'POST /auth/second-factor',
  'POST /auth/second-factor/options',
  'POST /admin/storage/simulate',
  'POST /admin/audit-records/verify',
];

const SMS_DEFAULTS = Object.fromEntries(
  Object.entries(smsParameters).map(([name, { default: value }]) => [name, value]),
) as unknown as SmsPolicy;

const SAFE_MODE = { SERVICE_SAFE_MODE: 'true' };

const encryption = {
  SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
  SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
};

interface Route {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly access: unknown;
}

describe('safe mode', { timeout: 60_000 }, () => {
  let bench: TestBench;
  let open: App;
  let safe: App;
  let admin: Actor;
  let user: AppActor;
  const routes: Route[] = [];

  beforeAll(async () => {
    bench = await openTestBench();
    // One database with and without safe mode, so that it holds rows.
    open = await bench.app({ ...roomy, ...encryption });
    admin = await root(open);
    user = await newAppUser(open);
    await admin.call('POST', '/admin/roles', { name: 'Kept', permissions: ['api:admin:roles:list'] });

    const config = bench.config({ ...roomy, ...encryption, ...SAFE_MODE });
    safe = createApp(config);
    safe.addHook('onRoute', ({ method, url, config: { access } = {} }: RouteOptions) => {
      for (const each of [method].flat()) routes.push({ name: `${each} ${url}`, method: String(each), url, access });
    });
    await bench.compose(safe, config);
    // A route that was added without regard to safe mode.
    safe.post('/test/new', { config: { access: 'public', audit: false } }, async () => ({ data: 'done' }));
    safe.get('/test/odd', { config: { access: 'public', audit: false, safeMode: 'refused' } }, async () => 'done');
    await safe.ready();
  });
  afterAll(async () => {
    await safe.close();
    await bench.close();
  });

  const isWrite = ({ method }: Route) => !['GET', 'HEAD', 'OPTIONS'].includes(method);

  /** Every row, except of sessions, counters and the audit log, which are still written. */
  async function contents(): Promise<unknown[]> {
    const tables = await rowsOf<{ table_name: string }>(
      bench.database.orm,
      sql`select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
    const names = tables.map(({ table_name }) => table_name).filter((name) => !/^(?:ttl_|audit_)/.test(name));
    expect(names).toEqual(expect.arrayContaining(['administrators', 'app_users', 'idempotency_records', 'payments']));
    return Promise.all(
      names.map(async (name) => [
        name,
        await rowsOf(bench.database.orm, sql`select t::text from ${sql.identifier(name)} t order by 1`),
      ]),
    );
  }

  function send(app: App, { method, url, access }: Route) {
    const path = url.replace(/:\w+/g, randomUUID()).replace('*', 'x');
    const headers = access === 'app' ? user.headers : admin.headers;
    return app.inject({ method: method as 'POST', url: path, headers, payload: {} });
  }

  it('OPS-4 every write route is refused, even with every permission, and nothing changes', async () => {
    const before = await contents();
    const writes = routes.filter((route) => isWrite(route) && !SERVED.includes(route.name));
    expect(writes.length).toBeGreaterThan(20);
    expect(writes.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['PUT /admin/system-parameters/:key', 'POST /admin/storage/files', 'POST /test/new']),
    );
    for (const route of writes) {
      const response = await send(safe, route);
      expect([route.name, response.statusCode, response.json().code]).toEqual([route.name, 403, 'SAFE_MODE']);
    }
    expect((await safe.inject('/test/odd')).json()).toMatchObject({ status: 403, code: 'SAFE_MODE' });
    expect(await contents()).toEqual(before);
    // Every route in the list of exceptions exists.
    const names = routes.map(({ name }) => name);
    for (const name of SERVED) expect(names).toContain(name);
  });

  it('OPS-4 no read is refused', async () => {
    // A stream has no end.
    const ends = ({ url }: Route) => url !== '/test/odd' && !url.endsWith('/stream');
    for (const route of routes.filter((route) => !isWrite(route) && ends(route))) {
      const response = await send(safe, route);
      // Compared with the status as well, because the metrics contain the code of every refusal.
      const isRefused = response.statusCode === 403 && response.body.includes('SAFE_MODE');
      expect([route.name, isRefused]).toEqual([route.name, false]);
    }
    expect((await safe.inject('/test/odd')).statusCode).toBe(403);
  });

  it('OPS-4 administrators and app users sign in and out', async () => {
    const signedIn = await signIn(safe);
    expect(signedIn.statusCode).toBe(200);
    const bearer = { authorization: `Bearer ${signedIn.json().data.token}` };
    expect((await safe.inject({ url: '/admin/profile', headers: bearer })).statusCode).toBe(200);
    expect((await safe.inject({ method: 'POST', url: '/auth/logout', headers: bearer })).statusCode).toBe(204);
    expect((await safe.inject({ url: '/admin/profile', headers: bearer })).statusCode).toBe(401);

    const from = { remoteAddress: '198.51.100.251' };
    const mobile = freshMobile();
    await bench.database.orm.insert(appUsers).values({ id: randomUUID(), mobile });
    const smsCode = await codeFor(open, mobile, from);
    const response = await appSignIn(safe, { mobile, smsCode }, from);
    expect(response.statusCode).toBe(200);
    const known = appActor(safe, mobile, response.json().data.token);
    expect((await known.call('GET', '/app/profile')).statusCode).toBe(200);
    expect((await known.call('POST', '/auth/logout')).statusCode).toBe(204);
    expect((await known.call('GET', '/app/profile')).statusCode).toBe(401);
  });

  it('OPS-4 APP-3 a correct code creates no new user', async () => {
    const mobile = freshMobile();
    const from = { remoteAddress: '198.51.100.252' };
    const smsCode = await codeFor(open, mobile, from);
    expect((await appSignIn(safe, { mobile, smsCode }, from)).json()).toMatchObject({ status: 403, code: 'SAFE_MODE' });
    expect(await bench.database.orm.select().from(appUsers).where(eq(appUsers.mobile, mobile))).toEqual([]);
  });

  it('OPS-4 ORD-1 earlier refusals come first: 401 without a token, 403 without the permission, 429 over the limit, 404 for an unknown path', async () => {
    const role = { method: 'POST', url: '/admin/roles', payload: { name: 'N', permissions: [] } } as const;
    expect((await safe.inject(role)).json()).toMatchObject({ status: 401 });
    const reader = await actor(open, admin, ['api:admin:roles:list']);
    const denied = await safe.inject({ ...role, headers: reader.headers });
    expect(denied.json()).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    const none = await safe.inject({ method: 'POST', url: '/admin/nothing', headers: admin.headers });
    expect(none.json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const register = { method: 'POST', url: '/admin/auth/register', remoteAddress: '198.51.100.253' } as const;
    const codes = [];
    for (let i = 0; i < 7; i += 1) codes.push((await safe.inject(register)).json().code);
    expect(codes).toEqual([...Array(5).fill('SAFE_MODE'), 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('OPS-4 ORD-1 the refusal comes before the body is read: a malformed or encrypted body is not read, and its nonce and key stay unused', async () => {
    const malformed = await safe.inject({
      method: 'POST',
      url: '/admin/roles',
      headers: { ...admin.headers, 'content-type': 'application/json' },
      payload: '{',
    });
    expect(malformed.json()).toMatchObject({ code: 'SAFE_MODE' });
    expect((await upload(safe, admin.headers, png)).json()).toMatchObject({ status: 403, code: 'SAFE_MODE' });

    const key = randomUUID();
    const request = sealed(open, {
      method: 'POST',
      url: '/admin/payments',
      payload: { payee: 'A', amount: '1' },
      headers: { ...admin.headers, 'idempotency-key': key },
    });
    expect((await safe.inject(request.options)).json()).toMatchObject({ status: 403, code: 'SAFE_MODE' });
    expect((await admin.call('GET', `/idempotency/${key}`)).statusCode).toBe(404);
    expect((await open.inject(request.options)).statusCode).toBe(201);
  });

  it('OPS-4 AU-02 the refusal is recorded, and has a text in both languages', async () => {
    const headers = { ...admin.headers, 'accept-language': 'zh-CN' };
    const response = await safe.inject({ method: 'DELETE', url: `/admin/roles/${randomUUID()}`, headers });
    expect(response.json()).toMatchObject({ code: 'SAFE_MODE', detail: expect.stringContaining('演示模式') });
    const [last] = await bench.database.orm.select().from(auditRecords).orderBy(desc(auditRecords.sequence)).limit(1);
    expect(last).toMatchObject({ action: 'role.delete', outcome: 'refused', reason: 'SAFE_MODE' });
  });

  it('OPS-4 APP-4 queued messages are not sent until a server without safe mode starts', async () => {
    const held = await openTestBench();
    try {
      const config = held.config(SAFE_MODE);
      const resources = held.resources(config);
      const { signingKey } = await loadTokenKeys(config);
      const codes = createSmsCodes({
        store: resources.stores.sessions,
        key: deriveKey(signingKey, 'sms-codes'),
        policy: async () => SMS_DEFAULTS,
        queue: () => notifications.queue,
        onEvent: async () => {},
        log: { error() {} },
      });
      const key = deriveKey(signingKey, 'notifications');
      const log = { info() {}, warn() {} };
      const notifications: Notifications = await openNotifications({ config, resources, key, codes, log });
      const mobile = freshMobile();
      const client = { clientIp: '192.0.2.1', hasCaptcha: () => false };
      await codes.send({ recipient: mobile, ...client, context: { language: 'en' } });

      const states = async (app: App) =>
        (await app.inject({ url: '/admin/notifications', headers: await bearer(app) })).json().data;
      const inSafeMode = await held.appOn(config, resources);
      expect(await states(inSafeMode)).toMatchObject([{ state: 'queued', attempts: 0 }]);
      await inSafeMode.close();

      const sending = await held.app(roomy);
      await vi.waitFor(async () => expect(await states(sending)).toMatchObject([{ state: 'sent' }]), {
        timeout: 20_000,
        interval: 50,
      });
      await notifications.close();
    } finally {
      await held.close();
    }
  });

  it('OPS-4 OPS-1 the banner and the health check show it', async () => {
    const health = await safe.inject({ url: '/actuator/health', headers: admin.headers });
    expect(health.json().components).toMatchObject({ 'safe-mode': { status: 'UP', details: { writes: 'refused' } } });
    expect(startFacts(bench.config(SAFE_MODE), null)).toMatchObject({ 'safe mode': 'on: writes are refused' });
    expect(startFacts(bench.config(), null)).not.toHaveProperty('safe mode');
  });
});
