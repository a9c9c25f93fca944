import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { type ServerProcess, startServer } from '../../faults/server-process.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import { OTHER_PASSWORD, PASSWORD } from '../support/accounts.js';

interface Thief {
  readonly id: string;
  readonly roleId: string;
  readonly token: string;
}

/** What a change of the thief holds when its node stops, by the table that it waits for. */
const changes = {
  'the lock of access changes': { table: 'roles', url: ({ roleId }: Thief) => `/admin/roles/${roleId}` },
  'the row of its account': { table: 'administrators', url: () => '/admin/profile' },
};

describe('a node that stops in the middle of a change', { timeout: 120_000 }, () => {
  let database: TestDatabase;
  let folder: string;
  let nodes: readonly [ServerProcess, ServerProcess];
  let root: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-stopped-node-'));
    const environment = {
      SERVICE_DATA_DIR: folder,
      SERVICE_STORAGE_DIR: join(folder, 'shared'),
      SERVICE_NODES: '2',
      SERVICE_DATABASE_URL: database.url,
      SERVICE_AUDIT_CHAIN_KEY: `k1:${randomBytes(32).toString('hex')}`,
    };
    nodes = [await startServer(environment), await startServer(environment)];
    root = String((await nodes[1].signIn()).body.data?.token);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function signedIn(): Promise<Thief> {
    const name = `thief-${randomBytes(6).toString('hex')}`;
    const by = { method: 'POST', token: root };
    const role = await nodes[1].call('/admin/roles', { ...by, body: { name, permissions: ['*'] } });
    const roleId = String(role.body.data?.id);
    const body = { username: name, password: PASSWORD, displayName: name, roleIds: [roleId] };
    const account = await nodes[1].call('/admin/administrators', { ...by, body });
    const { body: answer } = await nodes[0].signIn({ username: name, password: PASSWORD, terminal: 'web' });
    return { id: String(account.body.data?.id), roleId, token: String(answer.data?.token) };
  }

  // The nodes are new: the change of access is described first, and so is held where no timeout of PostgreSQL applies.
  it.each(Object.keys(changes))('TOK-13 holds %s too short to stop a reset at another node', async (held) => {
    const { table, url } = changes[held as keyof typeof changes];
    const thief = await signedIn();
    const look = database.connect({ max: 1 });
    const locker = database.connect({ max: 1 });
    const changed: ReturnType<ServerProcess['call']>[] = [];
    const body = table === 'roles' ? { name: `renamed ${thief.roleId}` } : { displayName: 'renamed' };
    const change = () => nodes[0].call(url(thief), { method: 'PUT', token: thief.token, body });
    // Its statement is described on every connection, so that it takes the row before the node goes on.
    if (table === 'administrators') for (let round = 0; round < 20; round += 1) await Promise.all([change(), change()]);
    await locker.transaction(async (transaction) => {
      await transaction.execute(sql`lock table ${sql.identifier(table)} in share mode`);
      changed.push(change());
      await vi.waitFor(
        async () => {
          const waiting = sql`select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
            where datname = current_database() and not granted and relation is not null`;
          expect(await rowsOf(look, waiting)).toHaveLength(1);
        },
        { interval: 5, timeout: 10_000 },
      );
      nodes[0].signal('SIGSTOP');
    });
    const startedAt = performance.now();
    const reset = await nodes[1].call(`/admin/administrators/${thief.id}/password`, {
      method: 'PUT',
      token: root,
      body: { password: OTHER_PASSWORD },
    });
    const millis = performance.now() - startedAt;
    const { status } = await nodes[1].call('/admin/profile', { token: thief.token });
    nodes[0].signal('SIGCONT');
    expect([reset.status, status]).toEqual([204, 401]);
    expect(millis).toBeLessThan(3000);
    expect([401, 503]).toContain((await changed[0])?.status);
  });
});
