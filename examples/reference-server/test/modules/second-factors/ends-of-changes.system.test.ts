import { totpCodeAt } from '@sallyport/second-factor';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../support/accounts.js';
import { type FactorBench, type FactorSession, openFactorBench } from './factor-bench.js';

const outcome = ({ statusCode, body }: { statusCode: number; body: string }) =>
  statusCode < 300 ? statusCode : `${statusCode} ${JSON.parse(body).code}`;

/** A change of the own factors that is ready to be made. */
interface Case {
  readonly change: string;
  readonly prepare: (its: FactorBench, session: FactorSession) => Promise<() => ReturnType<FactorSession['call']>>;
}

async function confirming(its: FactorBench, session: FactorSession) {
  const { id, secret } = (await session.call('POST', '/auth/second-factors/totp', {})).json().data;
  return () => session.call('POST', `/auth/second-factors/totp/${id}/confirm`, { code: totpCodeAt(secret, its.now()) });
}

const cases: readonly Case[] = [
  {
    change: 'a replacement',
    async prepare(its, session) {
      await its.enrol(session);
      return confirming(its, session);
    },
  },
  {
    change: 'a removal',
    async prepare(its, session) {
      const { id } = await its.enrol(session);
      return () => session.call('DELETE', `/auth/second-factors/${id}`);
    },
  },
];

describe('ends of sessions by changes of the own factors', { timeout: 60_000 }, () => {
  let its: FactorBench;
  let revoke: FactorBench['app']['authTokens']['revoke'];
  beforeAll(async () => {
    its = await openFactorBench();
    await its.setMode('OPTIONAL');
    ({ revoke } = its.app.authTokens);
  });
  afterEach(() => void Object.assign(its.app.authTokens, { revoke }));
  afterAll(() => its.close());

  const recordOf = async ({ id }: Actor) => {
    const [row] = await its.rows<{ record: string }>(sql`select record from second_factors where subject = ${id}`);
    return row?.record ?? null;
  };
  const isLive = async (session: FactorSession) => (await session.call('GET', '/admin/profile')).statusCode === 200;

  /** An account with the session that changes its factors, and another one. */
  async function ready({ prepare }: Case) {
    const account = await its.person();
    const session = await its.session(account);
    const make = await prepare(its, session);
    return { account, make, session, other: await its.session(account, { proof: 'factor' }) };
  }

  it.each(cases)('MFA-4 $change ends the others before it is committed, so that no crash leaves them', async (each) => {
    const { account, make, session, other } = await ready(each);
    const before = await recordOf(account);
    const seen: boolean[] = [];
    Object.assign(its.app.authTokens, {
      async revoke(...given: Parameters<typeof revoke>) {
        const isEnded = await revoke(...given);
        seen.push((await recordOf(account)) === before);
        return isEnded;
      },
    });
    expect((await make()).statusCode).toBeLessThan(300);
    expect(await recordOf(account)).not.toBe(before);
    expect(seen[0]).toBe(true);
    expect([await isLive(session), await isLive(other)]).toEqual([true, false]);
  });

  it.each(cases)('MFA-4 $change is not made if the others can not be ended', async (each) => {
    const { account, make, other } = await ready(each);
    const before = await recordOf(account);
    Object.assign(its.app.authTokens, {
      async revoke() {
        throw new StoreUnavailableError();
      },
    });
    expect(outcome(await make())).toBe('503 STORE_UNAVAILABLE');
    expect(await recordOf(account)).toBe(before);
    expect(await isLive(other)).toBe(true);
  });

  it.each(cases)('MFA-4 $change ends a session, too, that was opened while it was under way', async (each) => {
    const { account, make, other } = await ready(each);
    let late: FactorSession | null = null;
    Object.assign(its.app.authTokens, {
      async revoke(...given: Parameters<typeof revoke>) {
        const isEnded = await revoke(...given);
        late ??= await its.session(account, { proof: 'factor' });
        return isEnded;
      },
    });
    expect((await make()).statusCode).toBeLessThan(300);
    expect([await isLive(other), await isLive(late!)]).toEqual([false, false]);
  });

  it('MFA-4 a first factor whose ends fail leaves no session that is served without it', async () => {
    const account = await its.person();
    const [session, other] = [await its.session(account), await its.session(account)];
    const make = await confirming(its, session);
    Object.assign(its.app.authTokens, {
      async revoke() {
        throw new StoreUnavailableError();
      },
    });
    expect(outcome(await make())).toBe('503 STORE_UNAVAILABLE');
    expect(await recordOf(account)).not.toBeNull();
    expect(outcome(await other.call('GET', '/admin/profile'))).toBe('403 SECOND_FACTOR_REQUIRED');
  });

  it('MFA-4 a refused removal ends no session', async () => {
    const account = await its.person();
    const session = await its.session(account);
    const { id } = await its.enrol(session);
    const other = await its.session(account, { proof: 'factor' });
    await its.setMode('REQUIRED');
    expect(outcome(await session.call('DELETE', `/auth/second-factors/${id}`))).toBe('409 SECOND_FACTOR_LAST');
    await its.setMode('OPTIONAL');
    expect([await isLive(session), await isLive(other)]).toEqual([true, true]);
  });
});
