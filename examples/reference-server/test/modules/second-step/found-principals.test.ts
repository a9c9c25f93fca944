import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, actor } from '../../support/accounts.js';
import { eventReader } from '../../support/event-reader.js';
import { type FactorBench, openFactorBench } from '../second-factors/factor-bench.js';

const FILE = '0190b5a0-0000-7000-8000-000000000000';

describe('sessions that lack a factor, where no hook sees them', { timeout: 60_000 }, () => {
  let its: FactorBench;
  let person: Actor;
  beforeAll(async () => {
    its = await openFactorBench();
    person = await actor(its.app, its.admin, ['*']);
  });
  afterEach(() => its.setMode('OFF'));
  afterAll(() => its.close());

  it('MFA-2: the health of the parts is not shown to a session without its factor', async () => {
    const [password, factor] = [await its.session(person), await its.session(person, { proof: 'factor' })];
    const shown = async (session: typeof password) =>
      Object.keys((await session.call('GET', '/actuator/health')).json()).includes('components');
    expect(await shown(password)).toBe(true);
    await its.setMode('REQUIRED');
    expect([await shown(password), await shown(factor)]).toEqual([false, true]);
  });

  it('MFA-2: a stream ends when the mode demands a factor that its session lacks', async () => {
    const origin = await its.app.listen({ host: '127.0.0.1', port: 0 });
    const open = async (proof: 'password' | 'factor') => {
      const { headers } = await its.session(person, { proof });
      const response = await fetch(`${origin}/admin/activity/stream`, { headers });
      expect(response.status).toBe(200);
      return eventReader(response);
    };
    const [password, factor] = [await open('password'), await open('factor')];
    expect(await password.next()).not.toBeNull();
    await its.setMode('REQUIRED');
    const readOn = async () => {
      while ((await password.next()) !== null);
    };
    await expect(readOn()).rejects.toThrow('terminated');
    expect(await factor.next()).not.toBeNull();
    await factor.cancel();
  });

  it('MFA-2: a ticket of such a session gives nothing', async () => {
    const { headers } = await its.session(person);
    const principal = await its.app.authTokens.check(headers.authorization.slice('Bearer '.length));
    const use = { principal, purpose: 'storage:download', resource: FILE } as const;
    const download = async () => {
      const { ticket } = await its.app.authTokens.issueTicket(use);
      return (await its.app.inject({ url: `/public/storage/download?id=${FILE}&ticket=${ticket}` })).json().code;
    };
    expect(await download()).toBe('NOT_FOUND');
    await its.setMode('REQUIRED');
    expect(await download()).toBe('TICKET_INVALID');
  });

  it('MFA-4: a reset that comes while the second step is under way refuses it', async () => {
    await its.setMode('OPTIONAL');
    const owner = await actor(its.app, its.admin, []);
    const phone = await its.enrol(owner);
    const pending = await its.session(owner, { purpose: 'second-factor' });
    const { issue } = its.app.authTokens;
    Object.assign(its.app.authTokens, {
      async issue(input: Parameters<typeof issue>[0]) {
        Object.assign(its.app.authTokens, { issue });
        const reset = await its.admin.call('DELETE', `/admin/administrators/${owner.id}/second-factors`);
        expect(reset.statusCode).toBe(204);
        return issue(input);
      },
    });
    const proven = await pending.call('POST', '/auth/second-factor', { kind: 'totp', code: phone.next() });
    expect([proven.statusCode, proven.json().code]).toEqual([401, 'SESSION_REVOKED']);
    expect(await its.app.authTokens.sessions({ audience: 'admin', subject: owner.id })).toEqual([]);
  });

  it('MFA-2: a second step whose first was no password clears no failure of passwords', async () => {
    await its.setMode('OPTIONAL');
    const owner = await actor(its.app, its.admin, []);
    const phone = await its.enrol(owner);
    const subject = { username: owner.username, terminal: 'web', clientIp: '127.0.0.1' };
    for (let n = 0; n < 3; n += 1) await its.app.loginPolicy.attempt(subject, async () => null);
    const failures = async () => (await its.app.loginPolicy.explain(subject)).counters[0];
    const complete = async (proof: 'password' | null) => {
      const pending = await its.session(owner, { purpose: 'second-factor', proof });
      return pending.call('POST', '/auth/second-factor', { kind: 'totp', code: phone.next() });
    };
    expect((await complete(null)).statusCode).toBe(200);
    expect(await failures()).toMatchObject({ failures: 3 });
    expect((await complete('password')).statusCode).toBe(200);
    expect(await failures()).toMatchObject({ failures: 0 });
  });

  it('MFA-2: writing the mode that is in force does not begin the days of grace again', async () => {
    const old = await actor(its.app, its.admin, []);
    await its.setMode('REQUIRED');
    await its.rows(sql`update administrators set created_at = now() - interval '30 days' where id = ${old.id}`);
    await its.rows(sql`
      update system_parameters set updated_at = now() - interval '30 days' where key = 'admin.auth.second-factor.mode'`);
    const begin = async () => {
      const session = await its.session(old, { purpose: 'enrolment' });
      const { statusCode, body } = await session.call('POST', '/auth/second-factors/totp', {});
      return statusCode < 300 ? statusCode : JSON.parse(body).code;
    };
    expect(await begin()).toBe('ENROLMENT_CODE_REQUIRED');
    const url = '/admin/system-parameters/admin.auth.second-factor.mode';
    const { version } = (await its.admin.call('GET', url)).json().data;
    expect((await its.admin.call('PUT', url, { value: 'REQUIRED', version })).statusCode).toBe(200);
    expect(await begin()).toBe('ENROLMENT_CODE_REQUIRED');
  });
});
