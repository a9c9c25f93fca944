import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { reconcileAuditLog, reconciledTables } from '../src/commands/reconcile/index.js';
import type { Database } from '../src/storage/database.js';
import type { Violation } from './history-checker.js';
import type { Finding } from './observed-run.js';

/** Compares the success records of the audit log with the rows (AUD-16). Each difference is a violation. */
export async function checkRows(orm: Database['orm']): Promise<{ rows: number; records: number; found: Violation[] }> {
  const found: Violation[] = [];
  const { tables } = await reconcileAuditLog({ orm }, reconciledTables, {
    onDifference: ({ kind, table, key, detail }) =>
      found.push({ kind: 'row-differs', key, detail: `${kind} ${table}: ${detail}` }),
  });
  const sum = (member: 'rows' | 'records') => tables.reduce((total, counts) => total + counts[member], 0);
  return { rows: sum('rows'), records: sum('records'), found };
}

/** The code of PostgreSQL for a database that a scenario has dropped with its disk; it has compared it before. */
const NO_DATABASE = '3D000';

/** The same for the database of a scenario, as a row of the report. Null: no server wrote to it, or it is gone. */
export async function reconcileDatabase(
  { scenario, store }: Pick<Finding, 'scenario' | 'store'>,
  databaseUrl: string,
): Promise<Finding | null> {
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    const [log] = await sql`select to_regclass('audit_records') is not null as there`;
    if (log?.there !== true) return null;
    const { rows, records, found } = await checkRows(drizzle(sql));
    return {
      ...{ scenario, store, fault: 'all of them: log and rows', times: 0, rows },
      ...{ keys: 0, attempts: 0, acknowledged: 0, submitted: 0, unknown: 0, slowestMillis: 0 },
      measured: `${records} success records, ${found.length} differences`,
      violations: found,
    };
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_DATABASE) return null;
    throw error;
  } finally {
    await sql.end();
  }
}
