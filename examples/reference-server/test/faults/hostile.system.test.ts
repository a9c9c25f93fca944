import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import type { Finding } from '../../faults/observed-run.js';
import { reportTable } from '../../faults/report-table.js';
import { hostile } from '../../faults/scenarios/hostile.js';
import { SHORT_COUNTS } from '../../faults/scenarios/scenario.js';

/**
 * The clients share the forgeries. `hostile-answers` of envelope-crypto tries each at each step with each setting, and
 * so does `pnpm run faults hostile` by each client, in pairs as well. Its figures are in the README.
 */
const counts = { ...SHORT_COUNTS, rounds: 0 };

describe('a man in the middle of the shipped clients and two nodes', { timeout: 600_000 }, () => {
  let database: TestDatabase;
  let finding: Finding;
  beforeAll(async () => {
    database = await createTestDatabase();
    const site = { databaseUrl: database.url, postgres: null, redis: null, store: 'postgres', say: () => {} } as const;
    [finding] = (await hostile.run(site, counts)) as [Finding];
  }, 600_000);
  afterAll(() => database?.drop());

  const sum = (setting: string, field: 'clearBefore' | 'clearAfter' | 'read' | 'believed') =>
    finding.hostile!.filter((row) => row.setting === setting).reduce((total, row) => total + row[field], 0);

  it('ENV-9 gets nothing in the clear after the first sealed request, and nothing at all where encryption is required', () => {
    expect(reportTable([finding])).not.toContain('VIOLATION');
    expect(['default', 'requireEncryption', 'trustedKeys'].map((name) => sum(name, 'clearAfter'))).toEqual([0, 0, 0]);
    expect(['requireEncryption', 'trustedKeys'].map((name) => sum(name, 'clearBefore'))).toEqual([0, 0]);
    // The attacks are real: what the default leaves open is used.
    expect(sum('default', 'clearBefore')).toBeGreaterThan(0);
  });

  it('ENV-9 reads nothing by a key of his own where keys are pinned, and is believed nowhere', () => {
    expect(sum('trustedKeys', 'read')).toBe(0);
    expect(sum('requireEncryption', 'read')).toBeGreaterThan(0);
    expect(finding.hostile!.map(({ believed }) => believed)).toEqual(finding.hostile!.map(() => 0));
    // Each client was attacked with each setting at each step.
    expect(finding.hostile).toHaveLength(27);
    for (const { attacks, forged } of finding.hostile!) expect([attacks > 20, forged > 30]).toEqual([true, true]);
  });
});
