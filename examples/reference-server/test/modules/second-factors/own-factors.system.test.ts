import { totpCodeAt } from '@sallyport/second-factor';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FactorBench, openFactorBench, STEP } from './factor-bench.js';

const outcome = ({ statusCode, body }: { statusCode: number; body: string }) =>
  statusCode < 300 ? statusCode : `${statusCode} ${JSON.parse(body).code}`;

describe('own second factors', () => {
  let its: FactorBench;
  beforeAll(async () => {
    its = await openFactorBench({ SERVICE_PORT: '0' });
  });
  afterAll(() => its.close());
  beforeEach(() => its.setMode('OPTIONAL'));

  it('MFA-1 an authenticator app is enrolled, listed and removed; its secret is encrypted at rest', async () => {
    const person = await its.person();
    const session = await its.session(person);
    const { secret, id, uri } = (await session.call('POST', '/auth/second-factors/totp', { name: 'Phone' })).json()
      .data;
    expect(uri).toContain(`secret=${secret}`);
    const code = totpCodeAt(secret, its.now());
    const confirmed = await session.call('POST', `/auth/second-factors/totp/${id}/confirm`, { code });
    expect(confirmed.json().data).toEqual({ id, kind: 'totp' });
    const listed = (await session.call('GET', '/auth/second-factors')).json().data;
    expect(listed).toEqual([{ id, kind: 'totp', name: 'Phone', createdAt: its.now(), lastUsedAt: its.now() }]);
    const [row] = await its.rows<{ record: string; is_enrolled: boolean }>(
      sql`select record, is_enrolled from second_factors where subject = ${person.id}`,
    );
    expect(row!.is_enrolled).toBe(true);
    expect(row!.record).not.toContain(secret);
    expect(JSON.parse(row!.record).totp.secret).toMatch(/^v1:test:/);
    expect(outcome(await session.call('DELETE', `/auth/second-factors/${id}`))).toBe(204);
    expect((await session.call('GET', '/auth/second-factors')).json().data).toEqual([]);
  });

  it('MFA-2 no factor is changed while the mode is OFF', async () => {
    const person = await its.person();
    const session = await its.session(person);
    const { id } = await its.enrol(session);
    await its.setMode('OFF');
    const changes = [
      ['POST', '/auth/second-factors/totp'],
      ['POST', `/auth/second-factors/totp/${id}/confirm`, { code: '123456' }],
      ['POST', '/auth/second-factors/passkeys/options'],
      ['POST', '/auth/second-factors/passkeys', { credential: {} }],
      ['POST', '/auth/second-factors/recovery-codes'],
      ['DELETE', `/auth/second-factors/${id}`],
    ] as const;
    for (const [method, url, payload = method === 'POST' ? {} : undefined] of changes) {
      expect([url, outcome(await session.call(method, url, payload))]).toEqual([url, '409 SECOND_FACTOR_OFF']);
    }
    const listed = (await session.call('GET', '/auth/second-factors')).json();
    expect([listed.data.length, listed.mode]).toEqual([1, 'OFF']);
    await its.setMode('REQUIRED');
    expect((await session.call('GET', '/auth/second-factors')).json().mode).toBe('REQUIRED');
  });

  it('MFA-2 the first factor needs the password, also where the session proved something else', async () => {
    const person = await its.person();
    const session = await its.session(person, { proof: 'factor' });
    expect(outcome(await session.call('POST', '/auth/second-factors/totp', {}))).toBe('403 STEP_UP_REQUIRED');
    const older = await its.session(person, { proof: null });
    expect(outcome(await older.call('POST', '/auth/second-factors/totp', {}))).toBe('403 STEP_UP_REQUIRED');
  });

  it('MFA-2 the first factor ends the other sessions, and so do its replacement and removal', async () => {
    const person = await its.person();
    const [session, other] = [await its.session(person), await its.session(person)];
    await its.enrol(session);
    expect((await other.call('GET', '/admin/profile')).statusCode).toBe(401);
    expect((await person.call('GET', '/admin/profile')).statusCode).toBe(401);
    const later = await its.session(person, { proof: 'factor' });
    const { id } = await its.enrol(session);
    expect((await later.call('GET', '/admin/profile')).statusCode).toBe(401);
    const last = await its.session(person, { proof: 'factor' });
    expect((await session.call('DELETE', `/auth/second-factors/${id}`)).statusCode).toBe(204);
    expect((await last.call('GET', '/admin/profile')).statusCode).toBe(401);
  });

  it('MFA-2 a session whose owner has removed the last factor has proven nothing', async () => {
    const person = await its.person();
    const session = await its.session(person);
    const { id } = await its.enrol(session);
    await session.call('DELETE', `/auth/second-factors/${id}`);
    expect((await session.call('GET', '/admin/profile')).statusCode).toBe(200);
    expect(outcome(await session.call('POST', '/auth/second-factors/totp', {}))).toBe('403 STEP_UP_REQUIRED');
    await its.setMode('REQUIRED');
    expect(outcome(await session.call('GET', '/admin/profile'))).toBe('403 SECOND_FACTOR_ENROLMENT_REQUIRED');
    await its.setMode('OPTIONAL');
  });

  it('MFA-2 a wrong code enrols nothing, and a right one only once', async () => {
    const person = await its.person();
    const session = await its.session(person);
    const { secret, id } = (await session.call('POST', '/auth/second-factors/totp', {})).json().data;
    const url = `/auth/second-factors/totp/${id}/confirm`;
    const wrong = totpCodeAt(secret, its.now() + 10 * STEP);
    expect(outcome(await session.call('POST', url, { code: wrong }))).toBe('401 SECOND_FACTOR_FAILED');
    const code = totpCodeAt(secret, its.now());
    const uses = await Promise.all([1, 2, 3].map(() => session.call('POST', url, { code })));
    expect(uses.map(outcome).filter((each) => each === 200)).toHaveLength(1);
  });

  it('MFA-1 recovery codes need a factor, are ten, and go with the last one', async () => {
    const person = await its.person();
    const session = await its.session(person);
    const none = await session.call('POST', '/auth/second-factors/recovery-codes', {});
    expect(outcome(none)).toBe('409 SECOND_FACTOR_NOT_ENROLLED');
    const { id } = await its.enrol(session);
    const made = await session.call('POST', '/auth/second-factors/recovery-codes', {});
    expect(new Set(made.json().data.codes).size).toBe(10);
    const kinds = async () =>
      (await session.call('GET', '/auth/second-factors')).json().data.map(({ kind }: { kind: string }) => kind);
    expect(await kinds()).toEqual(['totp', 'recovery-code']);
    await session.call('DELETE', `/auth/second-factors/${id}`);
    expect(await kinds()).toEqual([]);
  });

  it('MFA-2 the last factor stays while one is required', async () => {
    const person = await its.person();
    const session = await its.session(person);
    const { id } = await its.enrol(session);
    await its.setMode('REQUIRED');
    expect(outcome(await session.call('DELETE', `/auth/second-factors/${id}`))).toBe('409 SECOND_FACTOR_LAST');
    expect((await session.call('GET', '/auth/second-factors')).json().data).toHaveLength(1);
    await its.setMode('OPTIONAL');
    expect(outcome(await session.call('DELETE', `/auth/second-factors/${id}`))).toBe(204);
    const proven = await its.session(person);
    expect(outcome(await proven.call('DELETE', `/auth/second-factors/${id}`))).toBe('404 NOT_FOUND');
    // As long as the id of a passkey may be.
    const longest = 'a'.repeat(1364);
    expect(outcome(await proven.call('DELETE', `/auth/second-factors/${longest}`))).toBe('404 NOT_FOUND');
  });

  it('MFA-1 passkeys are refused where no address is configured for them', async () => {
    const session = await its.session(await its.person());
    const asked = await session.call('POST', '/auth/second-factors/passkeys/options', {});
    expect(outcome(asked)).toBe('409 PASSKEYS_NOT_CONFIGURED');
  });

  it('MFA-1 codes, secrets and credentials are masked in the audit log', async () => {
    const session = await its.session(await its.person());
    const { secret, id } = (
      await session.call('POST', '/auth/second-factors/totp', { enrolmentCode: 'AAAA-BBBB' })
    ).json().data;
    const code = totpCodeAt(secret, its.now());
    await session.call('POST', `/auth/second-factors/totp/${id}/confirm`, { code });
    const { codes } = (await session.call('POST', '/auth/second-factors/recovery-codes', {})).json().data;
    await session.call('POST', '/auth/second-factors/passkeys', { credential: { rawId: 'raw-id-of-a-passkey' } });
    const rows = await its.rows<{ action: string; text: string }>(
      sql`select action, parameters::text || extra::text as text from audit_records where action like 'second-factor.%'`,
    );
    expect(new Set(rows.map(({ action }) => action))).toEqual(
      new Set([
        'second-factor.begin',
        'second-factor.enrol',
        'second-factor.read',
        'second-factor.recovery-codes',
        'second-factor.remove',
      ]),
    );
    const text = rows.map((row) => row.text).join('\n');
    for (const secretText of [secret, code, 'AAAA-BBBB', 'raw-id-of-a-passkey', ...codes]) {
      expect(text).not.toContain(secretText);
    }
  });
});
