import { createMemoryStore, createStoreClock, type TtlStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { cases } from '../../../../scripts/test-properties.js';
import { type OpenedStore, stores } from '../../../../scripts/test-stores.js';
import authTokens from '../../src/index.js';
import { closeApps, createTestApp, issuer, openApp, signingKey, storeClockOf, TestClock } from '../test-app.js';

afterEach(closeApps);

const HOUR = 3_600_000;
const owner = (subject: string) => ({ subject, audience: 'admin' });

/** A node with a wall clock of its own, which the test may set, and with the log of it. */
async function openNode(store: TtlStore, aheadMillis: number) {
  const wall = { aheadMillis };
  const logged: { level: number; kind?: string }[] = [];
  const stream = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const app = openApp({ logger: { level: 'warn', stream } });
  let questions = 0;
  const counted: TtlStore = {
    ...store,
    time: () => {
      questions += 1;
      return store.time();
    },
  };
  await app.register(authTokens, {
    store: counted,
    ends: null,
    issuer,
    signingKey,
    now: () => Date.now() + wall.aheadMillis,
  });
  await app.ready();
  return {
    wall,
    tokens: app.authTokens,
    events: () => logged.filter(({ level }) => level >= 40).map(({ kind }) => kind),
    takeQuestions: () => {
      const asked = questions;
      questions = 0;
      return asked;
    },
  };
}

describe.each(stores.filter(([name]) => name !== 'memory'))('two nodes on one store in %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('whose clocks differ', () => {
    let opened: OpenedStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    it('TOK-12 REL-5 an hour fast and an hour slow, neither ends, prolongs or forgets a session of the other', async () => {
      const nodes = [await openNode(opened.nodes[0], HOUR), await openNode(opened.nodes[1], -HOUR)] as const;
      const storeMillis = await opened.nodes[0].time();
      for (const [one, other] of [nodes, [nodes[1], nodes[0]] as const]) {
        const { token, sessionId, expiresAt } = await one.tokens.issue(owner('u-1'));
        const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        expect(Math.abs(iat * 1000 - storeMillis)).toBeLessThan(20_000);
        expect([exp * 1000, exp - iat]).toEqual([expiresAt, 12 * 3600]);
        for (const node of nodes) {
          expect(await node.tokens.check(token)).toMatchObject(owner('u-1'));
          const [listed] = await node.tokens.sessions(owner('u-1'));
          expect(Math.abs((listed?.lastSeenAt ?? 0) - storeMillis)).toBeLessThan(20_000);
          expect(await node.tokens.isLive(sessionId)).toBe(true);
        }
        // A sign-in is not taken for one that came before the end of all sessions.
        expect(await one.tokens.revokeAll(owner('u-1'))).toBe(1);
        await expect(other.tokens.check(token)).rejects.toMatchObject({ code: 'SESSION_REVOKED' });
        const next = await other.tokens.issue(owner('u-1'));
        expect(await one.tokens.check(next.token)).toMatchObject(owner('u-1'));
        expect(await one.tokens.revoke(next.sessionId)).toBe(true);
        await expect(other.tokens.check(next.token)).rejects.toMatchObject({ code: 'SESSION_REVOKED' });
      }
      for (const [node, skewMillis] of [[nodes[0], HOUR] as const, [nodes[1], -HOUR] as const]) {
        const state = await node.tokens.clock();
        expect(state.isOff).toBe(true);
        expect(Math.abs(state.skewMillis - skewMillis)).toBeLessThan(5000);
        expect(node.events()).toEqual(['off']);
      }
    });

    it('TOK-12 a node whose clock is set while it runs goes on: every step costs one question, and is logged', async () => {
      const node = await openNode(opened.nodes[0], 0);
      const right = await openNode(opened.nodes[1], 0);
      const { token } = await right.tokens.issue(owner('u-2'));
      await node.tokens.check(token);
      node.takeQuestions();
      for (const aheadMillis of [HOUR, -HOUR, 30 * 24 * HOUR, 0]) {
        node.wall.aheadMillis = aheadMillis;
        for (let request = 0; request < 20; request += 1) await node.tokens.check(token);
        expect(node.takeQuestions()).toBe(1);
        expect((await node.tokens.clock()).isOff).toBe(aheadMillis !== 0);
        expect(await right.tokens.sessions(owner('u-2'))).toHaveLength(1);
      }
      expect(node.events()).toEqual(['off', 'right']);
      expect(right.events()).toEqual([]);
    });
  });
});

/** What happens in a world of two nodes. `of` and `token` are taken modulo what there is. */
type Deed =
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'step'; readonly of: number; readonly seconds: number }
  | { readonly kind: 'sign-in' | 'end-all'; readonly of: number }
  | { readonly kind: 'check' | 'end'; readonly of: number; readonly token: number };

