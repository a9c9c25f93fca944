import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { type OpenedStore, stores } from '../../../../scripts/test-stores.js';
import { closeApps, createTestApp, TestClock } from '../test-app.js';

afterEach(closeApps);

const purposes = { 'second-factor': { lifetimeSeconds: 300, refusal: 'SECOND_FACTOR_REQUIRED' } };
const SERVED = ['second-factor'];

describe.each(stores)('sessions with a purpose and proofs in a store in %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('of two nodes', () => {
    let opened: OpenedStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    let keys = 0;
    async function twoNodes() {
      const clock = new TestClock();
      const options = { purposes, maxSessionsPerSubject: 3 };
      const nodes = await Promise.all(opened.nodes.map((store) => createTestApp({ store, ...options }, {}, clock)));
      const [one, other] = nodes.map(({ app }) => app.authTokens);
      keys += 1;
      if (one === undefined || other === undefined) throw new Error('no nodes');
      const owner = { subject: `u-${keys}`, audience: 'admin' };
      return { clock, one, other, owner, pending: { ...owner, purpose: 'second-factor' } };
    }

    it('MFA-2: a flood of pending sessions ends neither a full session nor the pending one of the owner', async () => {
      const { one, other, owner, pending, clock } = await twoNodes();
      const full = await Promise.all([one, other, one].map((node) => node.issue({ ...owner, clientIp: '192.0.2.1' })));
      const own = await one.issue({ ...pending, clientIp: '192.0.2.1' });
      clock.advance(1);
      // An attacker has all networks of a site.
      const flood = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          [one, other][n % 2]?.issue({ ...pending, clientIp: `2001:db8:0:${n}::1` }),
        ),
      );
      for (const { token } of full) await one.check(token);
      expect(await other.check(own.token, SERVED)).toMatchObject(pending);
      const listed = await one.sessions(owner);
      expect(listed.filter(({ purpose }) => purpose === undefined)).toHaveLength(3);
      expect(listed.filter(({ purpose }) => purpose !== undefined)).toHaveLength(20);
      // The one who is at home gets in while the flood lasts, and displaces none of his own.
      const again = await other.issue({ ...pending, clientIp: '192.0.2.1' });
      await one.check(own.token, SERVED);
      await one.check(again.token, SERVED);
      expect(flood).toHaveLength(60);
    });

    it('MFA-2: full sessions displace no pending one, and still displace each other', async () => {
      const { one, owner, pending } = await twoNodes();
      const own = await one.issue(pending);
      for (let n = 0; n < 5; n += 1) await one.issue(owner);
      await one.check(own.token, SERVED);
      expect((await one.sessions(owner)).filter(({ purpose }) => purpose === undefined)).toHaveLength(3);
    });

    it('MFA-2: of 40 ends of a pending session on two nodes one is the first', async () => {
      const { one, other, pending } = await twoNodes();
      const { sessionId } = await one.issue(pending);
      const ends = await Promise.all(
        Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).revoke(sessionId)),
      );
      expect(ends.filter((isFirst) => isFirst)).toHaveLength(1);
    });

    it('MFA-2: the end of all sessions ends pending ones, also one that is being opened', async () => {
      const { one, other, owner, pending } = await twoNodes();
      const before = await one.issue(pending);
      const [, during] = await Promise.all([other.revokeAll(owner, 'PASSWORD_CHANGED'), one.issue(pending)]);
      await expect(one.check(before.token, SERVED)).rejects.toMatchObject({ code: 'PASSWORD_CHANGED' });
      const isLive = await one.check(during.token, SERVED).then(
        () => true,
        () => false,
      );
      expect(await one.sessions(owner)).toHaveLength(isLive ? 1 : 0);
      await expect(one.issue({ ...pending, confirm: () => false })).rejects.toMatchObject({ code: 'SESSION_REVOKED' });
    });

    it('MFA-2: of 20 steps on two nodes one takes the place of the pending session', async () => {
      const { one, other, owner, pending } = await twoNodes();
      const { sessionId, token } = await one.issue(pending);
      const steps = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).issue({ ...owner, replaces: sessionId })),
      );
      const opened = steps.flatMap((step) => (step.status === 'fulfilled' ? [step.value] : []));
      const refused = steps.flatMap((step) => (step.status === 'rejected' ? [step.reason.code] : []));
      expect([opened.length, new Set(refused)]).toEqual([1, new Set(['SESSION_REVOKED'])]);
      await other.check(opened[0]!.token);
      expect(await one.sessions(owner)).toMatchObject([{ sessionId: opened[0]!.sessionId }]);
      await expect(other.check(token, SERVED)).rejects.toMatchObject({ code: 'SESSION_REVOKED' });
    });

    it('MFA-2: a step that an end of all sessions overtakes opens none, whichever write comes first', async () => {
      const { one, other, owner, pending } = await twoNodes();
      for (let round = 0; round < 10; round += 1) {
        const { sessionId } = await one.issue(pending);
        const ended = other.revokeAll(owner);
        const step = await one.issue({ ...owner, replaces: sessionId }).catch(({ code }) => code);
        await ended;
        expect(await one.sessions(owner)).toEqual([]);
        if (typeof step === 'string') expect(step).toBe('SESSION_REVOKED');
      }
      const foreign = await one.issue({ ...pending, subject: 'somebody-else' });
      for (const replaces of [foreign.sessionId, 'unknown', '']) {
        await expect(one.issue({ ...owner, replaces })).rejects.toMatchObject({ code: 'SESSION_REVOKED' });
      }
      expect(await one.sessions(owner)).toEqual([]);
    });

    it('MFA-3: a proof has the time of the store, and the next request on any node sees it', async () => {
      const { one, other, owner, clock } = await twoNodes();
      const none = await one.issue(owner);
      expect(await one.check(none.token)).not.toHaveProperty('proof');
      const { token, sessionId } = await one.issue({ ...owner, proof: { method: 'password' } });
      const issuedAt = clock.millis;
      clock.advance(600);
      expect((await other.check(token)).proof).toEqual({ method: 'password', at: issuedAt });
      expect(await one.prove(sessionId, 'factor')).toBe(true);
      expect((await other.check(token)).proof).toEqual({ method: 'factor', at: clock.millis });
      expect(await one.check(none.token)).not.toHaveProperty('proof');
      expect(await other.prove(sessionId, null)).toBe(true);
      expect(await one.check(token)).not.toHaveProperty('proof');
    });

    it('MFA-3: an ended, expired or unknown session proves nothing, and a proof revives none', async () => {
      const { one, other, owner, clock } = await twoNodes();
      const ended = await one.issue(owner);
      const proofs = Array.from({ length: 20 }, () => one.prove(ended.sessionId, 'factor'));
      await Promise.all([...proofs, other.revoke(ended.sessionId)]);
      expect(await one.prove(ended.sessionId, 'factor')).toBe(false);
      await expect(one.check(ended.token)).rejects.toMatchObject({ code: 'SESSION_REVOKED' });
      const expired = await one.issue(owner);
      clock.advance(31 * 60);
      expect(await one.prove(expired.sessionId, 'factor')).toBe(false);
      expect(await one.prove('unknown', 'factor')).toBe(false);
    });

    it('MFA-3: activity, proofs and further sign-ins in parallel lose nothing', async () => {
      const { one, other, owner, clock } = await twoNodes();
      const { token, sessionId } = await one.issue({ ...owner, proof: { method: 'password' } });
      clock.advance(120);
      const work = Array.from({ length: 20 }, (_, n) => [
        (n % 2 === 0 ? one : other).prove(sessionId, 'factor'),
        (n % 2 === 0 ? other : one).check(token),
      ]);
      await Promise.all([...work.flat(), one.issue(owner), other.issue(owner)]);
      expect((await one.check(token)).proof).toEqual({ method: 'factor', at: clock.millis });
      expect(await other.sessions(owner)).toHaveLength(3);
    });
  });
});
