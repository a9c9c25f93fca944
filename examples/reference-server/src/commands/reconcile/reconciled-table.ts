import type { Json } from '@sallyport/audit-log';
import { auditRecords } from '@sallyport/audit-log/postgres';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';

/** Values of columns, by the names in `ReconciledTable.values`. */
export type RowValues = Readonly<Record<string, unknown>>;

/** The parts of a record that describe a row. */
export interface RecordContent {
  readonly actor: string | null;
  /** The body of the request. Empty if there was none. */
  readonly body: Readonly<Record<string, Json>>;
  /** The details that the handler added. */
  readonly detail: Readonly<Record<string, Json>>;
}

export interface ReconciledAction {
  /** `makes`: the record accounts for the row. The operation inserted it, or may have changed it. */
  readonly effect: 'makes' | 'changes' | 'deletes';
  /** The key of the row, as SQL over the columns of `auditRecords`. Null: the record belongs to another table. */
  readonly key: SQL;
  /** The values of the row after the operation. Undefined ones were not changed. */
  readonly values?: (content: RecordContent) => RowValues;
}

/** How to derive the rows of a table from the success records of the audit log (AUD-16). */
export interface ReconciledTable {
  readonly table: PgTable;
  readonly key: PgColumn;
  /** The time at which the row was made, by the clock of the database. */
  readonly madeAt: PgColumn;
  /** The condition for the compared rows. Default all. */
  readonly where?: SQL;
  /** The condition for rows that need no record, because the start makes them. Default none. */
  readonly seed?: SQL;
  /** The values that are compared. */
  readonly values: Readonly<Record<string, PgColumn | SQL>>;
  readonly actions: Readonly<Record<string, ReconciledAction>>;
}

/** The record's target is the key of the row. */
export const byTarget = sql`${auditRecords.target}`;

/** The actor is the owner of the row, and has the key of the row after `audience:`. */
export function byActor(audience: 'admin' | 'app'): SQL {
  const prefix = `${audience}:`;
  return sql`case when starts_with(${auditRecords.actor}, ${prefix})
    then substr(${auditRecords.actor}, ${prefix.length + 1}::int) end`;
}

/** The key of the row is a member of `detail`. */
export function byDetail(...path: readonly string[]): SQL {
  return sql`${auditRecords.parameters} #>> ${`{${['detail', ...path].join(',')}}`}::text[]`;
}
