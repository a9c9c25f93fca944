import { auditRecords } from '@sallyport/audit-log/postgres';
import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, catalog } from '../../src/app.js';
import { runPolicyCommand } from '../../src/commands/policy/policy-command.js';
import { differencesFrom, PROFILE_NAMES, policyProfiles } from '../../src/preflight/policy-profiles.js';
import { profileItems } from '../../src/preflight/profile-check.js';
import { profileDefaults } from '../../src/preflight/profile-definitions.js';
import { storedParameters } from '../../src/preflight/stored-parameters.js';
import { type Actor, roomy, root } from '../support/accounts.js';
import { setParameter } from '../support/system-parameters.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

describe('the command policy', { timeout: 60_000 }, () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
    // Profiles demand a second factor.
    const { sessionId } = await app.authTokens.check(admin.headers.authorization.slice('Bearer '.length));
    await app.authTokens.prove(sessionId, 'factor');
  });
  afterAll(() => bench.close());

  async function run(...argv: string[]) {
    let output = '';
    const status = await runPolicyCommand({
      argv,
      env: { SERVICE_PROFILE: 'development', SERVICE_DATA_DIR: bench.folder },
      now: Date.now,
      openDatabase: async () => ({ ...bench.database, close: async () => {} }),
      write: (text) => {
        output += text;
      },
      writeError: (text) => {
        output += text;
      },
    });
    return { status, output };
  }

  const itemsOf = (name: (typeof PROFILE_NAMES)[number] | null) =>
    profileItems({ 'policy.profile': name }, storedParameters(bench.database));

  it('PWD-7: the profile interface-document has the defaults, and a new server satisfies it', async () => {
    const defaults = new Map(
      catalog.parameters.flatMap(({ definitions }) =>
        Object.values(definitions).map(({ key, default: value }) => [key, value]),
      ),
    );
    const { rules } = policyProfiles['interface-document'];
    expect(rules.map(({ key, value }) => [key, value])).toEqual(rules.map(({ key }) => [key, defaults.get(key)]));
    expect(differencesFrom(policyProfiles['interface-document'], profileDefaults)).toEqual([]);
    // This profile puts back all that another one sets.
    const keys = rules.map(({ key }) => key);
    for (const name of PROFILE_NAMES) {
      expect(keys).toEqual(expect.arrayContaining(policyProfiles[name].rules.map(({ key }) => key)));
    }
    expect((await run('interface-document', '--compare')).status).toBe(0);
    expect(await itemsOf('interface-document')).toEqual([]);
  });

  it.each(PROFILE_NAMES)('PWD-7: the values of %s satisfy it, and it says what it does not cover', async (name) => {
    const { rules, notCovered } = policyProfiles[name];
    for (const { key, value, accepts } of rules) expect([key, accepts(value)]).toEqual([key, true]);
    const { status, output } = await run(name);
    expect(status).toBe(0);
    for (const gap of notCovered) expect(output).toContain(`- ${gap}\n`);
    expect(output).toContain('digest of the password: it cannot see the typed length');
    if (name === 'interface-document') return;
    expect(output).toMatch(/admin\.auth\.second-factor\.mode +REQUIRED/);
    expect(output).toContain('A second factor ');
  });

  it('PWD-7: a profile is shown, compared, set with a record for each parameter, and put back', async () => {
    const shown = await run('dengbao3');
    expect(shown.output).toMatch(/! admin\.auth\.password\.max-age-days +90 +0\n/);
    expect(shown.output).toMatch(/ {2}admin\.auth\.login\.failure-count +5 +5\n/);
    expect((await run('dengbao3', '--compare')).status).toBe(1);
    expect(await itemsOf(null)).toEqual([]);
    expect(await itemsOf('dengbao3')).toMatchObject([
      { id: 'parameters.profile', finding: expect.stringContaining('max-age-days is 0, not 90') },
    ]);

    const applied = await run('dengbao3', '--apply');
    const setting = expect.stringContaining('Set: admin.auth.captcha.enabled = true');
    expect(applied).toMatchObject({ status: 0, output: setting });
    expect((await run('dengbao3', '--compare')).status).toBe(0);
    expect(await itemsOf('dengbao3')).toEqual([]);
    const set = differencesFrom(policyProfiles.dengbao3, profileDefaults);
    const records = await bench.database.orm
      .select()
      .from(auditRecords)
      .where(eq(auditRecords.actor, 'command:policy'))
      .orderBy(asc(auditRecords.sequence));
    expect(records.map(({ action, target, outcome }) => [action, target, outcome])).toEqual(
      set.map(({ rule }) => ['system-parameter.update', rule.key, 'success']),
    );
    expect(records[0]).toMatchObject({ parameters: { detail: { newValue: set[0]!.rule.value, version: 1 } } });

    // A stricter value satisfies it as well; a laxer one does not.
    const url = '/admin/system-parameters/admin.auth.password.max-age-days';
    const inForce = async () => (await admin.call('GET', url)).json().data.value;
    await expect.poll(inForce, { timeout: 10_000 }).toBe(90);
    await setParameter(admin, 'admin.auth.password.max-age-days', 60);
    expect((await run('dengbao3', '--compare')).status).toBe(0);
    await setParameter(admin, 'admin.auth.password.max-age-days', 0);
    expect((await run('dengbao3', '--compare')).status).toBe(1);

    expect((await run('interface-document', '--apply')).status).toBe(0);
    expect((await run('interface-document', '--compare')).status).toBe(0);
  });

  it('PWD-7: what the rules between parameters forbid is refused, and says which', async () => {
    await setParameter(admin, 'admin.auth.password.max-length', 7);
    const { status, output } = await run('nist', '--apply');
    expect([status, output]).toEqual([2, expect.stringContaining('admin.auth.password.min-length = 8: ')]);
    await setParameter(admin, 'admin.auth.password.max-length', 32);
    expect((await run('nist', '--apply')).status).toBe(0);
    expect((await run('nist', '--compare')).status).toBe(0);
  });

  it('PWD-7: it needs a profile, and one thing to do', async () => {
    expect((await run()).status).toBe(2);
    expect((await run('nist', '--compare', '--apply')).status).toBe(2);
    expect((await run('--help')).output).toContain('Exit status: 0 success');
  });
});
