import type { Database } from '../../storage/database.js';
import { reconciledTables } from './reconciled-tables.js';
import { reconcileAuditLog, type TableCounts } from './reconciliation.js';

/**
 * Compares the audit log with the rows, and lists the differences (AUD-16).
 *
 * @param since rows that were made before it need no record; in milliseconds since the Unix epoch
 */
export async function reconcile(
  { write }: { readonly write: (text: string) => void },
  database: Database,
  since: number | null,
): Promise<0 | 1> {
  const { tables, since: start } = await reconcileAuditLog(database, reconciledTables, {
    since,
    onDifference: ({ kind, table, key, detail }) => write(`${kind} ${table} ${key}: ${detail}\n`),
    onUndecided: ({ table, key, id, action, at }) =>
      write(`undecided ${table} ${key}: Record ${id} (${action}, ${new Date(at).toISOString()}) has no outcome yet.\n`),
  });
  for (const counts of tables) write(lineOf(counts, start));
  const found = tables.reduce((sum, { differences }) => sum + differences, 0);
  write(
    found === 0
      ? 'The audit log and the rows agree.\n'
      : `The audit log and the rows do not agree: differences ${found}.\n`,
  );
  return found === 0 ? 0 : 1;
}

function lineOf({ table, rows, records, uncompared, ...counts }: TableCounts, start: number | null): string {
  const { differences, uncovered, unnamed, cutValues } = counts;
  const notes = [
    `rows ${rows}, records ${records}, differences ${differences}`,
    ...(uncovered === 0 ? [] : [`rows from before ${new Date(start!).toISOString()} without a record ${uncovered}`]),
    ...(unnamed === 0 ? [] : [`records that name no row ${unnamed}`]),
    ...(cutValues === 0 ? [] : [`values that their records cut ${cutValues}`]),
    `not compared: ${uncompared.join(', ')}`,
  ];
  return `${table}: ${notes.join('; ')}.\n`;
}
