import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { type App, buildApp } from '../../../src/app.js';
import { readConfig } from '../../../src/config/config.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { endings, senderOf } from '../../support/held-requests.js';

/** Twice as many as the node has connections that can write. */
const HELD = 12;

/** How many changes of an account run and wait at a node. */
const MAX_OF_ACCOUNT = 67;

/** One node on PostgreSQL alone: its sessions are in the tables, which the same connections read. */
describe('changes that hold what a node has to write with', () => {
  let database: TestDatabase;
  let locker: ReturnType<TestDatabase['connect']>;
  let folder: string;
  let node: App;
  let admin: Actor;
  beforeAll(async () => {
    database = await createTestDatabase();
    locker = database.connect({ max: 2 });
    folder = await mkdtemp(join(tmpdir(), 'sallyport-held-pools-'));
    node = await buildApp(
      readConfig({
        ...roomy,
        SERVICE_PROFILE: 'development',
        SERVICE_LOG_LEVEL: 'silent',
        SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
        SERVICE_DATA_DIR: folder,
        SERVICE_DATABASE_URL: database.url,
      }),
    );
    admin = await root(node);
  });
  afterAll(async () => {
    await node.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const pay = ({ headers }: Pick<Actor, 'headers'>) =>
    node
      .inject({
        method: 'POST',
        url: '/admin/payments',
        headers: { ...headers, 'idempotency-key': randomUUID() },
        payload: { payee: 'late', amount: '12.50' },
      })
      .then();
  const rename = ({ headers }: Pick<Actor, 'headers'>) =>
    node.inject({ method: 'PUT', url: '/admin/profile', headers, payload: { displayName: 'renamed' } });
  const count = async (statement: ReturnType<typeof sql>) =>
    (await rowsOf<{ count: number }>(locker, sql`select count(*)::int as count from ${statement}`))[0]!.count;
  // Other test files hold locks in their databases.
  const waiting = sql`pg_locks join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and not granted and relation is not null`;
  const untilHeld = () => vi.waitFor(async () => expect(await count(waiting)).toBeGreaterThan(2), { interval: 5 });

  /** Holds the payments of one account while something else is done. Resolves to their answers. */
  async function whileHeld(payer: Actor, held: number, work = async () => {}): Promise<LightMyRequestResponse[]> {
    const answers: Promise<LightMyRequestResponse>[] = [];
    await locker.transaction(async (transaction) => {
      await transaction.execute(sql`lock table payments in exclusive mode`);
      answers.push(...Array.from({ length: held }, () => pay(payer)));
      await untilHeld();
      await work();
    });
    return Promise.all(answers);
  }

  it.each(Object.keys(endings))('TOK-13 do not stop %s at the same node', async (way) => {
    const payer = await actor(node, admin, ['api:admin:payments:create']);
    const { headers } = payer;
    const before = await count(sql`payments`);
    const isLoss = way === 'the loss of all roles';
    const answers = await whileHeld(payer, HELD, async () => {
      const startedAt = performance.now();
      expect(await endings[way]!.end(admin, senderOf({ headers })!, node)).toBeLessThan(300);
      expect(performance.now() - startedAt).toBeLessThan(4000);
      const { statusCode } = await node.inject({ url: '/admin/profile', headers });
      expect(statusCode).toBe(isLoss ? 200 : 401);
    });
    // On a slow machine they have waited for too long.
    const refused = answers.filter(({ statusCode }) => [isLoss ? 403 : 401, 503].includes(statusCode));
    expect(refused).toHaveLength(HELD);
    expect(await count(sql`payments`)).toBe(before);
  });

  it('TOK-13 do not stop the changes of others', async () => {
    const payer = await actor(node, admin, ['api:admin:payments:create']);
    const other = await actor(node, admin, []);
    await whileHeld(payer, HELD, async () => {
      expect((await rename(other)).statusCode).toBe(200);
      expect((await rename(admin)).statusCode).toBe(200);
    });
  });

  it('TOK-13 are 64 that wait of one account, and one more is refused with 429', async () => {
    const payer = await actor(node, admin, ['api:admin:payments:create']);
    const answers = await whileHeld(payer, 2 * MAX_OF_ACCOUNT);
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.map((answer) => [answer.json().code, answer.headers['retry-after']])).toEqual(
      refused.map(() => ['RATE_LIMITED', '1']),
    );
  });

  it('TOK-13 that hold the lock of access changes lose it in time for a reset', async () => {
    const thief = await actor(node, admin, ['*']);
    const held: Promise<LightMyRequestResponse>[] = [];
    await locker.transaction(async (transaction) => {
      await transaction.execute(sql`lock table roles in share mode`);
      const change = () => thief.call('PUT', `/admin/roles/${thief.roleId}`, { permissions: ['*'] });
      held.push(...Array.from({ length: HELD }, change));
      await vi.waitFor(async () => expect(await count(waiting)).toBe(1));
      expect(await endings['the reset of the password']!.end(admin, senderOf(thief)!, node)).toBe(204);
    });
    const statuses = (await Promise.all(held)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
  });
});
