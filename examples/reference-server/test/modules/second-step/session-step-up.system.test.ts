import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../../support/accounts.js';
import { newAppUser } from '../../support/app-accounts.js';
import { setParameter } from '../../support/system-parameters.js';
import { type FactorBench, type FactorSession, openFactorBench } from '../second-factors/factor-bench.js';

interface Listed {
  readonly id: string;
  readonly subject: string;
  readonly current: boolean;
}

const outcome = (response: { statusCode: number; json(): { code?: string } }) =>
  response.statusCode < 300 ? response.statusCode : `${response.statusCode} ${response.json().code}`;

describe('ending own sessions', { timeout: 60_000 }, () => {
  let its: FactorBench;
  beforeAll(async () => {
    its = await openFactorBench();
  });
  afterAll(() => its.close());

  const demand = (audience: 'admin' | 'app', value: boolean) =>
    setParameter(its.admin, `${audience}.auth.second-factor.step-up-for-sessions`, value);
  const listed = async (session: Pick<FactorSession, 'call'>, url: string): Promise<readonly Listed[]> =>
    (await session.call('GET', url)).json().data;

  it('MFA-3: a parameter demands a proof of administrators who end other sessions of their own, and of nobody else', async () => {
    const person = await its.person(['api:admin:sessions:*']);
    const other = await its.person([]);
    const session = await its.session(person, { proof: null });
    const end = async (isMeant: (each: Listed) => boolean) => {
      const { id } = (await listed(session, '/admin/sessions')).find(isMeant)!;
      return outcome(await session.call('DELETE', `/admin/sessions/${id}`));
    };
    const endOfOther = async () => {
      await its.session(other);
      const [first] = await listed(its.admin, `/admin/sessions?subject=${other.id}`);
      return outcome(await session.call('DELETE', `/admin/sessions/${first!.id}`));
    };
    await its.session(person);
    expect(await end(({ current }) => !current)).toBe(204);
    await demand('admin', true);
    try {
      await its.session(person);
      expect(await end(({ current }) => !current)).toBe('403 STEP_UP_REQUIRED');
      const all = `/admin/administrators/${person.id.toUpperCase()}/sessions`;
      expect(outcome(await session.call('DELETE', all))).toBe('403 STEP_UP_REQUIRED');
      // An incident does not wait.
      expect(await endOfOther()).toBe(204);
      expect(outcome(await session.call('DELETE', `/admin/administrators/${other.id}/sessions`))).toBe(204);
      const proof = { kind: 'password', password: PASSWORD };
      expect(outcome(await session.call('POST', '/auth/second-factor', proof))).toBe(200);
      expect(await end(({ current }) => !current)).toBe(204);
      const last = await its.session(person, { proof: null });
      const own = (await listed(last, '/admin/sessions')).find(({ current }) => current)!;
      expect(outcome(await last.call('DELETE', `/admin/sessions/${own.id}`))).toBe(204);
    } finally {
      await demand('admin', false);
    }
  });

  it('MFA-3 TOK-7: app users list their sessions, and end each or all, by a parameter after a proof', async () => {
    const user = await newAppUser(its.app);
    const [first] = await listed(user, '/app/sessions');
    const account = { id: first!.subject };
    const session = await its.session(account, { audience: 'app', proof: null });
    const sessions = await listed(session, '/app/sessions');
    expect(sessions).toHaveLength(2);
    const common = { audience: 'app', subject: account.id, terminal: 'app', clientIp: expect.any(String) };
    expect(sessions.find(({ current }) => current)).toMatchObject(common);
    expect(sessions.find(({ current }) => !current)).toMatchObject({ ...common, id: first!.id });
    const end = (id: string) => session.call('DELETE', `/app/sessions/${id}`);
    const stranger = await newAppUser(its.app);
    const [ofStranger] = await listed(stranger, '/app/sessions');
    for (const id of [ofStranger!.id, 'none', `${first!.id}x`]) expect(outcome(await end(id))).toBe('404 NOT_FOUND');
    expect((await stranger.call('GET', '/app/profile')).statusCode).toBe(200);

    await demand('app', true);
    try {
      expect(outcome(await end(first!.id))).toBe('403 STEP_UP_REQUIRED');
      expect(outcome(await session.call('DELETE', '/app/sessions'))).toBe('403 STEP_UP_REQUIRED');
      expect((await user.call('GET', '/app/profile')).statusCode).toBe(200);
      // A new sign-in is a proof.
      const fresh = await its.session(account, { audience: 'app', proof: 'sms-code' });
      expect(outcome(await fresh.call('DELETE', `/app/sessions/${first!.id}`))).toBe(204);
      expect(outcome(await user.call('GET', '/app/profile'))).toBe('401 SESSION_REVOKED');
      expect(outcome(await fresh.call('DELETE', '/app/sessions'))).toBe(204);
      expect(outcome(await session.call('GET', '/app/profile'))).toBe('401 SESSION_REVOKED');
    } finally {
      await demand('app', false);
    }
  });
});
