import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { startFleet } from '../../faults/node.js';
import { observe } from '../../faults/observed-run.js';
import { reportTable } from '../../faults/report-table.js';
import { rel1 } from '../../faults/scenarios/rel-1.js';
import { rel6 } from '../../faults/scenarios/rel-6.js';
import { SHORT_COUNTS, type Site } from '../../faults/scenarios/scenario.js';

/** Servers start slowly on a busy machine. */
const rules = { definiteWithinMillis: 100_000 };

// Each test starts servers several times, which is slow on a busy machine.
describe('the fault harness', { timeout: 300_000 }, () => {
  let database: TestDatabase;
  let site: Site;
  beforeAll(async () => {
    database = await createTestDatabase();
    site = { databaseUrl: database.url, postgres: null, redis: null, store: 'postgres', rules, say: () => {} };
  });
  afterAll(() => database.drop());

  it('REL-1 ID-18 IDM-7 kills nodes under load, during uploads and after the commit: no duplicate row, none lost, a definite answer for each key', async () => {
    const findings = await rel1.run(site, { ...SHORT_COUNTS, points: ['after-commit'] });
    expect(findings.map(({ fault, times }) => [fault, times])).toEqual([
      ['kill -9 at random', 1],
      ['kill -9 during uploads', 1],
      ['kill -9 after-commit', 1],
    ]);
    for (const { keys, rows } of findings) {
      expect(keys).toBeGreaterThan(0);
      expect(rows).toBe(keys);
    }
    // The retry tells the client of the write that was committed but not answered.
    expect(findings[2]!.submitted).toBeGreaterThan(0);
    expect(reportTable(findings)).not.toContain('VIOLATION');
  });

  it('REL-6 ID-20 pauses a node in mid-transaction beyond its lease, and resumes it: one row for each key', async () => {
    const findings = await rel6.run(site, { ...SHORT_COUNTS, points: ['before-commit'] });
    expect(findings).toMatchObject([{ fault: 'pause before-commit', times: 1 }]);
    expect(findings[0]!.rows).toBe(findings[0]!.keys);
    expect(reportTable(findings)).not.toContain('VIOLATION');
  });

  it('REL-1 finds the second run if records are lost with their process: the harness can fail', async () => {
    const { databaseUrl } = site;
    const armed = { point: 'after-commit' } as const;
    const fleet = await startFleet({ databaseUrl, redisUrl: null, store: 'memory', leaseSeconds: 2, nodes: 1, armed });
    try {
      const token = await fleet.signIn();
      const run = { scenario: 'control', fault: 'kill -9', store: 'memory', fleet, databaseUrl, token, rules } as const;
      const finding = await observe(run, async (client) => {
        const decided = client.submit();
        await fleet.nodes[0]!.ended();
        await fleet.nodes[0]!.start();
        await decided;
        return { times: 1 };
      });
      expect(finding.rows).toBe(2);
      expect(finding.violations.map(({ kind }) => kind)).toEqual(['row-twice']);
      expect(reportTable([finding])).toContain('VIOLATION control memory, kill -9: row-twice');
    } finally {
      await fleet.close();
    }
  });
});
