import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOnBench } from '../modules/second-factors/command-on-bench.js';
import { type FactorBench, openFactorBench } from '../modules/second-factors/factor-bench.js';
import { newAppUser } from '../support/app-accounts.js';

describe('the command second-factor', () => {
  let its: FactorBench;
  beforeAll(async () => {
    its = await openFactorBench();
    await its.setMode('OPTIONAL');
    await its.setMode('REQUIRED', 'app');
  });
  afterAll(() => its.close());

  const run = (...argv: readonly string[]) => runOnBench(its, argv);
  const records = async () =>
    its.rows<{ action: string; actor: string; outcome: string; parameters: string }>(
      sql`select action, actor, outcome, parameters::text as parameters from audit_records
        where actor = 'command:second-factor' order by sequence`,
    );

  it('MFA-4 resets the factors of the last full administrator, ends the sessions and is recorded', async () => {
    const session = await its.session(its.admin);
    await its.enrol(session);
    expect((await run('reset', '--username', 'ADMIN')).status).toBe(0);
    expect((await session.call('GET', '/admin/profile')).statusCode).toBe(401);
    const [row] = await its.rows(sql`
      select is_enrolled, reset_at is not null as is_reset from second_factors where subject = ${its.admin.id}`);
    expect(row).toEqual({ is_enrolled: false, is_reset: true });
    expect((await records()).map(({ action, outcome }) => [action, outcome])).toEqual([
      ['second-factor.reset', 'success'],
    ]);
  });

  it('MFA-4 prints an enrolment code that works, and no record holds it', async () => {
    const person = await newAppUser(its.app);
    const { output, status } = await run('code', '--username', person.mobile, '--app-user');
    expect(status).toBe(0);
    const code = /^(?:[0-9A-Z]{4}-){5}[0-9A-Z]{4}$/m.exec(output)![0];
    const [{ id }] = (await its.rows<{ id: string }>(
      sql`select id from app_users where mobile = ${person.mobile}`,
    )) as [{ id: string }];
    await its.rows(sql`update app_users set created_at = now() - interval '60 days' where id = ${id}`);
    await its.rows(sql`
      update system_parameters set updated_at = now() - interval '60 days'
      where key = 'app.auth.second-factor.mode'`);
    const pending = await its.session({ id }, { audience: 'app', purpose: 'enrolment' });
    const begin = async (body: object) => (await pending.call('POST', '/auth/second-factors/totp', body)).statusCode;
    expect([await begin({}), await begin({ enrolmentCode: code })]).toEqual([403, 200]);
    expect(JSON.stringify(await records())).not.toContain(code);
  });

  it('MFA-4 refuses a name that nobody has, and words that it does not know', async () => {
    expect(await run('reset', '--username', 'nobody-has-this')).toMatchObject({
      status: 2,
      errors: expect.stringContaining('There is no account with the name nobody-has-this'),
    });
    expect((await run('rest', '--username', 'admin')).errors).toContain('reset');
    expect((await run('reset')).status).toBe(2);
    expect((await run('--help')).output).toContain('second-factor.js reset --username NAME');
  });
});
