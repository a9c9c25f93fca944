import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { lacks } from '../../../../../scripts/test-needs.js';
import { callEveryOperation } from '../../../../api-client/test/every-operation.js';
import { type App, buildApp } from '../../../src/app.js';
import { type Actor, actor, roomyConfig, root } from '../../support/accounts.js';

const redisUrl = inject('redisUrl') as string;

/** The lock of changes of access rights, as pg_locks shows it ('SPAC'). */
const ACCESS_LOCK = 0x53504143;

describe.skipIf(lacks('redis'))('permissions that nodes keep', () => {
  const keyPrefix = `t-${randomBytes(6).toString('hex')}:`;
  let database: TestDatabase;
  let folder: string;
  let nodes: readonly [App, App];
  let admin: Actor;
  let redis: Redis;
  let sql: Sql;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-grants-'));
    const config = { ...roomyConfig(database.url, folder), 'redis-url': redisUrl, 'redis-key-prefix': keyPrefix };
    nodes = [await buildApp(config), await buildApp(config)];
    admin = await root(nodes[0]);
    redis = new Redis(redisUrl);
    sql = postgres(database.url, { max: 1, onnotice() {} });
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    redis.disconnect();
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const version = async () => (await redis.get(`${keyPrefix}auth-tokens:permissions-version`)) ?? '';
  const list = (who: Actor, node: App) => node.inject({ url: '/admin/payments', headers: who.headers });

  /** Until the node answers by what it keeps. */
  async function keep(who: Actor, node: App): Promise<void> {
    await vi.waitFor(
      async () => {
        await list(who, node);
        expect(await version()).toMatch(/^settled:/);
      },
      { timeout: 20_000 },
    );
    await list(who, node);
  }

  it('TOK-6 a change on one node takes effect on the next request at the other, which kept the permissions', async () => {
    const [here, there] = nodes;
    const who = await actor(here, admin, ['api:admin:payments:list']);
    const changes = [
      { url: `/admin/roles/${who.roleId}`, taken: { permissions: [] }, given: { permissions: ['api:admin:*'] } },
      { url: `/admin/administrators/${who.id}`, taken: { roleIds: [] }, given: { roleIds: [who.roleId] } },
    ];
    for (const { url, taken, given } of changes) {
      await keep(who, there);
      expect((await list(who, there)).statusCode).toBe(200);
      expect((await admin.call('PUT', url, taken)).statusCode).toBe(200);
      expect((await list(who, there)).json()).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      await keep(who, there);
      expect((await list(who, there)).statusCode).toBe(403);
      expect((await admin.call('PUT', url, given)).statusCode).toBe(200);
      expect((await list(who, there)).statusCode).toBe(200);
    }
  });

  it('TOK-6 of requests that never stop, none that began after the answer to a withdrawal is served', async () => {
    const [here, there] = nodes;
    const who = await actor(here, admin, ['api:admin:payments:list']);
    const url = `/admin/roles/${who.roleId}`;
    let withdrawnAt: number | null = null;
    let isOver = false;
    let wrong = 0;
    const served = { withheld: 0, granted: 0 };
    async function ask(node: App): Promise<void> {
      while (!isOver) {
        const before = withdrawnAt;
        const { statusCode } = await list(who, node);
        if (before !== null && before === withdrawnAt && statusCode !== 403) wrong += 1;
        if (statusCode === 403) served.withheld += 1;
        if (statusCode === 200) served.granted += 1;
      }
    }
    const asking = [here, there, there].map(ask);
    onTestFinished(() => {
      isOver = true;
    });
    for (let round = 0; round < 12; round += 1) {
      expect((await admin.call('PUT', url, { permissions: [] })).statusCode).toBe(200);
      withdrawnAt = round;
      await new Promise((resolve) => setTimeout(resolve, round % 3 === 0 ? 1200 : 60));
      withdrawnAt = null;
      expect((await admin.call('PUT', url, { permissions: ['api:admin:payments:list'] })).statusCode).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, round % 3 === 1 ? 1200 : 60));
    }
    isOver = true;
    await Promise.all(asking);
    expect(wrong).toBe(0);
    expect(served.withheld).toBeGreaterThan(10);
    expect(served.granted).toBeGreaterThan(10);
  });

  it('TOK-6 every operation that changes what permissions are read from holds the lock of their announcement', async () => {
    await sql.unsafe(`
      create schema watch;
      create table watch.changes (source text, is_locked boolean);
      create function watch.note() returns trigger language plpgsql as $$
      begin
        insert into watch.changes values (tg_table_name || ' ' || tg_op, exists (
          select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and mode = 'ExclusiveLock'
            and granted and classid = 0 and objid = ${ACCESS_LOCK}
        ));
        return null;
      end $$;
      create trigger watched after insert or update or delete on administrator_roles
        for each row execute function watch.note();
      create trigger watched after delete on administrators for each row execute function watch.note();
      create trigger watched_disabling after update on administrators
        for each row when (old.disabled is distinct from new.disabled) execute function watch.note();
      create trigger watched after delete on roles for each row execute function watch.note();
      create trigger watched_permissions after update on roles
        for each row when (old.permissions is distinct from new.permissions) execute function watch.note();
    `);
    const address = await nodes[0].listen({ port: 0, host: '127.0.0.1' });
    await callEveryOperation(address, '+8613800138002');
    // The calls of every operation change no permissions, and disable nobody.
    const who = await actor(nodes[0], admin, ['api:admin:payments:list']);
    await admin.call('PUT', `/admin/roles/${who.roleId}`, { permissions: [] });
    await admin.call('PUT', `/admin/administrators/${who.id}`, { disabled: true });
    const changes = await sql`select source, bool_and(is_locked) as "isLocked" from watch.changes group by source`;
    expect(changes.every(({ isLocked }) => isLocked)).toBe(true);
    expect(changes.map(({ source }) => source).sort()).toEqual([
      'administrator_roles DELETE',
      'administrator_roles INSERT',
      'administrators DELETE',
      'administrators UPDATE',
      'roles DELETE',
      'roles UPDATE',
    ]);
  });
});
