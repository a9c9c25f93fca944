import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresProcess, startPostgresProcess } from '../../../../scripts/postgres-process.js';
import { redisServerMajor } from '../../../../scripts/redis-process.js';
import { type AuditFault, auditFaults } from '../../faults/audit-faults.js';
import type { Finding } from '../../faults/observed-run.js';
import { reportTable } from '../../faults/report-table.js';
import { runOnServices } from '../../faults/scenarios/rel-12.js';
import { embeddedFaults, runEmbedded } from '../../faults/scenarios/rel-12-embedded.js';
import { SHORT_COUNTS, type Site } from '../../faults/scenarios/scenario.js';
import { canMountDisks } from '../../faults/small-disk.js';

/** One request of each operation in each cell. `pnpm run faults rel-12` is the long run. */
const counts = { ...SHORT_COUNTS, seconds: 1, crashes: 1 };

const named = (name: string) => auditFaults.find((fault) => fault.name === name)!;

/** A change that nobody recorded: the harness can fail. */
const unrecorded: AuditFault = {
  name: 'a change beside the server',
  unavailable: () => null,
  times: () => 1,
  lasts: () => 0,
  async inject({ databaseUrl }) {
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    await sql`update administrators set disabled = true where username = (
      select username from administrators where username <> 'admin' and not disabled limit 1)`;
    await sql.end();
    return 1;
  },
};

const sum = ({ kinds = [] }: Finding, field: 'changes' | 'without') =>
  kinds.reduce((total, kind) => total + kind[field], 0);

describe('every kind of change under faults', { timeout: 300_000 }, () => {
  let database: PostgresProcess;
  let site: Site;
  beforeAll(async () => {
    database = await startPostgresProcess('-c', 'max_connections=200', '-c', 'fsync=off');
    site = {
      databaseUrl: Object.assign(new URL(database.url), { pathname: '/audited' }).href,
      postgres: database,
      redis: null,
      store: redisServerMajor === null ? 'postgres' : 'redis',
      say: () => {},
    };
    const sql = postgres(database.url, { max: 1, onnotice: () => {} });
    await sql`create database audited`;
    await sql.end();
  }, 120_000);
  afterAll(() => database?.stop());

  it('REL-12 AUD-8 each change has its record and each key its answer, while the log is locked and services are killed; a change beside the server is found', async () => {
    const faults = ['audit_pending locked', 'chain head locked', 'PostgreSQL stopped hard', 'kill -9 of a node'];
    const findings = await runOnServices(site, counts, [...faults.map(named), unrecorded]);
    expect(findings.map(({ fault }) => fault)).toEqual([...faults, unrecorded.name]);
    const [last, ...others] = [...findings].reverse();
    expect(reportTable(others)).not.toContain('VIOLATION');
    for (const finding of others) {
      expect(sum(finding, 'changes')).toBeGreaterThan(30);
      expect(sum(finding, 'without')).toBe(0);
      expect(finding.keys).toBeGreaterThan(3);
    }
    // By what the requests saw, and by the rows themselves.
    expect(last!.violations.map(({ kind, key }) => [kind, key])).toEqual([
      ['row-differs', expect.any(String)],
      ['change-without-record', 'administrator disabled'],
    ]);
    expect(reportTable([last!])).toContain('| administrator disabled');
  });

  it('REL-12 AUD-8 the same holds for the embedded database, whose process is killed and whose disk is full', async () => {
    const findings = await runEmbedded({ ...site, store: 'embedded' }, counts, embeddedFaults.slice(1));
    // A disk can be filled only where one can be mounted.
    expect(findings).toHaveLength(canMountDisks ? 2 : 1);
    expect(reportTable(findings)).not.toContain('VIOLATION');
    for (const finding of findings) expect(sum(finding, 'changes')).toBeGreaterThan(30);
  });
});
