import { totpCodeAt } from '@sallyport/second-factor';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskMobile } from '../../../src/http/mobile-number.js';
import { appActor, newAppUser } from '../../support/app-accounts.js';
import { type FactorBench, openFactorBench } from './factor-bench.js';

const outcome = ({ statusCode, body }: { statusCode: number; body: string }) =>
  statusCode < 300 ? statusCode : `${statusCode} ${JSON.parse(body).code}`;

const RESET = 'api:admin:second-factors:reset-administrators';

describe('resets by administrators', () => {
  let its: FactorBench;
  beforeAll(async () => {
    its = await openFactorBench();
    await its.setMode('OPTIONAL');
    await its.setMode('OPTIONAL', 'app');
  });
  afterAll(() => its.close());

  const factorsOf = async (id: string) =>
    (await its.rows<{ is_enrolled: boolean }>(sql`select is_enrolled from second_factors where subject = ${id}`))[0];

  it('MFA-4 a reset removes all factors, ends all sessions and is recorded', async () => {
    const person = await its.person();
    const session = await its.session(person);
    await its.enrol(session);
    const root = await its.session(its.admin, { proof: 'factor' });
    expect(outcome(await root.call('DELETE', `/admin/administrators/${person.id}/second-factors`))).toBe(204);
    expect(await factorsOf(person.id)).toEqual({ is_enrolled: false });
    expect((await session.call('GET', '/admin/profile')).statusCode).toBe(401);
    const [record] = await its.rows<{ actor: string; outcome: string }>(
      sql`select actor, outcome from audit_records where action = 'second-factor.reset' and target = ${person.id} order by sequence desc limit 1`,
    );
    expect(record).toEqual({ actor: `admin:${its.admin.id}`, outcome: 'success' });
  });

  it('CON-8 AUD-5 the log names the account of a reset, and finds it by its name and by its id', async () => {
    const person = await its.person();
    await its.enrol(await its.session(person));
    const user = await newAppUser(its.app);
    const [{ id: appId } = { id: '' }] = await its.rows<{ id: string }>(
      sql`select id from app_users where mobile = ${user.mobile}`,
    );
    const root = await its.session(its.admin, { proof: 'factor' });
    for (const path of [`administrators/${person.id}`, `app-users/${appId}`]) {
      expect(outcome(await root.call('DELETE', `/admin/${path}/second-factors`))).toBe(204);
    }
    const found = async (by: typeof root, target: string) => {
      const query = new URLSearchParams({ action: 'second-factor.reset', target });
      const { data, actors } = (await by.call('GET', `/admin/audit-records?${query}`)).json();
      return { targets: data.map((record: { target: string }) => record.target), actors };
    };
    const named = await found(root, person.username.toUpperCase());
    expect(named.targets).toEqual([person.id]);
    expect(named.actors).toContainEqual({ actor: `admin:${person.id}`, username: person.username });
    const ofUser = await found(root, user.mobile);
    expect(ofUser.targets).toEqual([appId]);
    expect(ofUser.actors).toContainEqual({ actor: `app:${appId}`, username: maskMobile(user.mobile) });
    const query = new URLSearchParams({ action: 'auth.login', target: person.id });
    const signIns = (await root.call('GET', `/admin/audit-records?${query}`)).json().data;
    expect(new Set(signIns.map(({ target }: { target: string }) => target))).toEqual(new Set([person.username]));
    const csv = await root.call('GET', `/admin/audit-records/export?format=csv&target=${person.username}`);
    const admin = its.admin;
    const row = csv.body.split('\r\n').find((line) => line.includes('"second-factor.reset"'));
    expect(row).toContain(`"admin:${admin.id}","second-factor.reset","${person.id}"`);
    expect(row?.endsWith(`,"${admin.username}"`)).toBe(true);

    const reader = await its.session(await its.person(['api:admin:audit-records:list']));
    expect(await found(reader, person.username)).toEqual({ targets: [], actors: null });
    expect(await found(reader, user.mobile)).toEqual({ targets: [], actors: null });
  });

  it('MFA-4 after a reset, wrong codes of before do not lock the new factor', async () => {
    const person = await its.person();
    await its.enrol(await its.session(person));
    const prove = async (code: string) => {
      const pending = await its.session(person, { purpose: 'second-factor' });
      return outcome(await pending.call('POST', '/auth/second-factor', { kind: 'totp', code }));
    };
    for (let n = 0; n < 20; n += 1) await prove('wrong');
    expect(await prove('wrong')).toBe('429 LOGIN_LOCKED');
    const root = await its.session(its.admin, { proof: 'factor' });
    expect(outcome(await root.call('DELETE', `/admin/administrators/${person.id}/second-factors`))).toBe(204);
    const phone = await its.enrol(await its.session(person));
    expect(await prove(phone.next())).toBe(200);
  });

  it('MFA-4 an enrolment that began before the reset is not completed after it', async () => {
    const person = await its.person();
    const begun = (await (await its.session(person)).call('POST', '/auth/second-factors/totp', {})).json().data;
    const root = await its.session(its.admin, { proof: 'factor' });
    await root.call('DELETE', `/admin/administrators/${person.id}/second-factors`);
    const code = totpCodeAt(begun.secret, its.now());
    const late = await (await its.session(person)).call('POST', `/auth/second-factors/totp/${begun.id}/confirm`, {
      code,
    });
    expect(outcome(late)).toBe('401 SECOND_FACTOR_FAILED');
  });

  it.each([
    ['DELETE', ''],
    ['POST', '/enrolment-code'],
  ] as const)(
    'MFA-4 %s second-factors%s guards rights: not one’s own, nobody with more rights',
    async (method, rest) => {
      const helper = await its.person([RESET]);
      const peer = await its.person([RESET]);
      const superior = await its.person([RESET, 'api:admin:roles:list']);
      const nobody = await its.person();
      const session = await its.session(helper);
      const call = async (by: typeof session, id: string) =>
        outcome(
          await by.call(
            method,
            `/admin/administrators/${id}/second-factors${rest}`,
            method === 'POST' ? {} : undefined,
          ),
        );
      expect(await call(session, helper.id)).toBe('409 OWN_SECOND_FACTORS');
      expect(await call(session, superior.id)).toBe('403 GRANT_NOT_HELD');
      expect((await superior.call('GET', '/admin/profile')).statusCode).toBe(200);
      expect(await call(session, '00000000-0000-4000-8000-000000000000')).toBe('404 NOT_FOUND');
      expect(await call(await its.session(nobody), peer.id)).toBe('403 PERMISSION_DENIED');
      expect(await call(session, peer.id)).toBe(method === 'POST' ? 201 : 204);
    },
  );

  it('MFA-4 app users have a permission of their own', async () => {
    const user = await newAppUser(its.app);
    const id = (await its.rows<{ id: string }>(sql`select id from app_users where mobile = ${user.mobile}`))[0]!.id;
    const session = await its.session({ id }, { audience: 'app' });
    await its.enrol(appActor(its.app, user.mobile, session.headers.authorization.slice(7)));
    const url = `/admin/app-users/${id}/second-factors`;
    const other = await its.session(await its.person([RESET]));
    expect(outcome(await other.call('DELETE', url))).toBe('403 PERMISSION_DENIED');
    const own = await its.session(
      await its.person(['api:admin:second-factors:reset-app-users', 'api:admin:app-users:update']),
    );
    expect(outcome(await own.call('DELETE', url))).toBe(204);
    expect(await factorsOf(id)).toEqual({ is_enrolled: false });
    expect((await session.call('GET', '/app/profile')).statusCode).toBe(401);
  });

  it('MFA-4 the deletion of an account deletes its factors', async () => {
    const person = await its.person();
    await its.enrol(await its.session(person));
    expect((await its.admin.call('DELETE', `/admin/administrators/${person.id}`)).statusCode).toBe(204);
    expect(await factorsOf(person.id)).toBeUndefined();
  });
});
