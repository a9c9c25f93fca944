import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresAuditSink } from '@sallyport/audit-log/postgres';
import { createPasswordHashing } from '@sallyport/password-hashing';
import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { type App, buildApp } from '../../src/app.js';
import { runAuditCommand } from '../../src/commands/audit-command.js';
import { readConfig } from '../../src/config/config.js';
import { generateAccount } from '../../src/modules/administrators/index.js';
import { auditChain } from '../../src/modules/audit-records/index.js';
import { advisoryLockKey } from '../../src/storage/advisory-lock.js';
import { createChanges } from '../../src/storage/changes.js';
import { openDatabase } from '../../src/storage/resources.js';
import { codeFor, freshMobile, outboxOf, sendSmsCode } from '../support/app-accounts.js';
import { bearer } from '../support/test-app.js';

const SCHEMAS = ['public', 'orders', 'Billing'] as const;
type Schema = (typeof SCHEMAS)[number];

// The servers have everything else in common: the address of the database, the keys and the folder.
describe('servers in different schemas of one PostgreSQL database', { timeout: 60_000 }, () => {
  let database: TestDatabase;
  let owner: postgres.Sql;
  let folder: string;
  let environment: Record<string, string>;
  const apps = {} as Record<Schema, App>;
  const headers = {} as Record<Schema, { authorization: string }>;
  const environmentOf = (schema: Schema) => ({
    ...environment,
    SERVICE_DATABASE_SCHEMA: schema,
    SERVICE_DATABASE_SCHEMA_IS_NEW: 'true',
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-schemas-'));
    database = await createTestDatabase();
    owner = database.connect({ max: 2 }).$client;
    environment = {
      SERVICE_PROFILE: 'development',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_AUDIT_CHAIN_KEY: `test:${randomBytes(32).toString('hex')}`,
      SERVICE_DATABASE_URL: database.url,
      SERVICE_DATA_DIR: folder,
    };
    for (const schema of SCHEMAS) {
      apps[schema] = await buildApp(readConfig(environmentOf(schema)));
      headers[schema] = await bearer(apps[schema]);
    }
  }, 60_000);
  afterAll(async () => {
    await Promise.all(Object.values(apps).map((app) => app.close()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function countIn(schema: string, table: string): Promise<number> {
    const [row] = await owner`select count(*)::int as count from ${owner(schema)}.${owner(table)}`;
    return row?.count;
  }

  const call = (schema: Schema, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, more: object = {}) =>
    apps[schema].inject({
      method,
      url,
      headers: { ...headers[schema], ...more },
      ...(payload !== undefined && { payload }),
    });

  it('OPS-11 a token of one server is worth nothing at another with the same key', async () => {
    for (const schema of SCHEMAS) {
      const statuses = await Promise.all(
        SCHEMAS.map(async (other) => {
          const answer = await apps[other].inject({ url: '/admin/profile', headers: headers[schema] });
          return answer.statusCode;
        }),
      );
      expect(statuses).toEqual(SCHEMAS.map((other) => (other === schema ? 200 : 401)));
    }
  });

  it('OPS-11 rows, idempotency keys and audit records stay in the schema of their server', async () => {
    const key = randomUUID();
    const payments = await Promise.all(
      SCHEMAS.map((schema) =>
        call(schema, 'POST', '/admin/payments', { payee: schema, amount: '12.50' }, { 'idempotency-key': key }),
      ),
    );
    expect(payments.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
    for (const schema of SCHEMAS) {
      expect(await owner`select payee from ${owner(schema)}.payments`).toEqual([{ payee: schema }]);
      expect(await countIn(schema, 'idempotency_records')).toBe(1);
      const actions =
        await owner`select count(*)::int as count from ${owner(schema)}.audit_records where action like 'payment%'`;
      expect(actions).toEqual([{ count: 1 }]);
    }
  });

  it('OPS-11 a change of a parameter takes effect at its own server only, and no other is woken', async () => {
    const channels = await owner<{ query: string }[]>`
      select distinct query from pg_stat_activity
      where datname = current_database() and query ilike 'listen "system_parameters%'`;
    expect(channels).toHaveLength(SCHEMAS.length);
    const url = '/admin/system-parameters/admin.auth.captcha.enabled';
    const { version } = (await call('orders', 'GET', url)).json().data;
    expect((await call('orders', 'PUT', url, { value: true, version })).statusCode).toBe(200);
    const valueAt = async (schema: Schema) => (await call(schema, 'GET', url)).json().data.value;
    expect(await Promise.all(SCHEMAS.map(valueAt))).toEqual([false, true, false]);
    await call('orders', 'PUT', url, { value: false, version: version + 1 });
  });

  it('OPS-11 a message is queued, sent and shown by its own server only', async () => {
    const mobile = freshMobile();
    await codeFor(apps.orders, mobile);
    expect(await outboxOf(apps.public, mobile)).toEqual([]);
    expect(await outboxOf(apps.Billing, mobile)).toEqual([]);
    expect(await countIn('orders', 'job')).toBe(1);
    expect(await countIn('Billing', 'job')).toBe(0);
    expect(await countIn('bullmq', 'job')).toBe(0);
    // The limits of one server are not those of another.
    expect((await sendSmsCode(apps.Billing, mobile)).statusCode).toBe(202);
    await vi.waitFor(async () => expect(await outboxOf(apps.Billing, mobile)).toHaveLength(1), { timeout: 20_000 });
    const queues = await owner`select queue from orders.job union select queue from "Billing".job`;
    expect(new Set(queues.map(({ queue }) => queue)).size).toBe(2);
  });

  it('OPS-11 an advisory lock of one server does not hold up another', async () => {
    const held = database.connect({ max: 1, connection: { search_path: 'orders' } });
    const lock = advisoryLockKey(0x53504143);
    const create = (schema: Schema, name: string) => call(schema, 'POST', '/admin/roles', { name, permissions: [] });
    await held.transaction(async (transaction) => {
      await transaction.execute(sql`select pg_advisory_xact_lock(${lock})`);
      expect((await create('Billing', 'clerk')).statusCode).toBe(201);
      expect((await create('public', 'clerk')).statusCode).toBe(201);
      expect((await create('orders', 'clerk')).statusCode).toBe(503);
    });
    const keyIn = async (schema: string) => {
      const orm = database.connect({ max: 1, connection: { search_path: `"${schema}"` } });
      const [row] = await orm.execute<{ key: string }>(sql`select (${lock})::text as key`);
      return BigInt(row!.key);
    };
    const keys = await Promise.all(SCHEMAS.map(keyIn));
    expect(new Set(keys).size).toBe(SCHEMAS.length);
    // The key of releases that knew no other schema: during an upgrade, both exclude each other.
    expect(keys[0]).toBe(0x53504143n);
  });

  it('OPS-11 the commands work on the schema of the server that they are started for', async () => {
    const passwords = createPasswordHashing({ cost: 4, threads: 1 });
    const config = readConfig(environmentOf('orders'));
    const opened = await openDatabase(config);
    const sink = createPostgresAuditSink({ ...(await auditChain(config, opened)) });
    await generateAccount(
      createChanges(opened, sink, () => {}),
      passwords,
      'of-orders',
    );
    await sink.close();
    await opened.close();
    await passwords.close();
    expect(await Promise.all(SCHEMAS.map((schema) => countIn(schema, 'administrators')))).toEqual([1, 2, 1]);

    for (const schema of SCHEMAS) {
      let output = '';
      const status = await runAuditCommand({
        argv: ['verify'],
        env: environmentOf(schema),
        now: Date.now,
        openDatabase,
        write: (text) => {
          output += text;
        },
        writeError: (text) => {
          output += text;
        },
      });
      const rows = await countIn(schema, 'audit_records');
      expect([status, output]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^The audit log is intact: ${rows} rows`)),
      ]);
    }
  });

  it('OPS-11 outside of its schema a server has created nothing', async () => {
    const there = await owner<{ schema: string }[]>`
      select distinct nspname as schema from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`;
    expect(there.map(({ schema }) => schema).sort()).toEqual(['Billing', 'bullmq', 'orders', 'public']);
    const inPublic = await owner<
      { name: string }[]
    >`select tablename as name from pg_tables where schemaname = 'public'`;
    expect(inPublic.map(({ name }) => name)).not.toContain('job');
  });
});
