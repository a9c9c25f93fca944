import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptanceChecks } from '../../acceptance/checks.js';
import { exitStatusOf } from '../../acceptance/report-text.js';
import { FACTOR_PROOF } from '../../src/protection/factor-duty.js';
import { filesBelow } from '../modules/files/uploads.js';
import { openTestBench, type TestBench } from '../support/test-app.js';
import { accept, outcomes, type Target, target, unhurried } from './acceptance-run.js';

const privateKey = { SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex') };
const everything = Object.fromEntries(acceptanceChecks.map(({ id }) => [id, 'passed']));
const loopback = { 'headers.transport': expect.stringMatching(/^not-applicable/) };
const development = { 'exposure.documentation': expect.stringMatching(/^not-applicable/) };

describe('the acceptance command against this server', { timeout: 300_000 }, () => {
  let bench: TestBench;
  const targets: Target[] = [];
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(async () => {
    await Promise.all(targets.map(({ app }) => app.close()));
    await bench.close();
  });

  /** Row counts of the durable tables. */
  async function lasting(): Promise<Record<string, unknown>> {
    const tables = [
      'administrators',
      'roles',
      'administrator_roles',
      'stored_files',
      'payments',
      'app_users',
      'system_parameters',
    ];
    const rows = tables.map(async (table) => {
      return [table, await bench.database.orm.execute(sql`select * from ${sql.identifier(table)} order by 1`)] as const;
    });
    return { ...Object.fromEntries(await Promise.all(rows)), files: await filesBelow(bench.folder) };
  }

  it('OPS-6 CAP-1 in mode REQUIRED with captchas, which nobody has to read, every check passes, and nothing is left behind', async () => {
    const config = bench.config({ ...unhurried, ...privateKey, SERVICE_API_ENCRYPTION_MODE: 'REQUIRED' });
    const server = await target(config, bench.resources(config));
    targets.push(server);
    const parameters = { 'admin.auth.captcha.enabled': true, 'auth.captcha.proof-of-work.cost': 12 };
    for (const [key, value] of Object.entries(parameters)) {
      await server.app.systemParameters.change({ key, value, version: 0, changedBy: 'test' });
    }
    const before = await lasting();
    const report = await accept(server, []);
    expect(outcomes(report)).toEqual({ ...everything, ...loopback, ...development });
    expect(report.leftBehind).toEqual([]);
    expect(exitStatusOf(report)).toBe(0);
    expect(await lasting()).toEqual(before);
  });

  it('OPS-6 MFA-2 PWD-7 where second factors and own first passwords are demanded, every check passes', async () => {
    const config = bench.config(unhurried);
    const server = await target(config, bench.resources(config));
    targets.push(server);
    const parameters = { 'admin.auth.second-factor.mode': 'REQUIRED', 'admin.auth.password.force-first-change': true };
    for (const [key, value] of Object.entries(parameters)) {
      await server.app.systemParameters.change({ key, value, version: 0, changedBy: 'test' });
    }
    const { subject } = await server.app.authTokens.check(server.token);
    const client = { terminal: 'web', clientIp: '127.0.0.1', userAgent: 'test' };
    const session = { audience: 'admin', subject, ...client, proof: { method: FACTOR_PROOF } };
    const { token } = await server.app.authTokens.issue(session);
    const report = await accept({ ...server, token }, []);
    const off = /^not-applicable/;
    const plain = Object.fromEntries(
      report.checks
        .filter(({ outcome }) => outcome === 'not-applicable')
        .map(({ id }) => [id, expect.stringMatching(off)]),
    );
    expect(Object.keys(plain).length).toBeLessThan(8);
    expect(outcomes(report)).toEqual({ ...everything, ...plain });
    expect(report.leftBehind).toEqual([]);
  });
});
