import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleProcess, startExample } from '../../../scripts/example-process.js';

describe('NestJS on Fastify', { timeout: 90_000 }, () => {
  let folder: string;
  let server: ExampleProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nest-app-'));
    server = await startExample('nest-app', { AUDIT_FILE: join(folder, 'audit.ndjson') });
  }, 90_000);
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function call(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
    const response = await fetch(server.origin + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }
  async function signIn() {
    const { body } = await call('POST', '/login', {}, { username: 'ada', password: 'correct horse' });
    return { authorization: `Bearer ${body.token}` };
  }

  it('EXM-1 TOK-2 refuses a request without a token, with the code, and an unknown path as well', async () => {
    for (const path of ['/orders', '/audit-records', '/unknown']) {
      const { status, headers, body } = await call('GET', path);
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'TOKEN_MISSING' });
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
    for (const body of [{ username: 'ada', password: 'wrong' }, { username: 'eve', password: 'correct horse' }, {}]) {
      expect((await call('POST', '/login', {}, body)).status).toBe(401);
    }
    expect((await call('GET', '/unknown', await signIn())).status).toBe(404);
  });

  it('EXM-1 IDM-1 serves with a token, and runs a write once under a key', async () => {
    const token = await signIn();
    expect(await call('POST', '/orders', token, { item: 'Tea' })).toMatchObject({
      status: 400,
      body: { code: 'IDEMPOTENCY_KEY_REQUIRED' },
    });
    const key = { 'idempotency-key': randomUUID() };
    const order = () => call('POST', '/orders', { ...token, ...key }, { item: 'Tea' });
    expect(await order()).toMatchObject({ status: 201, body: { data: { id: 1, item: 'Tea' } } });
    expect(await order()).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_SUBMITTED' } });
    expect((await call('GET', '/orders', token)).body).toEqual({ data: [{ id: 1, item: 'Tea' }] });
  });

  it('EXM-1 TOK-3 logout ends the token at once', async () => {
    const token = await signIn();
    expect((await call('GET', '/orders', token)).status).toBe(200);
    expect((await call('POST', '/logout', token)).status).toBe(204);
    expect(await call('GET', '/orders', token)).toMatchObject({ status: 401, body: { code: 'SESSION_REVOKED' } });
  });

  it('EXM-1 AUD-1 each of these has its audit record, without the password', async () => {
    await call('GET', '/orders');
    await call('POST', '/login', {}, { username: 'ada', password: 'not correct' });
    const ended = await signIn();
    const keyed = { ...ended, 'idempotency-key': randomUUID() };
    for (const headers of [ended, keyed, keyed]) await call('POST', '/orders', headers, { item: 'Coffee' });
    await call('POST', '/logout', ended);
    await call('GET', '/orders', ended);

    const { body } = await call('GET', '/audit-records', await signIn());
    const seen = (body.data as { record: Record<string, unknown> | null }[]).map(({ record }) => record);
    const has = (action: string, outcome: string, reason: string | null, actor: string | null) =>
      expect(seen).toContainEqual(expect.objectContaining({ action, outcome, reason, actor }));
    has('order.read', 'refused', 'TOKEN_MISSING', null);
    has('session.begin', 'refused', null, null);
    has('session.begin', 'success', null, null);
    has('order.create', 'refused', 'IDEMPOTENCY_KEY_REQUIRED', 'admin:ada');
    has('order.create', 'success', null, 'admin:ada');
    has('order.create', 'refused', 'IDEMPOTENCY_SUBMITTED', 'admin:ada');
    has('session.end', 'success', null, 'admin:ada');
    has('order.read', 'refused', 'SESSION_REVOKED', null);
    expect(JSON.stringify(body)).not.toMatch(/correct/);
  });
});
