import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import type { Finding } from '../../faults/observed-run.js';
import { reportTable } from '../../faults/report-table.js';
import { abuse } from '../../faults/scenarios/abuse.js';
import { SHORT_COUNTS } from '../../faults/scenarios/scenario.js';

// `pnpm run faults abuse` is the long run, which also takes minutes by the real clock. Its figures are in the README.
describe.skipIf(lacks('procfs'))(
  'attackers and honest users on two nodes, by moved clocks',
  { timeout: 300_000 },
  () => {
    let database: TestDatabase;
    let finding: Finding;
    beforeAll(async () => {
      database = await createTestDatabase();
      const site = {
        databaseUrl: database.url,
        postgres: null,
        redis: null,
        store: 'postgres',
        say: () => {},
      } as const;
      [finding] = (await abuse.run(site, SHORT_COUNTS)) as [Finding];
    }, 300_000);
    afterAll(() => database?.drop());

    it('LGN-6 LGN-12 OTC-1 OTC-3 CAP-1 PWD-4 no attacker reaches more than the requirements allow', () => {
      expect(finding.violations.filter(({ kind }) => kind !== 'owner-refused')).toEqual([]);
      expect(finding.abuse!.attacks.length).toBeGreaterThan(25);
      expect(finding.abuse!.attacks.reduce((sum, { takeovers }) => sum + takeovers, 0)).toBe(0);
      // Each of them has sent something, and those who guess had guesses compared.
      for (const { attack, requests } of finding.abuse!.attacks) expect([attack, requests > 0]).toEqual([attack, true]);
      expect(reportTable([finding])).toContain('guesses evaluated');
    });

    it('LGN-12 OTC-2 no honest user is refused meanwhile, except where the table says why', () => {
      expect(finding.violations.filter(({ kind }) => kind === 'owner-refused')).toEqual([]);
      const never = finding.abuse!.honest.filter(({ mayBeRefused }) => mayBeRefused === null);
      expect(never.length).toBeGreaterThan(10);
      for (const { who, tried, refused } of never) expect([who, tried > 0, refused]).toEqual([who, true, 0]);
    });
  },
);
