import { randomBytes, randomUUID } from 'node:crypto';
import { auditRecords, verifyAuditLog } from '@sallyport/audit-log/postgres';
import { asc, sql } from 'drizzle-orm';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { auditChain } from '../../../src/modules/audit-records/audit-sink.js';
import { administrators } from '../../../src/storage/schema.js';
import { token } from '../../support/accounts.js';
import { grantedAdministrator } from '../../support/granted-administrator.js';
import { sealed } from '../../support/sealed-request.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

type Headers = { authorization: string };

describe('the audit log of the server', () => {
  let bench: TestBench;
  let app: App;
  let headers: Headers;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app({
      SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '100000',
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    });
    headers = await bearer(app);
  });
  afterAll(() => bench.close());

  const rows = () => bench.database.orm.select().from(auditRecords).orderBy(asc(auditRecords.sequence));
  let seen = 0;
  beforeEach(async () => {
    seen = (await rows()).length;
  });
  /** The records since the test began. */
  const fresh = async () => (await rows()).slice(seen);
  const call = (options: InjectOptions) => app.inject({ headers, ...options });

  async function signedIn(grants: readonly string[]): Promise<Headers> {
    return token(app, await grantedAdministrator(bench.database, grants), credentials.password);
  }

  async function changeParameter(key: string, value: unknown): Promise<number> {
    const { version } = (await call({ url: `/admin/system-parameters/${key}` })).json().data;
    const payload = { value, version };
    return (await call({ method: 'PUT', url: `/admin/system-parameters/${key}`, payload })).statusCode;
  }

  it('AU-01 AUD-1 AUD-2 each operation has exactly one record with actor, action, target, address and outcome', async () => {
    const own = await bearer(app);
    const profile = { displayName: 'Admin' };
    const created = await call({
      method: 'POST',
      url: '/admin/roles',
      headers: {
        ...headers,
        'user-agent': 'agent/1',
        'x-forwarded-for': '203.0.113.7',
        'x-request-id': 'audit-test-0001',
      },
      payload: { name: 'Auditors', permissions: ['api:admin:audit-records:list'] },
    });
    const { id } = created.json().data;
    await call({ method: 'PUT', url: `/admin/roles/${id}`, payload: { permissions: [] } });
    await call({ method: 'DELETE', url: `/admin/roles/${id}` });
    await call({ method: 'PUT', url: '/admin/profile', payload: profile });
    await call({ url: '/admin/payments' });
    await call({ method: 'POST', url: '/auth/logout', headers: own });
    const kept = await fresh();
    expect(kept.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['auth.login', 'success'],
      ['role.create', 'success'],
      ['role.update', 'success'],
      ['role.delete', 'success'],
      ['profile.update', 'success'],
      ['payment.read', 'success'],
      ['auth.logout', 'success'],
    ]);
    const actor = kept[0]?.actor;
    expect(actor).toMatch(/^admin:[0-9a-f-]{36}$/);
    expect(kept[1]).toMatchObject({
      actor,
      target: id,
      reason: null,
      clientIp: '203.0.113.7',
      parameters: { body: { name: 'Auditors', permissions: ['api:admin:audit-records:list'] } },
      extra: {
        requestId: 'audit-test-0001',
        terminal: 'web',
        method: 'POST',
        path: '/admin/roles',
        userAgent: 'agent/1',
        exception: null,
      },
    });
    expect(kept[2]).toMatchObject({ target: id, parameters: { params: { id }, body: { permissions: [] } } });
    expect(kept[0]).toMatchObject({
      target: 'admin',
      parameters: { body: { username: 'admin', password: '[masked]', terminal: 'web' } },
    });
  });

  it('AUD-1 AU-14 the record of a changed role or administrator has the old and new values, of a deletion the old, and no secret', async () => {
    const payload = { name: 'Clerks', permissions: ['api:admin:payments:list'] };
    const role = (await call({ method: 'POST', url: '/admin/roles', payload })).json().data;
    const permissions = ['api:admin:payments:list', 'api:admin:payments:read'];
    await call({ method: 'PUT', url: `/admin/roles/${role.id}`, payload: { permissions } });
    const account = { username: 'clerk', password: credentials.password, displayName: 'Clerk', roleIds: [role.id] };
    const created = await call({ method: 'POST', url: '/admin/administrators', payload: account });
    const { id } = created.json().data;
    const url = `/admin/administrators/${id}`;
    await call({ method: 'PUT', url, payload: { displayName: 'Clerk +8613800138000', roleIds: [], disabled: true } });
    await call({ method: 'DELETE', url });
    await call({ method: 'PUT', url: `/admin/roles/${role.id}`, payload: { name: 'Never', version: 1 } });
    await call({ method: 'DELETE', url: `/admin/roles/${role.id}` });
    const told = (await fresh()).map(({ action, outcome, parameters }) => [
      action,
      outcome,
      (parameters as { detail?: unknown }).detail,
    ]);
    expect(told).toEqual([
      ['role.create', 'success', undefined],
      [
        'role.update',
        'success',
        { oldValue: { permissions: payload.permissions, version: 1 }, newValue: { permissions, version: 2 } },
      ],
      ['administrator.create', 'success', undefined],
      [
        'administrator.update',
        'success',
        {
          oldValue: { displayName: 'Clerk', roleIds: [role.id], disabled: false, version: 1 },
          newValue: { displayName: 'Clerk +86138****8000', roleIds: [], disabled: true, version: 2 },
        },
      ],
      [
        'administrator.delete',
        'success',
        {
          oldValue: {
            username: 'clerk',
            displayName: 'Clerk +86138****8000',
            roleIds: [],
            disabled: true,
            version: 2,
          },
          newValue: null,
        },
      ],
      ['role.update', 'refused', undefined],
      ['role.delete', 'success', { oldValue: { name: 'Clerks', permissions, version: 2 }, newValue: null }],
    ]);
  });

  it('AU-02 AUD-1 failed sign-ins and refused ones are recorded, and so is the lock, once', async () => {
    const attempt = () => signIn(app, { ...credentials, username: 'eve', password: 'hunter2-guess' });
    for (let round = 0; round < 6; round += 1) await attempt();
    const kept = await fresh();
    expect(kept.map(({ action, outcome, reason, target }) => [action, outcome, reason, target])).toEqual([
      ...new Array(4).fill(['auth.login', 'refused', 'LOGIN_FAILED', 'eve']),
      ['auth.lock', 'refused', 'LOGIN_LOCKED', 'eve'],
      ['auth.login', 'refused', 'LOGIN_FAILED', 'eve'],
      ['auth.login', 'refused', 'LOGIN_LOCKED', 'eve'],
    ]);
    expect(kept[4]?.parameters).toMatchObject({ detail: { counter: expect.any(String), terminal: 'web' } });
    expect(JSON.stringify(kept)).not.toContain('hunter2');
  });

  it('LP-28 LGN-8 AU-02 a whitelist refusal is recorded, for right and wrong passwords, known and unknown names', async () => {
    expect(await changeParameter('admin.auth.login.ip-whitelist.values', '10.9.8.7, 127.0.0.1')).toBe(200);
    expect(await changeParameter('admin.auth.login.ip-whitelist.enabled', true)).toBe(200);
    seen = (await rows()).length;
    const outside = { headers: { 'x-forwarded-for': '198.51.100.9' } };
    for (const body of [credentials, { ...credentials, password: 'x' }, { ...credentials, username: 'nobody' }])
      expect((await signIn(app, body, outside)).statusCode).toBe(403);
    const kept = await fresh();
    expect(kept.map(({ action, reason, clientIp, target }) => [action, reason, clientIp, target])).toEqual([
      ['auth.login', 'LOGIN_IP_REFUSED', '198.51.100.9', 'admin'],
      ['auth.login', 'LOGIN_IP_REFUSED', '198.51.100.9', 'admin'],
      ['auth.login', 'LOGIN_IP_REFUSED', '198.51.100.9', 'nobody'],
    ]);
    expect(await changeParameter('admin.auth.login.ip-whitelist.enabled', false)).toBe(200);
  });

  it('LP-15 clearing a login limit is recorded with the permission, without it, and without a token', async () => {
    const clear = { method: 'POST', url: '/admin/auth/clearLoginLimit', payload: { username: 'eve' } } as const;
    const poor = await signedIn([]);
    seen = (await rows()).length;
    expect((await call(clear)).statusCode).toBe(200);
    expect((await app.inject({ ...clear, headers: poor })).statusCode).toBe(403);
    expect((await app.inject(clear)).statusCode).toBe(401);
    const kept = await fresh();
    expect(kept.map(({ action, outcome, reason, actor }) => [action, outcome, reason, actor !== null])).toEqual([
      ['auth.clear-login-limit', 'success', null, true],
      ['auth.clear-login-limit', 'refused', 'PERMISSION_DENIED', true],
      ['auth.clear-login-limit', 'refused', 'TOKEN_MISSING', false],
    ]);
    expect(kept[0]?.target).toBe('eve');
  });

  it('AU-02 a replayed envelope and a mismatched idempotency key are recorded; unknown paths are not', async () => {
    const replayed = sealed(app, { method: 'PUT', url: '/admin/profile', payload: { displayName: 'A' }, headers });
    await app.inject(replayed.options);
    await app.inject(replayed.options);
    const pay = (amount: string, key: string) =>
      call({
        method: 'POST',
        url: '/admin/payments',
        headers: { ...headers, 'idempotency-key': key },
        payload: { payee: 'A', amount },
      });
    const key = randomUUID();
    await pay('1.00', key);
    await pay('2.00', key);
    await call({ url: '/admin/unknown' });
    await app.inject('/admin/unknown');
    const kept = await fresh();
    expect(kept.map(({ action, outcome, reason }) => [action, outcome, reason])).toEqual([
      ['profile.update', 'success', null],
      ['profile.update', 'refused', 'ENVELOPE_EXPIRED_OR_REPLAYED'],
      ['payment.create', 'success', null],
      ['payment.create', 'refused', 'IDEMPOTENCY_DIGEST_MISMATCH'],
    ]);
    expect(kept[0]?.parameters).toMatchObject({ body: { displayName: 'A' } });
  });

  it('SYS-2 AU-14 AUD-1 a parameter change has one record with old and new value, committed with it; a refused change records no values', async () => {
    const key = 'admin.auth.login.lock-seconds';
    expect(await changeParameter(key, 601)).toBe(200);
    expect(await changeParameter(key, 'many')).toBe(400);
    const kept = (await fresh()).filter(({ action }) => action === 'system-parameter.update');
    expect(kept.map(({ outcome, target }) => [outcome, target])).toEqual([
      ['success', key],
      ['refused', key],
    ]);
    expect(kept[0]?.parameters).toMatchObject({ detail: { oldValue: 600, newValue: 601 } });
    expect(kept[1]?.parameters).not.toHaveProperty('detail');
    expect(await changeParameter(key, 600)).toBe(200);
  });

  it('AU-14 no method changes or deletes a record, and the chain verifies afterwards', async () => {
    const [record] = await rows();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      for (const url of ['/admin/audit-records', `/admin/audit-records/${record?.id}`])
        expect((await call({ method, url, payload: {} })).statusCode).toBe(404);
    const chain = await auditChain(bench.config(), bench.database);
    const before = await verifyAuditLog(chain);
    expect(before).toMatchObject({ intact: true, findings: [] });
    expect(before.rows).toBeGreaterThan(10);
  });

  it('AU-03 AU-13 AUD-7 hostile texts suppress no record and forge no line', async () => {
    const hostile = 'a\r\n{"forged":1}\u2028\u202e😀'.repeat(3);
    const agent = `\u00e9\t${'x'.repeat(300)}`;
    const statuses = [];
    for (const username of [hostile, 'x\0y', '\ud800'])
      statuses.push(
        (
          await app.inject({
            method: 'POST',
            url: '/admin/auth/login',
            headers: { 'content-type': 'application/json', 'user-agent': agent, 'x-request-id': '<b>' },
            payload: JSON.stringify({ ...credentials, username }),
          })
        ).statusCode,
      );
    const kept = await fresh();
    expect(kept).toHaveLength(3);
    expect(statuses.every((status) => status === 400 || status === 401)).toBe(true);
    for (const { extra } of kept) {
      expect(extra.userAgent?.length).toBeLessThanOrEqual(256);
      expect(extra.requestId).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(JSON.stringify(kept.map(({ parameters }) => parameters))).not.toMatch(/[\p{Cc}\p{Zl}\p{Bidi_Control}]/u);
  });

  it('AT-21 AU-07 no record contains a password, token or hash', async () => {
    const all = JSON.stringify(await rows());
    for (const secret of [headers.authorization.slice(7), credentials.password, '$2b$', 'hunter2', 'Bearer ey'])
      expect(all).not.toContain(secret);
  });

  describe('search and export', () => {
    const search = async (query: string) => (await call({ url: `/admin/audit-records${query}` })).json();

    it('AUD-5 HTTP-1 finds records by time, actor, action, address, outcome and request id, newest first', async () => {
      const marked = { ...headers, 'x-forwarded-for': '203.0.113.99', 'x-request-id': 'find-me-00000001' };
      await call({ url: '/admin/roles', headers: marked });
      const [kept] = await fresh();
      const at = kept!.occurredAt.getTime();
      for (const query of [
        '?requestId=find-me-00000001',
        '?ip=203.0.113.99',
        '?ip=%3A%3Affff%3A203.0.113.99',
        '?network=203.0.113.96%2F29',
        `?from=${at}&to=${at + 1}&action=role.read&outcome=success&actor=${kept?.actor}&ip=203.0.113.99`,
        `?from=${encodeURIComponent(new Date(at).toISOString())}&ip=203.0.113.99`,
        '?actionPrefix=role.&reads=true&ip=203.0.113.99',
        '?action=role.update,%20role.read&ip=203.0.113.99',
      ]) {
        const found = await search(query);
        expect([query, found.page?.total]).toEqual([query, 1]);
        expect(found.data[0]).toMatchObject({ id: kept?.id, occurredAt: at, action: 'role.read' });
        expect(found.data[0]).not.toHaveProperty('mac');
      }
      for (const query of [`?to=${at}`, '?reads=false', '?actionPrefix=ole.'])
        expect((await search(`${query}&ip=203.0.113.99`)).page.total, query).toBe(0);
      const { data, page } = await search('?page=1&size=5');
      expect(page).toMatchObject({ number: 1, size: 5 });
      expect(data.map(({ id }: { id: string }) => id)).toEqual(
        (await rows())
          .slice(-6, -1)
          .reverse()
          .map(({ id }) => id),
      );
    });

    it.each([
      '?outcome=maybe',
      '?ip=nowhere',
      '?network=203.0.113.0%2F33',
      '?from=yesterday',
      '?size=201',
      '?colour=red',
      '?from=-1',
    ])('AUD-5 HTTP-4 refuses %s', async (query) => {
      expect(await search(query)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    });

    it('HTTP-2 says once, and in both forms, what a time has to be', async () => {
      const { errors } = (await call({ url: '/admin/audit-records?from=2026-11-23' })).json();
      expect(errors).toEqual([{ pointer: '/from', detail: expect.stringMatching(/milliseconds.*with a zone/) }]);
    });

    it('AUD-5 exports all records as NDJSON and as CSV, and records both exports', async () => {
      const expected = await rows();
      const ndjson = await call({ url: '/admin/audit-records/export?format=ndjson' });
      expect(ndjson.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="audit-records.ndjson"',
      });
      const lines = ndjson.body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      // Its own record was committed before its first byte.
      expect(lines.slice(0, -1).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      expect(lines.at(-1)).toMatchObject({ action: 'audit-record.export', outcome: 'success' });
      const csv = await call({ url: '/admin/audit-records/export?format=csv&action=audit-record.export' });
      const [header, ...cells] = csv.body.trimEnd().split('\r\n');
      expect(header).toBe(
        '"id","occurredAt","actor","action","target","outcome","reason","durationMillis","clientIp","requestId","terminal","method","path","userAgent","exception","parameters","actorName"',
      );
      expect(cells).toHaveLength(2);
      expect((await fresh()).map(({ action }) => action)).toEqual(['audit-record.export', 'audit-record.export']);
    });

    it('AUD-5 a CSV export has a byte-order mark and semicolons if they are asked for', async () => {
      const exported = (query: string) =>
        call({ url: `/admin/audit-records/export?action=audit-record.export${query}` });
      const plain = await exported('&format=csv');
      expect(plain.rawPayload.toString('latin1', 0, 17)).toBe('"id","occurredAt"');
      expect(plain.body).toBe(
        (await exported('&format=csv&bom=false&separator=comma')).body.slice(0, plain.body.length),
      );
      const marked = await exported('&format=csv&bom=true&separator=semicolon');
      expect(marked.rawPayload.toString('latin1', 0, 20)).toBe('\xef\xbb\xbf"id";"occurredAt"');
      expect(marked.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
      const [header = '', first = ''] = marked.body.split('\r\n');
      expect(header.split('";"')).toHaveLength(17);
      expect(first).toMatch(/^"[^"]+";"\d{4}-[^"]+";"admin:[^"]+";"audit-record.export";;"success";;\d+;"/);
    });

    it.each([
      ['&format=csv&bom=maybe', '/bom'],
      ['&format=csv&separator=%3B', '/separator'],
      ['&format=ndjson&bom=true', '/bom'],
      ['&format=ndjson&separator=comma', '/separator'],
    ])('AUD-5 HTTP-4 an export with %s is refused', async (query, pointer) => {
      const refused = await call({ url: `/admin/audit-records/export?action=audit-record.export${query}` });
      expect(refused.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
      expect(JSON.stringify(refused.json().errors)).toContain(pointer);
    });

    it.each(['=1+2', '+1', '-1', '@SUM(A1)', '  =1', '＝1'])(
      'AUD-5 a cell that begins like %j is not a formula in a spreadsheet',
      async (text) => {
        await signIn(app, { ...credentials, username: `${text}","x` });
        const csv = await call({ url: '/admin/audit-records/export?format=csv' });
        expect(csv.body).toContain(`,"'${text}"",""x",`);
        expect(csv.body.includes(`,"${text}`)).toBe(false);
      },
    );

    it('AUD-5 TOK-8 search and export each need their permission, and refusals are recorded', async () => {
      const poor = await signedIn(['api:admin:audit-records:list']);
      seen = (await rows()).length;
      expect((await app.inject({ url: '/admin/audit-records', headers: poor })).statusCode).toBe(200);
      const refused = await app.inject({ url: '/admin/audit-records/export?format=csv', headers: poor });
      expect(refused.statusCode).toBe(403);
      expect((await fresh()).map(({ action, reason }) => [action, reason])).toEqual([
        ['audit-record.read', null],
        ['audit-record.export', 'PERMISSION_DENIED'],
      ]);
    });
  });
});

describe('without the table of records', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());

  it('AU-09 AUD-4 AUD-8 a change is acknowledged with its committed record only, and others are 503; then the server recovers', async () => {
    const app = await bench.app({
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    });
    const headers = await bearer(app);
    const { orm } = bench.database;
    await orm.execute(sql`alter table audit_records rename to audit_records_away`);
    // The record is committed with the change, in the table of pending records.
    const change = { method: 'PUT', url: '/admin/profile', payload: { displayName: 'B' }, headers } as const;
    expect((await app.inject(change)).statusCode).toBe(200);
    const request = sealed(app, { ...change, payload: { displayName: 'C' } });
    const response = await app.inject(request.options);
    expect(response.statusCode).toBe(503);
    expect(request.open(response)).toMatchObject({
      status: 503,
      code: 'AUDIT_UNAVAILABLE',
      clientAction: 'check-then-retry',
      requestId: expect.any(String),
    });
    // The sink is known to be unavailable: requests are refused before they begin, wrong and right sign-ins alike.
    const plain = await app.inject({ ...change, payload: { displayName: 'C' } });
    expect(plain.statusCode).toBe(503);
    expect(plain.headers['content-type']).toContain('application/problem+json');
    expect(plain.json()).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    const [account] = await orm.select().from(administrators);
    expect(account?.displayName).toBe('B');
    expect((await signIn(app, { ...credentials, password: 'wrong' })).statusCode).toBe(503);
    await orm.execute(sql`alter table audit_records_away rename to audit_records`);
    await expect
      .poll(async () => (await app.inject({ url: '/admin/profile', headers })).statusCode, { timeout: 10_000 })
      .toBe(200);
    const search = '/admin/audit-records?action=profile.update&outcome=success';
    await expect
      .poll(async () => (await app.inject({ url: search, headers })).json().page?.total, { timeout: 10_000 })
      .toBe(1);
  });
});
