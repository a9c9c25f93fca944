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
import { insertEnds } from '../../../src/storage/session-ends.js';
import { type Actor, actor, roomy, root, token } from '../../support/accounts.js';
import { endings, senderOf } from '../../support/held-requests.js';

type Connection = ReturnType<TestDatabase['connect']>;

/** On PostgreSQL, where transactions run concurrently, with two nodes. */
describe('a change under way whose session the store does not show when it is ended', () => {
  let database: TestDatabase;
  let connection: Connection;
  let folder: string;
  let nodes: readonly [App, App];
  let admin: Actor;
  beforeAll(async () => {
    database = await createTestDatabase();
    connection = database.connect({ max: 1 });
    folder = await mkdtemp(join(tmpdir(), 'sallyport-unseen-ends-'));
    const config = readConfig({
      ...roomy,
      SERVICE_PROFILE: 'development',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_DATA_DIR: folder,
      SERVICE_DATABASE_URL: database.url,
    });
    nodes = [await buildApp(config), await buildApp(config)];
    admin = await root(nodes[1]);
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await connection.$client.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const permission = 'api:admin:payments:create';
  const paymentOf = ({ headers }: Pick<Actor, 'headers'>) => ({
    method: 'POST' as const,
    url: '/admin/payments',
    headers: { ...headers, 'idempotency-key': randomUUID() },
    payload: { payee: `payee-${randomUUID()}`, amount: '12.50' },
  });
  const untilWaiting = () =>
    vi.waitFor(
      async () => {
        const [found] = await connection.execute<{ count: number }>(sql`
          select count(*)::int as count from pg_locks join pg_database on pg_database.oid = pg_locks.database
          where datname = current_database() and not granted`);
        expect(found!.count).toBeGreaterThan(0);
      },
      { interval: 5 },
    );

  /** The answer to a payment that waits in its transaction until `work` is done. */
  async function whilePaying(payer: Actor, work: () => Promise<unknown>): Promise<LightMyRequestResponse> {
    const locker = database.connect({ max: 1 });
    let answer: Promise<LightMyRequestResponse> | undefined;
    try {
      await locker.transaction(async (transaction) => {
        await transaction.execute(sql`lock table payments in exclusive mode`);
        answer = nodes[0].inject(paymentOf(payer)).then();
        await untilWaiting();
        await work();
      });
    } finally {
      await locker.$client.end();
    }
    return (await answer)!;
  }

  const hidings: Readonly<Record<string, (payer: Actor) => Promise<unknown>>> = {
    'another end, which is not committed yet, has ended it': (payer) => {
      const { audience, subject } = senderOf(payer)!;
      return nodes[0].authTokens.revokeAll({ audience, subject }, 'PASSWORD_CHANGED', { write: async () => {} });
    },
    'the store is empty': ({ id }) =>
      connection.execute(sql`delete from ttl_entries where key like ${`%session:admin:${id}`}`),
  };
  const ways = ['the forced end of all sessions', 'the reset of the password', 'disabling', 'deletion'];
  const cases = Object.keys(hidings).flatMap((hiding) => ways.map((way) => [way, hiding] as const));

  it.each(cases)('TOK-13 TOK-15 does not commit once %s was acknowledged, though %s', async (way, hiding) => {
    const payer = await actor(nodes[1], admin, [permission]);
    const { statusCode } = await whilePaying(payer, async () => {
      await hidings[hiding]!(payer);
      expect(await endings[way]!.end(admin, senderOf(payer)!, nodes[1])).toBeLessThan(300);
    });
    const made = await connection.execute(sql`select 1 from payments where created_by = ${payer.id}`);
    expect([statusCode, made.length]).toEqual([401, 0]);
  });

  it('TOK-13 TOK-6 a session that is opened at once after the end of all pays', async () => {
    const payer = await actor(nodes[1], admin, [permission]);
    await hidings['the store is empty']!(payer);
    for (let round = 0; round < 3; round += 1) {
      await endings['the forced end of all sessions']!.end(admin, senderOf(payer)!, nodes[1]);
      const headers = await token(nodes[round % 2]!, payer.username);
      expect((await nodes[0].inject(paymentOf({ headers }))).statusCode).toBe(201);
    }
  });

  it('TOK-13 TOK-3 an end that was committed and not told to the store is finished by the first change', async () => {
    const payer = await actor(nodes[1], admin, [permission]);
    const { audience, subject, sessionId } = senderOf(payer)!;
    const end = { sessionId, reason: 'SESSION_REVOKED', expiresAt: 2e12 } as const;
    await connection.execute(insertEnds({ audience, subject }, [end]));
    const read = async () => (await nodes[0].inject({ url: '/admin/profile', headers: payer.headers })).statusCode;
    expect([await read(), (await nodes[0].inject(paymentOf(payer))).statusCode]).toEqual([200, 401]);
    await vi.waitFor(async () => expect(await read()).toBe(401), { interval: 5 });
  });

  it('TOK-13 TOK-7 does not commit once a further sign-in has ended its session', async () => {
    const payer = await actor(nodes[1], admin, [permission]);
    for (let count = 1; count < 20; count += 1) await token(nodes[1], payer.username);
    const answer = await whilePaying(payer, () => token(nodes[1], payer.username));
    expect(answer.json()).toMatchObject({ status: 401, code: 'SESSION_SUPERSEDED' });
  });
});
