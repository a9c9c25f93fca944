import type { Json } from '@sallyport/audit-log';
import { auditRecords } from '@sallyport/audit-log/postgres';
import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';

/** Values of columns, by the names that `ReconciledTable.values` has. */
export type RowValues = Readonly<Record<string, unknown>>;

/** What a record holds beside its row. */
export interface RecordContent {
  readonly actor: string | null;
  /** The body of the request. Empty where there was none. */
  readonly body: Readonly<Record<string, Json>>;
  /** What the handler added. */
  readonly detail: Readonly<Record<string, Json>>;
}

export interface ReconciledAction {
  /** `makes`: the record accounts for the row, which it inserted, or may have changed. */
  readonly effect: 'makes' | 'changes' | 'deletes';
  /** The key of the row, as SQL over the columns of `auditRecords`. Null: the record is of another table. */
  readonly key: SQL;
  /** The values that the row has after it. Undefined ones were not changed. */
  readonly values?: (content: RecordContent) => RowValues;
}

/** How the success records of the audit log say what the rows of a table are (AUD-16). */
export interface ReconciledTable {
  readonly table: PgTable;
  readonly key: PgColumn;
  /** When the row was made, by the clock of the database. */
  readonly madeAt: PgColumn;
  /** Which rows are compared. Default all. */
  readonly where?: SQL;
  /** The rows that need no record, because the start makes them. Default none. */
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
