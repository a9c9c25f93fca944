import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { FastifyRequest, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccessFence } from '../../../src/protection/access-fence.js';
import type { Database } from '../../../src/storage/database.js';
import { openPostgres } from '../../../src/storage/postgres.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { accessLocks, insertEnds } from '../../../src/storage/session-ends.js';
import { type Actor, actor, token } from '../../support/accounts.js';
import { endings, senderOf } from '../../support/held-requests.js';
import { MAY_PAY, type PayingNodes, startPayingNodes } from '../../support/paying-nodes.js';

describe('a change that has not committed when its session ends', () => {
  let started: PayingNodes;
  let opened: Database;
  let nodes: PayingNodes['nodes'];
  let admin: Actor;
  beforeAll(async () => {
    started = await startPayingNodes();
    ({ nodes, admin } = started);
    opened = await openPostgres(started.database.url);
  });
  afterAll(async () => {
    await opened?.close();
    await started?.close();
  });

  const newPayer = () => actor(nodes[1], admin, [MAY_PAY]);
  const countPayments = async () =>
    (await rowsOf<{ count: number }>(opened.orm, sql`select count(*)::int as count from payments`))[0]!.count;

  it.each(Object.keys(endings))('TOK-13 does not commit once %s was acknowledged on another node', async (way) => {
    const payment = started.paymentOf(await newPayer());
    const before = await countPayments();
    const { statusCode } = await started.whilePaying(payment, async () => {
      expect(await endings[way]!.end(admin, senderOf(payment)!, nodes[1])).toBeLessThan(300);
    });
    expect([statusCode, await countPayments()]).toEqual([way === 'the loss of all roles' ? 403 : 401, before]);
    // Nobody else is refused.
    expect((await nodes[0].inject({ ...payment, headers: { ...payment.headers, ...admin.headers } })).statusCode).toBe(
      201,
    );
  });

  it('TOK-13 does not commit once its permission was taken from its role', async () => {
    const payer = await newPayer();
    const answer = await started.whilePaying(started.paymentOf(payer), async () => {
      const emptied = await admin.call('PUT', `/admin/roles/${payer.roleId}`, { permissions: [] });
      expect(emptied.statusCode).toBe(200);
    });
    expect(answer.json()).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
  });

  it('TOK-13 looks for its end when it has waited for the commit of that end', async () => {
    const payer = await newPayer();
    const { audience, subject, sessionId } = senderOf(payer)!;
    const owner = { audience, subject };
    const answers: Promise<LightMyRequestResponse>[] = [];
    const ender = started.database.connect({ max: 1 });
    await ender.transaction(async (transaction) => {
      await transaction.execute(sql`select pg_advisory_xact_lock(${accessLocks.sessionsOf(owner)})`);
      await transaction.execute(insertEnds(owner, [{ sessionId, reason: 'SESSION_REVOKED', expiresAt: 2e12 }]));
      answers.push(nodes[0].inject(started.paymentOf(payer)).then());
      await started.untilWaiting();
    });
    expect((await answers[0])?.json()).toMatchObject({ status: 401, code: 'SESSION_REVOKED' });
    await ender.$client.end();
  });

  it('TOK-13 fails within a second where its node stands still before the commit, and the end does not', async () => {
    const payer = await newPayer();
    const fence = createAccessFence({ database: { embedded: null }, grantsOf: () => sql`select '["*"]'::json` });
    const { headers } = payer;
    const { audience, subject, sessionId } = senderOf({ headers })!;
    const request = { principal: { audience, subject, sessionId }, routeOptions: { config: { permission: MAY_PAY } } };
    let stand = () => {};
    let hasLock = () => {};
    const locked = new Promise<void>((resolve) => {
      hasLock = resolve;
    });
    const change = opened.orm.transaction(async (transaction) => {
      await transaction.execute(sql`insert into payments (id, payee, amount, created_by)
        values (${randomUUID()}, 'late', 1, ${subject})`);
      await fence.confirm(transaction, request as unknown as FastifyRequest);
      hasLock();
      await new Promise<void>((resolve) => {
        stand = resolve;
      });
    });
    const outcome = change.then(
      () => 'committed',
      () => 'failed',
    );
    await locked;
    const before = await countPayments();
    const startedAt = performance.now();
    const ended = nodes[1].inject({ method: 'POST', url: '/auth/logout', headers }).then(({ statusCode }) => ({
      statusCode,
      millis: performance.now() - startedAt,
    }));
    // Others go on meanwhile: neither the account nor its role serialises them.
    const other = await newPayer();
    expect((await nodes[0].inject(started.paymentOf(other))).statusCode).toBe(201);
    expect((await nodes[0].inject({ url: '/admin/profile', headers: other.headers })).statusCode).toBe(200);
    const { statusCode, millis } = await ended;
    expect(statusCode).toBe(204);
    expect(millis).toBeLessThan(2000);
    stand();
    expect([await outcome, await countPayments()]).toEqual(['failed', before + 1]);
  });

  it('TOK-13 many changes of one account commit beside each other, and none waits for another', async () => {
    const payer = await newPayer();
    const { audience, subject } = senderOf(payer)!;
    const keys = [accessLocks.permissions(), accessLocks.sessionsOf({ audience, subject })];
    const holder = started.database.connect({ max: 1 });
    await holder.transaction(async (transaction) => {
      // What a change holds that commits slowly.
      for (const key of keys) await transaction.execute(sql`select pg_advisory_xact_lock_shared(${key})`);
      const answers = await Promise.all(Array.from({ length: 20 }, () => nodes[0].inject(started.paymentOf(payer))));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 201));
      expect(await token(nodes[1], payer.username)).toBeDefined();
    });
    await holder.$client.end();
  });

  it('TOK-13 ends and changes that meet at random leave no change behind an acknowledged end', async () => {
    const rounds = 20;
    for (let round = 0; round < rounds; round += 1) {
      const payer = await newPayer();
      let isEnded = false;
      const late: string[] = [];
      const pay = async () => {
        const wasEnded = isEnded;
        const { statusCode } = await nodes[0].inject(started.paymentOf(payer));
        if (statusCode === 201 && wasEnded) late.push('a payment after the end');
        return statusCode;
      };
      const payments = Array.from({ length: 6 }, pay);
      const logout = nodes[1].inject({ method: 'POST', url: '/auth/logout', headers: payer.headers });
      expect((await logout).statusCode).toBe(204);
      isEnded = true;
      const seen = await rowsOf<{ count: number }>(
        opened.orm,
        sql`select count(*)::int as count from payments where created_by = ${payer.id}`,
      );
      const statuses = await Promise.all(payments);
      expect(statuses.filter((status) => status === 201)).toHaveLength(seen[0]!.count);
      expect(late).toEqual([]);
    }
  });
});
