import { randomBytes, randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { type Actor, actor, PASSWORD, roomy, root } from '../support/accounts.js';
import { captchaText } from '../support/captcha-text.js';
import { sealed } from '../support/sealed-request.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

const RENT = { payee: 'Ada Lovelace', amount: '12.50' };

const encryption = {
  SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
  SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
};

describe('idempotent writes', () => {
  let bench: TestBench;
  let app: App;
  let other: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench('embedded');
    app = await bench.app({ ...roomy, ...encryption, SERVICE_RATE_LIMIT_REGISTRATION_MAX_REQUESTS: '100000' });
    other = await bench.app({ ...roomy, ...encryption });
    admin = await root(app);
  });
  beforeEach(() => run(sql`delete from payments`));
  afterAll(() => bench.close());

  const run = (statement: Parameters<typeof bench.database.orm.execute>[0]) => bench.database.orm.execute(statement);
  const rowsOf = async (statement: Parameters<typeof bench.database.orm.execute>[0]) =>
    (await run(statement)) as unknown as { rows: Record<string, unknown>[] };
  const paymentCount = async () => Number((await rowsOf(sql`select count(*) as n from payments`)).rows[0]!.n);

  interface Write {
    readonly method?: 'POST' | 'PUT';
    readonly url?: string;
    readonly payload?: object | string;
    readonly key?: string;
    readonly by?: Pick<Actor, 'headers'>;
    readonly node?: App;
    readonly language?: string;
  }
  function write({ method = 'POST', url = '/admin/payments', payload = RENT, key, by, node, language }: Write) {
    const headers = {
      ...(by ?? admin).headers,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(language !== undefined && { 'accept-language': language }),
    };
    return (node ?? app).inject({ method, url, headers, payload });
  }
  const outcome = (answer: LightMyRequestResponse) => `${answer.statusCode} ${answer.json().code ?? ''}`.trim();

  it("IDM-3 ID-01 ID-29 a retry runs nothing, on any node, and tells the user to refresh, in the user's language", async () => {
    const key = randomUUID();
    expect((await write({ key })).statusCode).toBe(201);
    for (const node of [app, other]) {
      const retry = await write({ key, node, language: 'zh-CN' });
      expect(retry.json()).toMatchObject({
        status: 409,
        code: 'IDEMPOTENCY_SUBMITTED',
        clientAction: 'refresh-and-view',
        detail: '请求已提交，请刷新后查看结果。',
      });
    }
    expect(await paymentCount()).toBe(1);
  });

  it('IDM-12 PRF-5 a payment reads its record no more after the commit, which the change itself has seen', async () => {
    const query = vi.spyOn(bench.database.client as PGlite, 'query');
    onTestFinished(() => query.mockRestore());
    expect((await write({ key: randomUUID() })).statusCode).toBe(201);
    const sent = query.mock.calls.map(([text]) => text).filter((text) => text.includes('idempotency_records'));
    expect(sent).toEqual([expect.stringMatching(/^insert /)]);
  });

  it('IDM-1 ID-13 ID-14 ID-15 a payment needs a key that is one UUID, in any letter case; nothing else runs', async () => {
    expect((await write({})).json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REQUIRED', clientAction: 'send-key' });
    const key = randomUUID();
    for (const wrong of ['', 'x', `{${key}}`, `"${key}`, `${key}:`, 'x'.repeat(8000), `${key}, ${key}`])
      expect(outcome(await write({ key: wrong }))).toMatch(/^400 IDEMPOTENCY_KEY_(INVALID|REQUIRED)$/);
    expect(await paymentCount()).toBe(0);
    expect(outcome(await write({ key: key.toUpperCase() }))).toBe('201');
    expect(outcome(await write({ key }))).toBe('409 IDEMPOTENCY_SUBMITTED');
    expect(outcome(await write({ key: `"${key}"` }))).toBe('409 IDEMPOTENCY_SUBMITTED');
  });

  it('IDM-3 IDM-4 ID-04 ID-06 the same key with other content is refused and changes nothing; property order and white space do not count', async () => {
    const key = randomUUID();
    expect(outcome(await write({ key }))).toBe('201');
    expect((await write({ key, payload: { ...RENT, amount: '12.51' } })).json()).toMatchObject({
      status: 422,
      code: 'IDEMPOTENCY_DIGEST_MISMATCH',
      clientAction: 'new-key',
    });
    expect(outcome(await write({ key, payload: '{ "amount" : "12.50",\n"payee":"Ada Lovelace"}' }))).toBe(
      '409 IDEMPOTENCY_SUBMITTED',
    );
    expect(await paymentCount()).toBe(1);
  });

  it('IDM-2 ID-09 ID-12 a key belongs to one principal, method and path', async () => {
    const key = randomUUID();
    const clerk = await actor(app, admin, ['api:admin:payments:*', 'api:admin:roles:*']);
    expect(outcome(await write({ key }))).toBe('201');
    expect(outcome(await write({ key, by: clerk, payload: { ...RENT, amount: '1' } }))).toBe('201');
    const role = { url: '/admin/roles', payload: { name: `Role ${key}`, permissions: [] } };
    expect(outcome(await write({ key, ...role }))).toBe('201');
    expect(outcome(await write({ key }))).toBe('409 IDEMPOTENCY_SUBMITTED');
    expect(await paymentCount()).toBe(2);
  });

  it('IDM-6 ID-16 a request that the schema or the handler refuses is not recorded: the corrected body may use the same key', async () => {
    const key = randomUUID();
    expect(outcome(await write({ key, payload: { ...RENT, amount: '12.505' } }))).toBe('400 VALIDATION_FAILED');
    expect(outcome(await write({ key }))).toBe('201');

    const roleKey = randomUUID();
    const role = (name: string) => ({ key: roleKey, url: '/admin/roles', payload: { name, permissions: [] } });
    await write({ url: '/admin/roles', payload: { name: 'Taken', permissions: [] } });
    expect(outcome(await write(role('Taken')))).toBe('409 ROLE_NAME_TAKEN');
    expect(outcome(await write(role('Free')))).toBe('201');
    expect(outcome(await write(role('Free')))).toBe('409 IDEMPOTENCY_SUBMITTED');
  });

  it('RPL-5 IDM-4 ID-05 RG-17 an encrypted retry has a new envelope and the same key; the old envelope is a replay', async () => {
    const key = randomUUID();
    const seal = () =>
      sealed(app, {
        method: 'POST',
        url: '/admin/payments',
        payload: RENT,
        headers: { ...admin.headers, 'idempotency-key': key },
      });
    const send = async (request: ReturnType<typeof seal>) => {
      const answer = await app.inject(request.options);
      return (request.open(answer) ?? answer.json()) as { code?: string };
    };
    // The handler fails: nothing was done, but the envelope is used.
    await run(sql`alter table payments rename to payments_away`);
    const first = seal();
    expect(await send(first)).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
    await run(sql`alter table payments_away rename to payments`);
    expect(await send(first)).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
    const second = seal();
    expect(await send(second)).toMatchObject({ data: RENT });
    expect(await send(second)).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
    expect(await send(seal())).toMatchObject({ code: 'IDEMPOTENCY_SUBMITTED' });
    // In the clear it is the same request.
    expect(outcome(await write({ key }))).toBe('409 IDEMPOTENCY_SUBMITTED');
    expect(await paymentCount()).toBe(1);
  });

  it('IDM-7 row and record commit together: if the commit fails there is neither, and the same key runs again', async () => {
    await run(sql`create function fail() returns trigger language plpgsql as 'begin raise exception ''no''; end'`);
    await run(
      sql`create constraint trigger late after insert on payments deferrable initially deferred for each row execute function fail()`,
    );
    const key = randomUUID();
    expect(outcome(await write({ key }))).toBe('500 INTERNAL_ERROR');
    expect(await paymentCount()).toBe(0);
    await run(sql`drop trigger late on payments`);
    expect(outcome(await write({ key }))).toBe('201');
    expect(outcome(await write({ key }))).toBe('409 IDEMPOTENCY_SUBMITTED');
    expect(await paymentCount()).toBe(1);
  });

  it('IDM-9 ID-21 while the records are unavailable nothing runs: 503, and the same key works afterwards', async () => {
    const key = randomUUID();
    await run(sql`alter table idempotency_records rename to records_away`);
    const refused = await write({ key });
    expect(refused.json()).toMatchObject({
      status: 503,
      code: 'IDEMPOTENCY_STORE_UNAVAILABLE',
      clientAction: 'retry-same-key',
      retryAfterSeconds: 1,
    });
    expect(refused.headers['retry-after']).toBe('1');
    expect(await paymentCount()).toBe(0);
    await run(sql`alter table records_away rename to idempotency_records`);
    expect(outcome(await write({ key }))).toBe('201');
  });

  it('IDM-5 ID-28 the record holds only hashes, a state and times', async () => {
    const key = randomUUID();
    await write({ key, payload: { payee: 'Personal Data', amount: '98765.43' } });
    const { rows } = await rowsOf(sql`select * from idempotency_records`);
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual(
      ['scope', 'state', 'digest', 'owner', 'is_transactional', 'leased_until', 'changed_at', 'expires_at'].sort(),
    );
    const text = JSON.stringify(rows);
    for (const secret of [key, 'Personal', '98765', admin.id]) expect(text).not.toContain(secret);
  });

  it('IDM-5 ID-24 a record is kept for 24 hours; then its key can be used again', async () => {
    const key = randomUUID();
    await write({ key });
    const { rows } = await rowsOf(
      sql`select extract(epoch from expires_at - changed_at) as seconds from idempotency_records where state = 'SUBMITTED' order by changed_at desc limit 1`,
    );
    expect(Number(rows[0]!.seconds)).toBe(86_400);
    await run(sql`update idempotency_records set expires_at = now() - interval '1 second'`);
    expect(outcome(await write({ key }))).toBe('201');
  });

  it('IDM-1 IDM-7 administrators, roles and parameters can be written with or without a key', async () => {
    const name = `user-${randomUUID()}`;
    const url = '/admin/system-parameters/admin.auth.password.min-length';
    const { version } = (await admin.call('GET', url)).json().data;
    const writes: readonly (readonly [Write, number])[] = [
      [{ url: '/admin/roles', payload: { name, permissions: [] } }, 201],
      [{ url: '/admin/administrators', payload: { username: name, password: PASSWORD, displayName: name } }, 201],
      [{ method: 'PUT', url, payload: { value: 7, version } }, 200],
    ];
    for (const [each, status] of writes) {
      const key = randomUUID();
      expect((await write({ ...each, key })).statusCode).toBe(status);
      expect(outcome(await write({ ...each, key }))).toBe('409 IDEMPOTENCY_SUBMITTED');
      // Without a key the write is an ordinary one.
      expect(outcome(await write(each))).toMatch(/^409 (ROLE_NAME_TAKEN|USERNAME_TAKEN|PARAMETER_VERSION_CONFLICT)$/);
    }
    expect((await admin.call('GET', url)).json().data).toMatchObject({ value: 7, version: version + 1 });
  });

  it('IDM-3 callers can query the state of their own keys only', async () => {
    const [key, unused] = [randomUUID(), randomUUID()];
    const clerk = await actor(app, admin, []);
    await write({ key });
    const ask = (who: Actor, asked: string) => who.call('GET', `/idempotency/${asked}`);
    const submitted = { method: 'POST', path: '/admin/payments', state: 'SUBMITTED' };
    expect((await ask(admin, key)).json()).toEqual({ data: { state: 'SUBMITTED', requests: [submitted] } });
    expect((await ask(admin, key.toUpperCase())).statusCode).toBe(200);
    for (const [who, asked] of [
      [clerk, key],
      [admin, unused],
    ] as const)
      expect(outcome(await ask(who, asked))).toBe('404 NOT_FOUND');
    expect(outcome(await ask(admin, 'x'))).toBe('400 IDEMPOTENCY_KEY_INVALID');
    expect((await app.inject(`/idempotency/${key}`)).statusCode).toBe(401);
    // A refused write leaves nothing under its key.
    await write({ key: unused, payload: { ...RENT, amount: '0' } });
    expect((await ask(admin, unused)).statusCode).toBe(404);
  });

  it('USR-3 IDM-8 a retried registration is answered as submitted, and a refused one may be corrected', async () => {
    const url = '/admin/system-parameters/admin.auth.registration.enabled';
    const { version } = (await admin.call('GET', url)).json().data;
    await admin.call('PUT', url, { value: true, version });
    const username = `user-${randomUUID()}`;
    const { key: captcha } = (await app.inject('/admin/auth/captcha?for=register')).json().data;
    const { rows } = await rowsOf(sql`select value from ttl_entries where key = ${`captcha:${captcha}`}`);
    const account = { username, password: PASSWORD, displayName: username, terminal: 'web', key: captcha };
    const key = randomUUID();
    const register = (code: unknown, more: object = {}) =>
      app.inject({
        method: 'POST',
        url: '/admin/auth/register',
        headers: { 'idempotency-key': key },
        payload: { ...account, code, ...more },
      });
    expect(outcome(await register('wrong', { key: 'A'.repeat(22) }))).toBe('400 CAPTCHA_INVALID');
    const text = captchaText(rows[0]!.value);
    expect((await register(text)).statusCode).toBe(201);
    expect(outcome(await register(text))).toBe('409 IDEMPOTENCY_SUBMITTED');
  });

  it('IDM-8 ID-26 the server does not start with a public idempotent route that has neither captcha nor limit', async () => {
    const faults: Record<string, object> = {
      'config.captcha': { rateLimit: { max: 5 } },
      'config.rateLimit': { captcha: true },
    };
    for (const [fault, config] of Object.entries(faults)) {
      const settings = bench.config();
      const faulty = createApp(settings);
      await bench.compose(faulty, settings);
      faulty.post(
        '/public/form',
        { config: { access: 'public', audit: false, idempotency: true, ...config } },
        async () => 'x',
      );
      await expect(faulty.ready()).rejects.toThrow(fault);
      await faulty.close();
    }
  });
});
