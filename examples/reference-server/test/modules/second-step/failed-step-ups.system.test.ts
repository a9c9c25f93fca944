import { StoreUnavailableError } from '@sallyport/ttl-store';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD, roomy } from '../../support/accounts.js';
import {
  type Authenticator,
  type FactorBench,
  type FactorSession,
  openFactorBench,
} from '../second-factors/factor-bench.js';

const outcome = (response: { statusCode: number; json(): { code?: string } }) =>
  response.statusCode < 300 ? response.statusCode : `${response.statusCode} ${response.json().code}`;

const WRONG = { kind: 'totp', code: '000000' };
const WRONG_RECOVERY = { kind: 'recovery-code', code: 'AAAA-BBBB-CCCC-DDDD' };
const FAILED = '401 SECOND_FACTOR_FAILED';
const ENDED = '401 SESSION_REVOKED';

interface ActionRow {
  readonly action: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly parameters: { readonly detail?: object } | null;
}

describe('failed step-ups', { timeout: 60_000 }, () => {
  let its: FactorBench;
  let other: App;
  beforeAll(async () => {
    its = await openFactorBench();
    await its.setMode('OPTIONAL');
    const config = its.bench.config(roomy);
    other = await its.bench.appOn(config, its.bench.resources(config), { factorClock: its.now });
  });
  afterAll(() => its.close());

  async function owner(): Promise<Actor & { readonly phone: Authenticator }> {
    const account = await actor(its.app, its.admin, ['*']);
    return { ...account, phone: await its.enrol(account) };
  }

  const prove = async (session: FactorSession, payload: object) =>
    outcome(await session.call('POST', '/auth/second-factor', payload));
  const proveOften = async (session: FactorSession, times: number, proof: object = WRONG) => {
    const outcomes: unknown[] = [];
    for (let n = 0; n < times; n += 1) outcomes.push(await prove(session, proof));
    return outcomes;
  };
  const isLive = async (session: FactorSession) => outcome(await session.call('GET', '/admin/profile')) === 200;
  const recordsOf = ({ id }: Actor, action: string) =>
    its.rows<ActionRow>(sql`
      select action, outcome, reason, parameters from audit_records
      where actor = ${`admin:${id}`} and action = ${action} order by sequence`);

  it('MFA-2: a session that fails five times in a row ends, so that its thief uses up 5 of the 10 of a day', async () => {
    const account = await owner();
    const [stolen, own] = [
      await its.session(account, { proof: 'factor' }),
      await its.session(account, { proof: 'factor' }),
    ];
    expect(await proveOften(stolen, 5)).toEqual([FAILED, FAILED, FAILED, FAILED, ENDED]);
    expect([await isLive(stolen), await isLive(own)]).toEqual([false, true]);
    expect(await proveOften(stolen, 20)).toEqual(Array(20).fill(ENDED));
    expect(await recordsOf(account, 'second-factor.verify')).toHaveLength(5);
    expect(await prove(own, { kind: 'totp', code: account.phone.next() })).toBe(200);
  });

  it('MFA-2: the end is recorded, with its reason and the session', async () => {
    const account = await owner();
    const stolen = await its.session(account, { proof: 'factor' });
    await proveOften(stolen, 5);
    const ends = await recordsOf(account, 'session.revoke');
    expect(ends).toEqual([
      {
        action: 'session.revoke',
        outcome: 'success',
        reason: 'SECOND_FACTOR_FAILED',
        parameters: { detail: { owner: `admin:${account.id}`, idStart: expect.stringMatching(/^.{8}$/) } },
      },
    ]);
    const proofs = await recordsOf(account, 'auth.second-factor');
    expect(proofs.map(({ reason }) => reason)).toEqual([...Array(4).fill('SECOND_FACTOR_FAILED'), 'SESSION_REVOKED']);
  });

  it('MFA-2: a proof that succeeds clears the count, and other sessions have their own', async () => {
    const account = await owner();
    const [one, two] = [
      await its.session(account, { proof: 'factor' }),
      await its.session(account, { proof: 'factor' }),
    ];
    expect(await proveOften(one, 4)).toEqual(Array(4).fill(FAILED));
    expect(await prove(one, { kind: 'totp', code: account.phone.next() })).toBe(200);
    expect(await proveOften(one, 4)).toEqual(Array(4).fill(FAILED));
    // The codes of the app would be locked.
    expect(await proveOften(two, 4, WRONG_RECOVERY)).toEqual(Array(4).fill(FAILED));
    expect([await isLive(one), await isLive(two)]).toEqual([true, true]);
    expect(await proveOften(two, 1, WRONG_RECOVERY)).toEqual([ENDED]);
  });

  it('MFA-2: failures of every kind count together, those of the password, too', async () => {
    const account = await actor(its.app, its.admin, ['*']);
    const session = await its.session(account, { proof: null });
    const outcomes = [
      ...(await proveOften(session, 2)),
      await prove(session, WRONG_RECOVERY),
      await prove(session, { kind: 'password', password: OTHER_PASSWORD }),
      await prove(session, { kind: 'password', password: OTHER_PASSWORD }),
    ];
    expect(outcomes).toEqual([FAILED, FAILED, FAILED, FAILED, ENDED]);
  });

  it('MFA-2: of 40 parallel guesses on two nodes at most five are compared', async () => {
    const account = await owner();
    const stolen = await its.session(account, { proof: 'factor' });
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        (n % 2 === 0 ? its.app : other).inject({
          method: 'POST',
          url: '/auth/second-factor',
          headers: stolen.headers,
          payload: WRONG,
        }),
      ),
    );
    expect(new Set(guesses.map(outcome))).not.toContain(200);
    expect((await recordsOf(account, 'second-factor.verify')).length).toBeLessThanOrEqual(5);
    await proveOften(stolen, 5);
    expect(await recordsOf(account, 'second-factor.verify')).toHaveLength(5);
    expect(await isLive(stolen)).toBe(false);
    expect(await recordsOf(account, 'session.revoke')).toHaveLength(1);
  });

  it('MFA-2: codes that are locked, and steps of a sign-in, count nothing', async () => {
    const account = await owner();
    const pending = await its.session(account, { purpose: 'second-factor' });
    expect(await proveOften(pending, 10)).toEqual(Array(10).fill(FAILED));
    const session = await its.session(account, { proof: 'factor' });
    expect(await proveOften(session, 7)).toEqual(Array(7).fill('429 LOGIN_LOCKED'));
    expect(await isLive(session)).toBe(true);
  });

  it('MFA-2: an end that failed is made up for by the next attempt, which compares nothing', async () => {
    const account = await owner();
    const stolen = await its.session(account, { proof: 'factor' });
    await proveOften(stolen, 4);
    const { revoke } = its.app.authTokens;
    Object.assign(its.app.authTokens, {
      async revoke() {
        Object.assign(its.app.authTokens, { revoke });
        throw new StoreUnavailableError();
      },
    });
    expect(await prove(stolen, WRONG)).toBe('503 STORE_UNAVAILABLE');
    expect(await isLive(stolen)).toBe(true);
    expect(await prove(stolen, { kind: 'totp', code: account.phone.next() })).toBe(ENDED);
    expect(await isLive(stolen)).toBe(false);
    expect(await recordsOf(account, 'second-factor.verify')).toHaveLength(5);
  });

  it('MFA-3: right proofs end nothing, however many', async () => {
    const account = await actor(its.app, its.admin, ['*']);
    const session = await its.session(account, { proof: null });
    for (let n = 0; n < 8; n += 1) expect(await prove(session, { kind: 'password', password: PASSWORD })).toBe(200);
  });
});
