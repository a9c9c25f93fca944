import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { type App, buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { roomy } from '../support/accounts.js';
import { bearer } from '../support/test-app.js';

const RENT = { payee: 'Ada Lovelace', amount: '12.50' };

/** How long a running write may take to end on a busy machine, in milliseconds. */
const PATIENCE = { timeout: 15_000, interval: 50 };

describe('idempotent writes on two nodes with one PostgreSQL', () => {
  let database: TestDatabase;
  let folder: string;
  let sql: postgres.Sql;
  let nodes: App[];
  let headers: { authorization: string };
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-idempotent-'));
    sql = database.connect().$client;
    const config = readConfig({
      SERVICE_PROFILE: 'development',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_DATA_DIR: folder,
      SERVICE_DATABASE_URL: database.url,
      ...roomy,
    });
    nodes = await Promise.all([buildApp(config), buildApp(config)]);
    headers = await bearer(nodes[0]!);
  });
  beforeEach(() => sql`delete from payments`);
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.close()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const paymentCount = async () => Number((await sql`select count(*) as n from payments`)[0]!.n);
  /** How many transactions wait for the table. */
  async function waitingForPayments(): Promise<number> {
    const [row] = await sql`select count(*) as n from pg_locks where relation = 'payments'::regclass and not granted`;
    return Number(row!.n);
  }
  function pay(key: string, node: App = nodes[0]!, payload: object = RENT) {
    const all = { ...headers, 'idempotency-key': key };
    return node.inject({ method: 'POST', url: '/admin/payments', headers: all, payload });
  }
  const codeOf = async (answer: ReturnType<typeof pay>) => {
    const { statusCode, ...rest } = await answer;
    return `${statusCode} ${(rest.body === '' ? {} : JSON.parse(rest.body)).code ?? ''}`.trim();
  };

  it('REL-4 IDM-3 IDM-7 ID-02 ID-03 exactly one of 50 parallel copies over both nodes makes a payment; each gets a definite answer', async () => {
    for (let round = 1; round <= 4; round += 1) {
      const key = randomUUID();
      const codes = await Promise.all(Array.from({ length: 50 }, (_, i) => codeOf(pay(key, nodes[i % 2]))));
      const others = codes.filter((code) => code !== '201');
      expect(others.length).toBeGreaterThanOrEqual(49);
      // A busy machine may refuse a copy whose lookup timed out.
      for (const code of others) {
        expect(code).toMatch(/^(409 IDEMPOTENCY_(PROCESSING|SUBMITTED)|503 [A-Z]+(_[A-Z]+)*_UNAVAILABLE)$/);
      }
      await expect.poll(() => codeOf(pay(key)), PATIENCE).toBe('409 IDEMPOTENCY_SUBMITTED');
      expect(await paymentCount()).toBe(round);
    }
  });

  it('IDM-2 ID-12 REL-4 fifty parallel writes with different keys all make their payment', async () => {
    const codes = await Promise.all(Array.from({ length: 50 }, (_, i) => codeOf(pay(randomUUID(), nodes[i % 2]))));
    const made = codes.filter((code) => code === '201').length;
    await expect.poll(paymentCount, PATIENCE).toBeGreaterThanOrEqual(made);
    expect(codes.filter((code) => code !== '201' && !code.startsWith('503'))).toEqual([]);
    expect(made).toBeGreaterThan(0);
  });

  it('IDM-3 IDM-6 ID-04 ID-29 while the first request runs a copy must wait, other content is refused, and the first gets its answer', async () => {
    const key = randomUUID();
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`lock table payments in access exclusive mode`;
    const first = pay(key);
    await expect.poll(waitingForPayments, { ...PATIENCE, interval: 5 }).toBe(1);
    const [copy, other, asked] = await Promise.all([
      pay(key, nodes[1]),
      pay(key, nodes[1], { ...RENT, amount: '99' }),
      nodes[1]!.inject({ url: `/idempotency/${key}`, headers }),
    ]);
    await holder`commit`;
    holder.release();
    expect(copy.json()).toMatchObject({ status: 409, code: 'IDEMPOTENCY_PROCESSING', clientAction: 'wait-then-retry' });
    expect(Number(copy.headers['retry-after'])).toBeGreaterThan(0);
    expect(other.json()).toMatchObject({ status: 422, code: 'IDEMPOTENCY_DIGEST_MISMATCH' });
    expect(asked.json()).toMatchObject({ data: { state: 'PROCESSING' } });
    expect((await first).statusCode).toBe(201);
    expect(await codeOf(pay(key, nodes[1]))).toBe('409 IDEMPOTENCY_SUBMITTED');
    expect(await paymentCount()).toBe(1);
  });

  it('IDM-6 IDM-7 a write that was refused after its timeout has no later effect, although the database continues it; the same key makes one payment', async () => {
    const key = randomUUID();
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`lock table payments in access exclusive mode`;
    // The first gives up after its limit; the second, under the same key, then waits for the same table.
    expect(await codeOf(pay(key))).toBe('503 DATABASE_UNAVAILABLE');
    const second = codeOf(pay(key, nodes[1]));
    await expect.poll(() => waitingForPayments(), PATIENCE).toBeGreaterThanOrEqual(1);
    await holder`commit`;
    holder.release();
    expect(await second).toMatch(/^(201|503 DATABASE_UNAVAILABLE)$/);
    await expect.poll(() => codeOf(pay(key)), PATIENCE).toMatch(/^(201|409 IDEMPOTENCY_SUBMITTED)$/);
    expect(await codeOf(pay(key, nodes[1]))).toBe('409 IDEMPOTENCY_SUBMITTED');
    // No waiting transaction is left.
    const isOpen = async () =>
      (await sql`select 1 from pg_stat_activity where datname = current_database() and state like '%in transaction%'`)
        .length;
    await expect.poll(isOpen, PATIENCE).toBe(0);
    expect(await paymentCount()).toBe(1);
  });

  it('ID-23 IDM-3 a client that disconnects after sending, and retries twenty times, makes one payment', async () => {
    const key = randomUUID();
    const address = new URL(await nodes[0]!.listen({ host: '127.0.0.1', port: 0 }));
    const body = JSON.stringify(RENT);
    for (let i = 0; i < 20; i += 1) {
      const request = httpRequest({
        host: address.hostname,
        port: address.port,
        path: '/admin/payments',
        method: 'POST',
        agent: false,
        headers: { ...headers, 'idempotency-key': key, 'content-type': 'application/json' },
      });
      request.on('error', () => {});
      request.end(body);
      await once(request, 'finish');
      if (i > 0) await new Promise((resolve) => setImmediate(resolve));
      request.destroy();
    }
    await expect.poll(() => codeOf(pay(key)), PATIENCE).toMatch(/^(201|409 IDEMPOTENCY_SUBMITTED)$/);
    expect(await codeOf(pay(key, nodes[1]))).toBe('409 IDEMPOTENCY_SUBMITTED');
    expect(await paymentCount()).toBe(1);
  });

  it('IDM-7 roles and parameters commit with their record on PostgreSQL too', async () => {
    const url = '/admin/system-parameters/admin.auth.password.max-length';
    const { version } = (await nodes[0]!.inject({ url, headers })).json().data;
    const writes = [
      { method: 'POST', url: '/admin/roles', payload: { name: 'Clerks', permissions: [] } },
      { method: 'PUT', url, payload: { value: 40, version } },
    ] as const;
    for (const write of writes) {
      const keyed = { ...write, headers: { ...headers, 'idempotency-key': randomUUID() } };
      const answers = await Promise.all(nodes.map((node) => node.inject(keyed)));
      expect(answers.filter(({ statusCode }) => statusCode < 300)).toHaveLength(1);
      const retry = await nodes[1]!.inject(keyed);
      expect(retry.json()).toMatchObject({ status: 409, code: 'IDEMPOTENCY_SUBMITTED' });
    }
    // The other node receives the change within 2 s (SYS-3).
    for (const node of nodes) {
      const shown = async () => (await node.inject({ url, headers })).json().data;
      await expect.poll(shown, PATIENCE).toMatchObject({ value: 40, version: version + 1 });
    }
  });
});
