import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { actor } from '../../support/accounts.js';
import { type FactorBench, openFactorBench } from '../second-factors/factor-bench.js';

describe('second steps that something overtakes', { timeout: 60_000 }, () => {
  let its: FactorBench;
  beforeAll(async () => {
    its = await openFactorBench();
  });
  afterEach(() => its.setMode('OFF'));
  afterAll(() => its.close());

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
