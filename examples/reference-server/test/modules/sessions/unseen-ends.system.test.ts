import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { insertEnds } from '../../../src/storage/session-ends.js';
import { type Actor, actor, token } from '../../support/accounts.js';
import { endings, senderOf } from '../../support/held-requests.js';
import { MAY_PAY, type PayingNodes, startPayingNodes } from '../../support/paying-nodes.js';

describe('a change under way whose session the store does not show when it is ended', () => {
  let started: PayingNodes;
  let connection: PayingNodes['connection'];
  let nodes: PayingNodes['nodes'];
  let admin: Actor;
  beforeAll(async () => {
    started = await startPayingNodes();
    ({ connection, nodes, admin } = started);
  });
  afterAll(() => started?.close());

  const newPayer = () => actor(nodes[1], admin, [MAY_PAY]);
  const whilePaying = (payer: Actor, work: () => Promise<unknown>) =>
    started.whilePaying(started.paymentOf(payer), work);

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
    const payer = await newPayer();
    const { statusCode } = await whilePaying(payer, async () => {
      await hidings[hiding]!(payer);
      expect(await endings[way]!.end(admin, senderOf(payer)!, nodes[1])).toBeLessThan(300);
    });
    const made = await connection.execute(sql`select 1 from payments where created_by = ${payer.id}`);
    expect([statusCode, made.length]).toEqual([401, 0]);
  });

  it('TOK-13 TOK-6 a session that is opened at once after the end of all pays', async () => {
    const payer = await newPayer();
    await hidings['the store is empty']!(payer);
    for (let round = 0; round < 3; round += 1) {
      await endings['the forced end of all sessions']!.end(admin, senderOf(payer)!, nodes[1]);
      const headers = await token(nodes[round % 2]!, payer.username);
      expect((await nodes[0].inject(started.paymentOf({ headers }))).statusCode).toBe(201);
    }
  });

  it('TOK-13 TOK-3 an end that was committed and not told to the store is finished by the first change', async () => {
    const payer = await newPayer();
    const { audience, subject, sessionId } = senderOf(payer)!;
    const end = { sessionId, reason: 'SESSION_REVOKED', expiresAt: 2e12 } as const;
    await connection.execute(insertEnds({ audience, subject }, [end]));
    const read = async () => (await nodes[0].inject({ url: '/admin/profile', headers: payer.headers })).statusCode;
    expect([await read(), (await nodes[0].inject(started.paymentOf(payer))).statusCode]).toEqual([200, 401]);
    await vi.waitFor(async () => expect(await read()).toBe(401), { interval: 5 });
  });

  it('TOK-13 TOK-7 does not commit once a further sign-in has ended its session', async () => {
    const payer = await newPayer();
    for (let count = 1; count < 20; count += 1) await token(nodes[1], payer.username);
    const answer = await whilePaying(payer, () => token(nodes[1], payer.username));
    expect(answer.json()).toMatchObject({ status: 401, code: 'SESSION_SUPERSEDED' });
  });
});
