import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import {
  emptyRecord,
  expire,
  issue,
  type LifetimeMillis,
  revoke,
  revokeAll,
  type SessionRecord,
  stateOf,
  touch,
  ttlMillisOf,
} from '../../src/sessions/session-state.js';

const lifetime: LifetimeMillis = { idle: 100, absolute: 1000 };
const MAX_SESSIONS = 3;

type Step = { readonly kind: 'issue' | 'touch' | 'revoke' | 'revokeAll' | 'expire' | 'wait'; readonly pick: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('issue', 'issue', 'touch', 'touch', 'revoke', 'revokeAll', 'expire', 'wait'),
    pick: fc.nat(200),
  }),
  { maxLength: 60 },
);

describe('the session record', () => {
  it('TOK-3 TOK-5 TOK-6 an ended session stays ended in every order of events', () => {
    fc.assert(
      fc.property(steps, (events) => {
        let record: SessionRecord = emptyRecord;
        let now = 1_000_000;
        const ids: string[] = [];
        const over = new Set<string>();
        for (const { kind, pick } of events) {
          const id = ids[pick % Math.max(1, ids.length)] ?? 'nobody';
          if (kind === 'wait') now += pick;
          if (kind === 'issue') {
            const session = {
              id: `s${ids.length}`,
              issuedAt: now,
              lastSeenAt: now,
              expiresAt: now + lifetime.absolute,
              keyId: 'k',
            };
            ids.push(session.id);
            record = issue(record, session, MAX_SESSIONS, lifetime);
          }
          if (kind === 'touch') {
            // As the engine does: only for a live session.
            if (stateOf(record, id, 0, lifetime, now).state === 'live') record = touch(record, id, now);
            else record = expire(touch(expire(record, lifetime, now), id, now), lifetime, now);
          }
          if (kind === 'revoke') {
            record = revoke(record, id, 'SESSION_REVOKED', now);
            over.add(id);
          }
          if (kind === 'revokeAll') {
            record = revokeAll(record, 'PASSWORD_CHANGED', now);
            for (const one of ids) over.add(one);
          }
          if (kind === 'expire') record = expire(record, lifetime, now);

          const live = ids.filter((one) => stateOf(record, one, 0, lifetime, now).state === 'live');
          expect(live.filter((one) => over.has(one))).toEqual([]);
          expect(live.length).toBeLessThanOrEqual(MAX_SESSIONS);
          for (const one of ids) if (!live.includes(one)) over.add(one);
          // The store keeps it until the exp of the last token, at most the absolute lifetime.
          expect(ttlMillisOf(record, now)).toBeLessThanOrEqual(lifetime.absolute);
          for (const one of record.live) expect(ttlMillisOf(record, now)).toBeGreaterThanOrEqual(one.expiresAt - now);
        }
        // Bounded after all events.
        expect(JSON.stringify(record).length).toBeLessThan(8000);
      }),
      { numRuns: cases(300) },
    );
  });

  it('TOK-7 keeps the reasons of the 32 sessions that ended last', () => {
    let record: SessionRecord = emptyRecord;
    for (let n = 0; n < 100; n += 1) {
      const session = { id: `s${n}`, issuedAt: n, lastSeenAt: n, expiresAt: 10_000, keyId: 'k' };
      record = revoke(issue(record, session, 20, { idle: 1000, absolute: 10_000 }), `s${n}`, 'ACCOUNT_DISABLED', n);
    }
    expect(record.ended.length).toBeLessThanOrEqual(32);
    expect(stateOf(record, 's99', 99, lifetime, 200)).toEqual({ state: 'ended', reason: 'ACCOUNT_DISABLED' });
    expect(stateOf(record, 's0', 0, lifetime, 200)).toEqual({ state: 'ended', reason: 'SESSION_EXPIRED' });
  });

  it('TOK-5 activity from a slower clock never moves the last activity back', () => {
    const session = { id: 's', issuedAt: 0, lastSeenAt: 50, expiresAt: 1000, keyId: 'k' };
    const record = issue(emptyRecord, session, 1, lifetime);
    expect(touch(record, 's', 40)).toBe(record);
    expect(touch(record, 's', 60).live[0]?.lastSeenAt).toBe(60);
    expect(touch(record, 'nobody', 60)).toBe(record);
  });
});
