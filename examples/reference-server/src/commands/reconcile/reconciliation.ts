import type { Json } from '@sallyport/audit-log';
import { auditChainHeads, auditPending, auditRecords } from '@sallyport/audit-log/postgres';
import { getTableColumns, getTableName, is, type SQL, sql } from 'drizzle-orm';
import { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../../storage/database.js';
import { rowsOf } from '../../storage/schema-target.js';
import type { ReconciledTable, RecordContent, RowValues } from './reconciled-table.js';
import { createRowJudge, type Difference, type JudgedRow, type RowJudge } from './row-judge.js';

/** The number of rows of the comparison in memory. */
const BATCH_ROWS = 500;

/**
 * The maximum time between a record and its row, which is the duration of an operation. Far longer than any operation.
 */
const LONGEST_OPERATION_MILLIS = 3_600_000;

/** A begun record without an outcome. It changed no row, because a row commits with its record of success. */
export interface UndecidedRecord {
  readonly table: string;
  readonly key: string;
  readonly id: string;
  readonly action: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

export interface TableCounts {
  readonly table: string;
  readonly rows: number;
  /** The number of success records that name a row. */
  readonly records: number;
  readonly differences: number;
  /** The number of rows that are too old for a record. Only their later changes were compared. */
  readonly uncovered: number;
  /** The number of success records without the key of a row, from releases before the reconciliation. */
  readonly unnamed: number;
  /** The number of values that were cut in their record. */
  readonly cutValues: number;
  /** Columns that no record has. */
  readonly uncompared: readonly string[];
}

export interface Reconciliation {
  readonly tables: readonly TableCounts[];
  /** The time before which rows may lack their record, in milliseconds since 1970. Null: no row may lack it. */
  readonly since: number | null;
}

export interface ReconciliationOptions {
  /** Rows from before this time may also lack their record, in milliseconds since 1970. Default null: none. */
  readonly since?: number | null;
  /** Called with each difference as it is found. */
  readonly onDifference: (difference: Difference) => void;
  /** Called with each record without an outcome. Default: nothing. */
  readonly onUndecided?: (record: UndecidedRecord) => void;
}

type Executing = Pick<Database['orm'], 'execute'>;

/**
 * Compares the success records of the audit log with the rows of the tables, both ways (AUD-16). A row commits with its
 * record, so one snapshot has both or neither. It writes nothing, and takes no lock for which a change waits. It does
 * not verify the records.
 */
export async function reconcileAuditLog(
  { orm }: Pick<Database, 'orm'>,
  tables: readonly ReconciledTable[],
  { since = null, onDifference, onUndecided = () => {} }: ReconciliationOptions,
): Promise<Reconciliation> {
  return orm.transaction(
    async (transaction) => {
      // Sorting a long log takes longer than any statement of a request. The reader of the output may also be slow.
      await transaction.execute(sql`set local statement_timeout = 0`);
      await transaction.execute(sql`set local idle_in_transaction_session_timeout = 0`);
      const start = laterOf(since, await startOfLog(transaction));
      const counts: TableCounts[] = [];
      for (const table of tables) {
        const elsewhere = tables.filter((other) => other !== table).flatMap(({ actions }) => Object.keys(actions));
        counts.push(await compareTable(transaction, table, { start, elsewhere, onDifference, onUndecided }));
      }
      return { tables: counts, since: start };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

interface Comparison extends Required<Omit<ReconciliationOptions, 'since'>> {
  readonly start: number | null;
  /** Actions whose records may name a row of another table. */
  readonly elsewhere: readonly string[];
}

/**
 * The time from which all records exist, if retention has cut the log. Null if it has not. Without a cut, retention did
 * not delete missing rows at the start, so nothing is excused.
 */
async function startOfLog(transaction: Executing): Promise<number | null> {
  const [found] = await rowsOf<{ at: number | string | null; wasCut: boolean }>(
    transaction,
    sql`select extract(epoch from occurred_at) * 1000 as at,
        sequence > 1 and sequence <= coalesce((
          select (cut ->> 'sequence')::bigint from ${auditChainHeads} where chain = ${getTableName(auditRecords)}
        ), 0) + 1 as "wasCut"
      from ${auditRecords} order by sequence limit 1`,
  );
  return found?.wasCut ? Number(found.at) + LONGEST_OPERATION_MILLIS : null;
}

/** A record with its row. Either of them may be missing. */
interface ComparedRow {
  /** Null for a record that names no row. */
  readonly key: string | null;
  /** Null if there is no row. */
  readonly row: RowValues | null;
  readonly isSeed: boolean | null;
  readonly madeAt: number | string | null;
  /** Null if there is no record. */
  readonly id: string | null;
  readonly action: string;
  readonly actor: string | null;
  readonly outcome: string;
  readonly at: number | string;
  readonly parameters: { readonly body?: Json; readonly detail?: Json } | null;
}

async function compareTable(
  transaction: Executing,
  table: ReconciledTable,
  { start, elsewhere, onDifference, onUndecided }: Comparison,
): Promise<TableCounts> {
  const name = getTableName(table.table);
  const counts = { rows: 0, records: 0, differences: 0, uncovered: 0, unnamed: 0, cutValues: 0 };
  let key: string | null = null;
  let row: JudgedRow | null = null;
  let judge: RowJudge | null = null;
  let wasNamed = false;

  function finish(): void {
    if (judge === null || (row === null && !wasNamed)) return;
    const { differences, isCovered, cutValues } = judge.judge(row);
    for (const difference of differences) onDifference(difference);
    counts.differences += differences.length;
    counts.cutValues += cutValues;
    if (row === null) return;
    counts.rows += 1;
    if (row.mayLackRecord && !isCovered && !row.isSeed) counts.uncovered += 1;
  }

  function take(compared: ComparedRow): void {
    if (compared.key === null) {
      if (compared.outcome === 'success' && !elsewhere.includes(compared.action)) counts.unnamed += 1;
      return;
    }
    if (judge === null || compared.key !== key) {
      finish();
      key = compared.key;
      row = judgedRow(compared, start);
      judge = createRowJudge(name, key);
      wasNamed = false;
    }
    if (compared.id === null) return;
    const { id, action, at } = compared;
    if (compared.outcome !== 'success') {
      onUndecided({ table: name, key, id, action, at: Number(at) });
      return;
    }
    const { effect, values = () => ({}) } = table.actions[action]!;
    counts.records += 1;
    wasNamed = true;
    judge.add({ id, action, at: Number(at), effect, values: comparedValues(table, values(contentOf(compared))) });
  }

  const cursor = sql.identifier(`reconciled_${name}`);
  await transaction.execute(sql`declare ${cursor} no scroll cursor for ${comparisonOf(table)}`);
  for (;;) {
    const batch = await rowsOf<ComparedRow>(transaction, sql`fetch ${sql.raw(String(BATCH_ROWS))} from ${cursor}`);
    for (const compared of batch) take(compared);
    if (batch.length < BATCH_ROWS) break;
  }
  finish();
  await transaction.execute(sql`close ${cursor}`);
  return { table: name, ...counts, uncompared: uncomparedColumns(table) };
}

/**
 * Every row of the table with each of its records, by key and in the order of the log. Records that are not in the
 * chain yet are read from the pending table, after the others.
 */
function comparisonOf({ table, key, madeAt, where = sql`true`, seed = sql`false`, values, actions }: ReconciledTable) {
  const isAudited = sql`${auditRecords.action} in ${Object.keys(actions)}`;
  const keys = Object.entries(actions).map(([action, { key }]) => sql`when ${action} then ${key}`);
  const members = Object.entries(values).map(([name, value]) => sql`${name}::text, ${value}`);
  const waiting = sql`
    select null::bigint as sequence, id, (record ->> 'occurredAt')::timestamptz as occurred_at, record ->> 'actor' as actor,
      record ->> 'action' as action, record ->> 'target' as target, record ->> 'outcome' as outcome,
      (record ->> 'parameters')::jsonb as parameters
    from (select id, record::jsonb as record from ${auditPending}) as waiting`;
  // The alias lets the keys name the columns of the table of records.
  return sql`
    with log as (
      select sequence, id, occurred_at, actor, action, target, outcome, parameters from ${auditRecords} where ${isAudited}
      union all ${waiting}
    ), named as (
      select sequence, id, occurred_at, actor, action, outcome,
        jsonb_build_object('body', parameters -> 'body', 'detail', parameters -> 'detail') as parameters,
        lower(case ${auditRecords.action} ${sql.join(keys, sql` `)} end) as key
      from log as ${sql.identifier(getTableName(auditRecords))}
      where ${isAudited} and (outcome = 'success' or outcome = 'unknown' and not ${isCompleted})
    ), stored as (
      select lower(${key}::text) as key, jsonb_build_object(${sql.join(members, sql`, `)}) as values,
        ${seed} as "isSeed", extract(epoch from ${madeAt}) * 1000 as "madeAt"
      from ${table} where ${where}
    )
    select coalesce(stored.key, named.key) as key, stored.values as row, "isSeed", "madeAt",
      id, action, actor, outcome, extract(epoch from occurred_at) * 1000 as at, parameters
    from named full join stored on stored.key = named.key
    order by 1, sequence nulls last, id`;
}

/** The completion of a begun record has the same id with version 8 instead of 7. */
const isCompleted: SQL = sql`exists (
  select from ${auditRecords} as completion
  where completion.id = overlay(${auditRecords.id}::text placing '8' from 15 for 1)::uuid
  union all select from ${auditPending} as completion
  where completion.id = overlay(${auditRecords.id}::text placing '8' from 15 for 1)::uuid
)`;

function judgedRow({ row, isSeed, madeAt }: ComparedRow, start: number | null): JudgedRow | null {
  if (row === null) return null;
  return {
    values: row,
    isSeed: isSeed === true,
    mayLackRecord: start !== null && madeAt !== null && Number(madeAt) < start,
  };
}

function contentOf({ actor, parameters }: ComparedRow): RecordContent {
  return { actor, body: membersOf(parameters?.body), detail: membersOf(parameters?.detail) };
}

function membersOf(value: Json | undefined): RecordContent['body'] {
  return typeof value === 'object' && value !== null ? (value as RecordContent['body']) : {};
}

/** Leaves out columns that are not compared, such as versions. */
function comparedValues({ values }: ReconciledTable, given: RowValues): RowValues {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(values, name)));
}

function uncomparedColumns({ table, key, values }: ReconciledTable): string[] {
  const compared = new Set(
    [key, ...Object.values(values)].flatMap((value) => (is(value, PgColumn) ? [value.name] : [])),
  );
  return Object.values(getTableColumns(table))
    .map(({ name }) => name)
    .filter((name) => !compared.has(name));
}

function laterOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
