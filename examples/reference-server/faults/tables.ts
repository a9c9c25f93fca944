import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAuditKey, verifyAuditLog } from '@sallyport/audit-log/postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import type { AuditLog, Tables } from './history-checker.js';
import type { Resource } from './load-client.js';

/** The audit chain key of every fleet. */
export const AUDIT_KEY = `faults:${createHash('sha256').update('sallyport fault harness').digest('hex')}`;

/**
 * Another node chains the audit records of a crashed node within six seconds. A record still unchained after this time,
 * in milliseconds, is a violation even on a busy machine.
 */
const SWEEP_LIMIT_MILLIS = 30_000;

/** The rows of a run, with the key that is part of their names, and the action of their audit records. */
const resources = {
  payments: {
    action: 'payment.create',
    rows: (sql: postgres.Sql, run: string) => sql<Row[]>`
      select id, payee as name from payments where starts_with(payee, ${`${run} `})`,
  },
  files: {
    action: 'file.upload',
    // Those that clients can list.
    rows: (sql: postgres.Sql, run: string) => sql<Row[]>`
      select id, regexp_replace(display_name, '[.]txt$', '') as name from stored_files
      where state = 'stored' and starts_with(display_name, ${`${run} `})`,
  },
} as const;

type Row = { id: string; name: string };

/** Reads the rows of a run directly from the database, because the server is under test. */
export async function readTables(databaseUrl: string, run: string, resource: Resource = 'payments'): Promise<Tables> {
  const { action, rows } = resources[resource];
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    const found = await rows(sql, run);
    const [audit] = await sql<{ there: boolean }[]>`select to_regclass('audit_records') is not null as there`;
    return {
      payments: found.map(({ id, name }) => ({ id, key: name.slice(run.length + 1) })),
      audit: audit?.there ? await readAuditLog(sql, action) : null,
    };
  } finally {
    await sql.end();
  }
}

async function readAuditLog(sql: postgres.Sql, action: string): Promise<AuditLog> {
  const waiting = await untilChained(sql);
  const created = await sql<{ target: string }[]>`
    select target from audit_records where action = ${action} and outcome = 'success'`;
  const { findings } = await verifyAuditLog({ database: drizzle(sql), key: parseAuditKey(AUDIT_KEY) });
  return {
    created: created.map(({ target }) => target),
    waiting,
    faults: findings.map(({ kind, sequence, detail }) => `${kind} ${sequence}: ${detail}`),
  };
}

/** Waits for the chain, and returns the records still unchained after the timeout. */
async function untilChained(sql: postgres.Sql): Promise<string[]> {
  for (const deadline = Date.now() + SWEEP_LIMIT_MILLIS; ; await sleep(200)) {
    const rows = await sql<{ id: string }[]>`select id from audit_pending`;
    if (rows.length === 0 || Date.now() > deadline) return rows.map(({ id }) => id);
  }
}
