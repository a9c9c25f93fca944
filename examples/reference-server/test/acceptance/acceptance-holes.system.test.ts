import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exitStatusOf } from '../../acceptance/report-text.js';
import { openTestBench, type TestBench } from '../support/test-app.js';
import { accept, outcomes, type Target, target, unhurried } from './acceptance-run.js';
import { plantedHoles } from './planted-holes.js';

describe('the acceptance command against copies of this server with a hole', { timeout: 300_000 }, () => {
  let bench: TestBench;
  let server: Target | null = null;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterEach(async () => {
    await server?.app.close();
    server = null;
  });
  afterAll(() => bench.close());

  it('OPS-6 without a hole the same checks pass', async () => {
    // On the development profile, whose development routes are the only hole.
    const checks = [...new Set(plantedHoles.map(({ check }) => check))].filter((id) => id !== 'exposure.internals');
    const config = bench.config(unhurried);
    server = await target(config, bench.resources(config));
    const report = await accept(server, checks, { isDevelopment: false });
    const inTheClear = Object.entries(outcomes(report)).filter(([id]) => !id.startsWith('envelopes.'));
    expect(inTheClear.filter(([, outcome]) => outcome !== 'passed')).toEqual([]);
  });

  for (const { hole, check, names, environment, plant, resources } of plantedHoles) {
    it(`OPS-6 ${check} finds ${hole}, names it, and leaves nothing behind`, async () => {
      const config = bench.config({ ...unhurried, ...environment });
      const given = resources?.(bench.resources(config)) ?? bench.resources(config);
      server = await target(config, given, (app) => plant?.(app, given));
      const report = await accept(server, [check], { isDevelopment: false });
      expect(report.checks.flatMap(({ holes }) => holes)).toContainEqual(expect.stringMatching(names));
      expect(exitStatusOf(report)).toBe(1);
      expect(report.leftBehind).toEqual([]);
    });
  }
});