const of = fc.nat(1);
const token = fc.nat(20);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.oneof(fc.nat(120), fc.nat(40_000)) }),
  fc.record({ kind: fc.constant('step' as const), of, seconds: fc.integer({ min: -100_000, max: 100_000 }) }),
  fc.record({ kind: fc.constantFrom('sign-in' as const, 'end-all' as const), of }),
  fc.record({ kind: fc.constantFrom('check' as const, 'check' as const, 'end' as const), of, token }),
);

/** Plays the deeds, and returns what each was answered. */
async function play(deeds: readonly Deed[], withSteps: boolean): Promise<unknown[]> {
  const clock = new TestClock();
  const store: TtlStore = { ...createMemoryStore({ now: clock.now }), lifetime: 'shared' };
  const walls = [0, 0];
  const nodes = await Promise.all(
    walls.map((_, index) =>
      createTestApp({
        store,
        clock: storeClockOf(clock, () => clock.now() + (walls[index] ?? 0) * 1000),
      }),
    ),
  );
  const issued: { readonly token: string; readonly sessionId: string }[] = [];
  const answers: unknown[] = [];
  for (const deed of deeds) {
    if (deed.kind === 'wait') clock.advance(deed.seconds);
    else if (deed.kind === 'step') walls[deed.of] = (walls[deed.of] ?? 0) + (withSteps ? deed.seconds : 0);
    else {
      const { authTokens } = (nodes[deed.of] as (typeof nodes)[0]).app;
      const known = issued[('token' in deed ? deed.token : 0) % Math.max(1, issued.length)];
      if (deed.kind === 'sign-in') issued.push(await authTokens.issue(owner('u-1')));
      else if (deed.kind === 'end-all') answers.push(await authTokens.revokeAll(owner('u-1')));
      else if (known === undefined) continue;
      else if (deed.kind === 'end') answers.push(await authTokens.revoke(known.sessionId));
      else
        answers.push(
          await authTokens.check(known.token).then(
            () => 'live',
            ({ code }) => code,
          ),
        );
      const sessions = await authTokens.sessions(owner('u-1'));
      answers.push(sessions.map(({ sessionId: _random, ...times }) => times));
    }
  }
  await closeApps();
  return answers;
}

describe('in any sequence of events', () => {
  it('TOK-12 steps of the wall clocks change no answer of a check, and no time of a session', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 40 }), async (deeds) => {
        const first: Deed = { kind: 'sign-in', of: 0 };
        expect(await play([first, ...deeds], true)).toEqual(await play([first, ...deeds], false));
      }),
      { numRuns: cases(30) },
    );
  });
});

describe('the clock of sessions', () => {
  it('TOK-12 TOK-11 is a 503 while the store’s time is not known; a bad token is refused without it', async () => {
    const memory: TtlStore = { ...createMemoryStore(), lifetime: 'shared' };
    const { signIn } = await createTestApp({ store: memory });
    const token = await signIn();
    const time = () => Promise.reject(new Error('ECONNREFUSED 10.0.0.7:6379'));
    const clock = createStoreClock({ store: { ...memory, time } });
    const { app, code } = await createTestApp({ store: memory, clock, ticketPurposes: ['download'] });
    expect([await code('/admin', token), await code('/admin', `${token.slice(0, -4)}AAAA`)]).toEqual([
      '503 SESSION_STORE_UNAVAILABLE',
      '401 TOKEN_INVALID',
    ]);
    const { authTokens: tokens } = app;
    const unavailable = { code: 'SESSION_STORE_UNAVAILABLE', statusCode: 503 };
    await expect(tokens.clock()).rejects.toMatchObject(unavailable);
    await expect(tokens.issue(owner('u-1'))).rejects.toMatchObject(unavailable);
    await expect(tokens.revokeAll(owner('u-1'))).rejects.toMatchObject(unavailable);
    await expect(tokens.sessions(owner('u-1'))).rejects.toMatchObject(unavailable);
    const ticket = { ticket: 'A'.repeat(43), purpose: 'download', resource: 'x' };
    await expect(tokens.redeemTicket(ticket)).rejects.toMatchObject(unavailable);
  });

  it('TOK-12 with a store in this process, its clock alone is moved by a test', async () => {
    const clock = new TestClock();
    const app = openApp();
    await app.register(authTokens, { store: createMemoryStore({ now: clock.now }), issuer, signingKey });
    await app.ready();
    const { token } = await app.authTokens.issue(owner('u-1'));
    clock.advance(30 * 60 - 1);
    expect(await app.authTokens.check(token)).toMatchObject(owner('u-1'));
    clock.advance(30 * 60);
    await expect(app.authTokens.check(token)).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
    expect((await app.authTokens.clock()).isOff).toBe(false);
  });
});
