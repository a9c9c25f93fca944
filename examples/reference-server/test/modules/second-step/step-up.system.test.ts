import { sql } from 'drizzle-orm';
import type { FastifyContextConfig } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD, roomy } from '../../support/accounts.js';
import { openTestBench } from '../../support/test-app.js';
import { writingOperations } from '../../support/writing-requests.js';
import { type FactorBench, type FactorSession, openFactorBench } from '../second-factors/factor-bench.js';

/** The operations that write and need no fresh proof, each with its reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  'POST /admin/auth/login': 'opens the session',
  'POST /admin/auth/register': 'has no session',
  'POST /app/auth/sendSmsCode': 'has no session',
  'POST /app/auth/login': 'opens the session',
  'POST /app/auth/recoverPassword': 'has no session',
  'POST /auth/second-factor': 'is the proof',
  'POST /auth/second-factor/options': 'is the proof',
  'POST /auth/logout': 'ends a session',
  'DELETE /admin/app-users/:id/sessions': 'ends sessions',
  'DELETE /admin/administrators/:id': 'only takes rights',
  'DELETE /admin/roles/:id': 'only takes rights',
  'PUT /admin/app-users/:id': 'gives no rights of an administrator',
  'PUT /admin/profile/password': 'asks for the old password',
  'PUT /app/profile/password': 'asks for the old password or a code',
  'PUT /admin/profile': 'is the own name',
  'PUT /app/profile': 'is the own name',
  'POST /auth/tickets': 'gives what the session has',
  'POST /admin/auth/clearLoginLimit': 'ends a lock',
  'POST /admin/payments': 'is daily work',
  'POST /admin/storage/files': 'is daily work',
  'POST /app/storage/files': 'is daily work',
  'DELETE /admin/storage/files/:id': 'is daily work',
  'POST /admin/storage/simulate': 'changes nothing',
  'POST /admin/audit-records/verify': 'changes nothing',
};

const outcome = (response: { statusCode: number; json(): { code?: string } }) =>
  response.statusCode < 300 ? response.statusCode : `${response.statusCode} ${response.json().code}`;

describe('step-up', { timeout: 60_000 }, () => {
  let its: FactorBench;
  let holder: Actor;
  beforeAll(async () => {
    its = await openFactorBench();
    holder = await actor(its.app, its.admin, ['*']);
  });
  afterEach(() => its.setMode('OFF'));
  afterAll(() => its.close());

  const prove = (session: FactorSession, payload: object) => session.call('POST', '/auth/second-factor', payload);
  let roles = 0;
  const createRole = (session: FactorSession) => {
    roles += 1;
    return session.call('POST', '/admin/roles', { name: `Role ${roles}`, permissions: [] });
  };

  it('MFA-3: every operation that writes needs a fresh proof, or is known not to', async () => {
    const bench = await openTestBench();
    const config = bench.config(roomy);
    const app: App = createApp(config);
    const configs = new Map<string, FastifyContextConfig>();
    app.addHook('onRoute', ({ method, url, config: own = {} }) => {
      for (const each of [method].flat()) configs.set(`${each} ${url}`, own);
    });
    await bench.compose(app, config);
    const without = writingOperations.filter((name) => configs.get(name)?.stepUp === undefined);
    expect([...without].sort()).toEqual(Object.keys(WITHOUT).sort());
    await app.close();
    await bench.close();
  });

  it('MFA-3: a session without a proof, as one of before, is refused, and the password suffices in mode OFF', async () => {
    const session = await its.session(holder, { proof: null });
    expect(outcome(await createRole(session))).toBe('403 STEP_UP_REQUIRED');
    expect(outcome(await session.call('GET', '/admin/roles'))).toBe(200);
    expect(outcome(await prove(session, { kind: 'password', password: OTHER_PASSWORD }))).toBe(
      '401 SECOND_FACTOR_FAILED',
    );
    expect(outcome(await createRole(session))).toBe('403 STEP_UP_REQUIRED');
    const proven = await prove(session, { kind: 'password', password: PASSWORD });
    expect(Object.keys(proven.json().data)).toEqual(['provenUntil']);
    expect(proven.json().data.provenUntil - Date.now()).toBeGreaterThan(9 * 60_000);
    expect(outcome(await createRole(session))).toBe(201);
  });

  it('MFA-3: a wrong password counts as a failed sign-in, and the lock holds', async () => {
    const person = await actor(its.app, its.admin, ['*']);
    const [session, other] = [await its.session(person, { proof: null }), await its.session(person, { proof: null })];
    for (let n = 0; n < 5; n += 1) await prove(session, { kind: 'password', password: OTHER_PASSWORD });
    expect(outcome(await prove(other, { kind: 'password', password: PASSWORD }))).toBe('429 LOGIN_LOCKED');
  });

  it('MFA-3: disabling and renaming an account need no proof, roles and enabling do', async () => {
    const session = await its.session(holder, { proof: null });
    const person = await actor(its.app, its.admin, []);
    const change = (body: object) => session.call('PUT', `/admin/administrators/${person.id}`, body);
    expect(outcome(await change({ roleIds: [] }))).toBe('403 STEP_UP_REQUIRED');
    expect(outcome(await change({ disabled: true, roleIds: [] }))).toBe('403 STEP_UP_REQUIRED');
    expect(outcome(await session.call('GET', `/admin/administrators/${person.id}`))).toBe(200);
    expect(outcome(await change({ displayName: 'Another' }))).toBe(200);
    expect(outcome(await change({ disabled: true }))).toBe(200);
    expect(outcome(await change({ disabled: false }))).toBe('403 STEP_UP_REQUIRED');
  });

  it('MFA-3: an account with a factor proves the factor, not the password', async () => {
    await its.setMode('OPTIONAL');
    const person = await actor(its.app, its.admin, ['*']);
    const phone = await its.enrol(person);
    const session = await its.session(person, { proof: 'password' });
    expect(outcome(await session.call('GET', '/admin/roles'))).toBe('403 SECOND_FACTOR_REQUIRED');
    expect(outcome(await prove(session, { kind: 'password', password: PASSWORD }))).toBe('401 SECOND_FACTOR_FAILED');
    expect(outcome(await prove(session, { kind: 'totp', code: phone.next() }))).toBe(200);
    expect(outcome(await createRole(session))).toBe(201);
  });

  it('MFA-3: an ended session proves nothing', async () => {
    const session = await its.session(holder, { proof: null });
    await session.call('POST', '/auth/logout');
    expect(outcome(await prove(session, { kind: 'password', password: PASSWORD }))).toBe('401 SESSION_REVOKED');
  });

  it('MFA-3: a proof that grows old while the change is under way does not commit it', async () => {
    const session = await its.session(holder, { proof: 'password' });
    // The change waits for the lock of another transaction, and meanwhile the proof is too old.
    const changed = await withinLock(
      () => createRole(session),
      async () => passElevenMinutes(),
    );
    expect(outcome(changed)).toBe('403 STEP_UP_REQUIRED');
  });

  it('MFA-3: a factor that is enrolled while the change is under way refuses it', async () => {
    await its.setMode('OPTIONAL');
    const person = await actor(its.app, its.admin, ['*']);
    const session = await its.session(person, { proof: 'password' });
    const changed = await withinLock(
      () => createRole(session),
      () =>
        its.rows(sql`
          insert into second_factors (audience, subject, record, is_enrolled)
          values ('admin', ${person.id}, '{}', true)`),
    );
    expect(outcome(changed)).toBe('403 SECOND_FACTOR_REQUIRED');
    await its.rows(sql`delete from second_factors where subject = ${person.id}`);
  });

  /** Moves the clock of this process on, by which a node knows the time of the store. */
  function passElevenMinutes(): void {
    const { now } = performance;
    moved.push(() => {
      performance.now = now;
    });
    performance.now = () => now.call(performance) + 11 * 60_000;
  }

  const moved: (() => void)[] = [];
  afterEach(() => {
    for (const back of moved.splice(0)) back();
  });

  /**
   * Begins the change while another transaction holds the roles, for which it waits, and does something else meanwhile.
   * The transaction that holds them is never idle, or the server would end it on a busy machine.
   */
  async function withinLock<Result>(change: () => Promise<Result>, meanwhile: () => Promise<unknown>): Promise<Result> {
    const held = await its.bench.database.orm.transaction(async (transaction) => {
      await transaction.execute(sql`lock table roles in share mode`);
      const pending = change();
      pending.catch(() => {});
      await transaction.execute(sql`select pg_sleep(0.3)`);
      let isDone = false;
      const other = meanwhile().finally(() => {
        isDone = true;
      });
      while (!isDone) await transaction.execute(sql`select pg_sleep(0.05)`);
      await other;
      return { pending };
    });
    return held.pending;
  }
});
