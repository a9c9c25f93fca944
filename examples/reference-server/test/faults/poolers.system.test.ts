import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { poolerFaults } from '../../faults/pooler-faults.js';
import { reconcileDatabase } from '../../faults/reconciled-rows.js';
import { reportTable } from '../../faults/report-table.js';
import { runBehindPoolers } from '../../faults/scenarios/rel-15.js';
import type { Site } from '../../faults/scenarios/scenario.js';

describe.skipIf(lacks('pgbouncer'))('processes behind PgBouncer under faults', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  it('REL-15 AUD-16 lose no acknowledged payment, with either driver; the server refuses its start, and loses none to a pooler that comes later', {
    timeout: 300_000,
  }, async () => {
    const site: Site = {
      ...{ databaseUrl: database.url, postgres: null, redis: null, store: 'postgres', say: () => {} },
      // The machine may be busy.
      rules: { definiteWithinMillis: 100_000 },
    };
    const names = ['connections cut', 'pooler restarted'];
    const name = 'transaction, parameters ignored';
    const findings = await runBehindPoolers(
      site,
      { crashes: 1 },
      {
        faults: poolerFaults.filter((fault) => names.includes(fault.name)),
        cells: [
          ['postgres.js', 'transaction'],
          ['node-postgres', 'session'],
        ],
        poolers: [name],
      },
    );
    const reconciled = await reconcileDatabase({ scenario: 'REL-15', store: 'postgres' }, database.url);
    expect(reportTable([...findings, reconciled!])).not.toContain('VIOLATION');
    expect(findings).toHaveLength(3 * names.length + 1);
    const start = findings.find(({ fault }) => fault === 'start');
    expect(start?.measured).toBe('exit status 1: search_path is "$user", public, although "public" was asked for');
    for (const { acknowledged, rows } of findings.filter((finding) => finding !== start)) {
      expect(acknowledged).toBeGreaterThan(0);
      expect(rows).toBeGreaterThanOrEqual(acknowledged);
    }
  });
});
