import { totpCodeAt } from '@sallyport/second-factor';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAppUser } from '../../support/app-accounts.js';
import { type FactorBench, openFactorBench } from './factor-bench.js';

const outcome = ({ statusCode, body }: { statusCode: number; body: string }) =>
  statusCode < 300 ? statusCode : `${statusCode} ${JSON.parse(body).code}`;

const AUDIENCES = ['admin', 'app'] as const;
const PATHS = { admin: 'administrators', app: 'app-users' } as const;

describe.each(AUDIENCES)('the enrolment that a sign-in of the audience %s demands', (audience) => {
  let its: FactorBench;
  beforeAll(async () => {
    its = await openFactorBench();
    await its.setMode('REQUIRED', audience);
  });
  afterAll(() => its.close());

  /** A new account, whose days of grace are over if it was made so long ago. */
  async function account(daysAgo: number): Promise<{ id: string }> {
    const table = sql.raw(audience === 'admin' ? 'administrators' : 'app_users');
    const id = audience === 'admin' ? (await its.person()).id : await newUserId();
    const at = sql`now() - make_interval(days => ${daysAgo}::int)`;
    await its.rows(sql`update ${table} set created_at = ${at} where id = ${id}`);
    return { id };
  }
  async function newUserId(): Promise<string> {
    const { mobile } = await newAppUser(its.app);
    return (await its.rows<{ id: string }>(sql`select id from app_users where mobile = ${mobile}`))[0]!.id;
  }
  const switchedOn = (daysAgo: number) =>
    its.rows(sql`
      update system_parameters set updated_at = now() - make_interval(days => ${daysAgo}::int)
      where key = ${`${audience}.auth.second-factor.mode`}`);
  const enrolmentOf = (person: { id: string }) => its.session(person, { purpose: 'enrolment', audience });
  const begin = async (person: { id: string }, body = {}) =>
    outcome(await (await enrolmentOf(person)).call('POST', '/auth/second-factors/totp', body));
  const codeFor = async ({ id }: { id: string }) => {
    const url = `/admin/${PATHS[audience]}/${id}/second-factors/enrolment-code`;
    return (await (await its.session(its.admin, { proof: 'factor' })).call('POST', url, {})).json().data;
  };

  it('MFA-2 is free within the grace: from the creation, the switch, and the reset', async () => {
    const [fresh, old] = [await account(0), await account(30)];
    await switchedOn(30);
    expect([await begin(fresh), await begin(old)]).toEqual([200, '403 ENROLMENT_CODE_REQUIRED']);
    await switchedOn(1);
    expect(await begin(old)).toBe(200);
    await switchedOn(30);
    const root = await its.session(its.admin, { proof: 'factor' });
    expect(outcome(await root.call('DELETE', `/admin/${PATHS[audience]}/${old.id}/second-factors`))).toBe(204);
    expect(await begin(old)).toBe(200);
  });

  it('MFA-2 needs a code within the grace where the account has a password, and a code to its phone came instead', async () => {
    await switchedOn(1);
    const person = await account(0);
    await its.rows(sql`update app_users set password_hash = 'x' where id = ${person.id}`);
    const session = await its.session(person, { purpose: 'enrolment', audience, proof: 'sms-code' });
    const begun = await session.call('POST', '/auth/second-factors/totp', {});
    expect(outcome(begun)).toBe('403 ENROLMENT_CODE_REQUIRED');
  });

  it('MFA-2 needs a code after the grace, at its beginning and at its end, and uses it up once', async () => {
    await switchedOn(30);
    const old = await account(30);
    const { code, expiresAt } = await codeFor(old);
    expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(expiresAt - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(await begin(old, { enrolmentCode: 'AAAA-BBBB-CCCC-DDDD' })).toBe('403 ENROLMENT_CODE_REQUIRED');
    const others = await account(30);
    expect(await begin(others, { enrolmentCode: code })).toBe('403 ENROLMENT_CODE_REQUIRED');
    const sessions = [await enrolmentOf(old), await enrolmentOf(old)];
    const typed = { enrolmentCode: code.toLowerCase().replaceAll('-', ' ') };
    const begun = await Promise.all(
      sessions.map(async (each) => (await each.call('POST', '/auth/second-factors/totp', typed)).json().data),
    );
    const confirm = (index: number, more: object, at: string) =>
      sessions[index]!.call('POST', `/auth/second-factors/totp/${begun[index].id}/confirm`, { code: at, ...more });
    const codes = begun.map(({ secret }) => totpCodeAt(secret, its.now()));
    expect(outcome(await confirm(0, {}, codes[0]!))).toBe('403 ENROLMENT_CODE_REQUIRED');
    const both = await Promise.all([confirm(0, typed, codes[0]!), confirm(1, typed, codes[1]!)]);
    expect(both.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    const [row] = await its.rows<{ hash: string | null; record: string }>(
      sql`select enrolment_code_hash as hash, record from second_factors where subject = ${old.id}`,
    );
    expect(row!.hash).toBeNull();
  });

  it('MFA-2 refuses an expired code, and one that was replaced', async () => {
    await switchedOn(30);
    const old = await account(30);
    const first = await codeFor(old);
    const second = await codeFor(old);
    expect(await begin(old, { enrolmentCode: first.code })).toBe('403 ENROLMENT_CODE_REQUIRED');
    expect(await begin(old, { enrolmentCode: second.code })).toBe(200);
    await its.rows(sql`update second_factors set enrolment_code_expires_at = now() where subject = ${old.id}`);
    expect(await begin(old, { enrolmentCode: second.code })).toBe('403 ENROLMENT_CODE_REQUIRED');
  });

  it('MFA-2 bounds the guesses of a code, for each address', async () => {
    await switchedOn(30);
    const old = await account(30);
    const { code } = await codeFor(old);
    const session = await enrolmentOf(old);
    const guess = (enrolmentCode: string) => session.call('POST', '/auth/second-factors/totp', { enrolmentCode });
    const guesses = await Promise.all(Array.from({ length: 12 }, (_, index) => guess(`WRONG-${index}`)));
    expect(guesses.map(outcome).filter((each) => each === '429 LOGIN_LOCKED').length).toBeGreaterThanOrEqual(2);
    expect(outcome(await guess(code))).toBe('429 LOGIN_LOCKED');
  });

  it('MFA-2 is refused for an account that has a factor, also if both began before', async () => {
    const fresh = await account(0);
    const [one, other] = [await enrolmentOf(fresh), await enrolmentOf(fresh)];
    const begun = (await other.call('POST', '/auth/second-factors/totp', {})).json().data;
    await its.enrol(one);
    const code = totpCodeAt(begun.secret, its.now());
    // The first factor has ended the other session.
    expect(outcome(await other.call('POST', `/auth/second-factors/totp/${begun.id}/confirm`, { code }))).toMatch(
      /^401 SESSION/,
    );
    const third = await enrolmentOf(fresh);
    const late = await third.call('POST', `/auth/second-factors/totp/${begun.id}/confirm`, { code });
    expect(outcome(late)).toBe('403 SECOND_FACTOR_REQUIRED');
  });

  it('MFA-2 serves nothing but the enrolment', async () => {
    const session = await enrolmentOf(await account(0));
    const refused = '403 SECOND_FACTOR_ENROLMENT_REQUIRED';
    expect(outcome(await session.call('GET', '/auth/second-factors'))).toBe(refused);
    expect(outcome(await session.call('POST', '/auth/second-factors/recovery-codes', {}))).toBe(refused);
    expect(outcome(await session.call('DELETE', '/auth/second-factors/x'))).toBe(refused);
  });
});
