import { parseAuditKey, verifyAuditLog } from '@sallyport/audit-log/postgres';
import { callApi } from './api-client.js';
import { readRecords } from './audit-log-reader.js';
import type { Violation } from './history-checker.js';
import type { StoreName } from './node.js';
import type { Finding } from './observed-run.js';
import { checkRecords } from './record-checker.js';
import { type Ask, readShadow } from './shadow.js';
import { type AccountNames, changesOf, changesOfValue, type StoredValue } from './state-changes.js';
import { AUDIT_KEY } from './tables.js';
import type { WritingLoad } from './writing-load.js';

/** The time allowed for a definite answer after the lease has expired, in milliseconds (REL-12). */
export const AFTER_LEASE_MILLIS = 10_000;

/** One cell of the table: a fault, under changes of every kind. */
export interface Cell {
  readonly fault: string;
  readonly times: number;
  readonly store: StoreName;
  readonly load: WritingLoad;
  readonly leaseMillis: number;
  /** Where the cell begins: the last noted change and the last record before it. */
  readonly after: { readonly shadow: number; readonly record: number };
  /** Values that Redis stored meanwhile. Without Redis, they are among the noted changes. */
  readonly values: readonly StoredValue[];
  readonly names: AccountNames;
  readonly violations: readonly Violation[];
}

/** Compares everything that changed in a cell with its audit records. The service must be at rest. */
export async function judgeCell(ask: Ask, cell: Cell): Promise<Finding> {
  const { load, names, leaseMillis } = cell;
  const { changes, links } = changesOf(await readShadow(ask, cell.after.shadow), names);
  const outside = cell.values.flatMap((value) => changesOfValue(value, names));
  const records = await readRecords(ask, cell.after.record);
  const observed = { changes: [...changes, ...outside], links, records, answers: load.answers, keys: load.keys };
  const report = checkRecords(observed, leaseMillis + AFTER_LEASE_MILLIS);
  const isDone = ({ status }: { status: number }) => status >= 200 && status < 300;
  const without = report.kinds.reduce((sum, count) => sum + count.without, 0);
  return {
    scenario: 'REL-12',
    store: cell.store,
    fault: cell.fault,
    times: cell.times,
    keys: load.keys.length,
    attempts: load.answers.length,
    acknowledged: load.answers.filter(isDone).length,
    submitted: load.answers.filter(({ code }) => code === 'IDEMPOTENCY_SUBMITTED').length,
    unknown: load.keys.filter(({ told }) => told === 'unknown').length,
    slowestMillis: Math.round(Math.max(0, ...load.keys.map(({ afterMillis }) => afterMillis))),
    rows: observed.changes.length,
    measured:
      `${without} changes without a record; ${load.keys.filter(({ told }) => told === 'none').length} keys without an ` +
      `answer; ${report.unavailable} × 503, ${report.unavailableRecorded} of them recorded, the others changed nothing`,
    kinds: report.kinds,
    violations: [...cell.violations, ...report.violations],
  };
}

type VerifiedDatabase = Parameters<typeof verifyAuditLog>[0]['database'];

/** Verifies the chain of the audit log of a fleet. */
export async function checkChain(database: VerifiedDatabase): Promise<Violation[]> {
  const { findings } = await verifyAuditLog({ database, key: parseAuditKey(AUDIT_KEY) });
  return findings.map(({ kind, sequence, detail }) => ({
    kind: 'audit-log-broken',
    key: 'audit log',
    detail: `${kind} ${sequence}: ${detail}`,
  }));
}

/** Waits until each node answers a read that needs every store. */
export async function untilServing(
  origins: readonly string[],
  token: string,
  limitMillis: number,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const origin of origins) {
    const deadline = performance.now() + limitMillis;
    for (;;) {
      const { status, code } = await callApi(origin, '/admin/profile', { token });
      if (status === 200) break;
      if (performance.now() > deadline) {
        violations.push({ kind: 'late-recovery', key: origin, detail: `${status} ${code}` });
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return violations;
}
