import { getTableConfig } from 'drizzle-orm/pg-core';
import { eq, type SQL, sql } from 'drizzle-orm/sql';
import type { CheckpointProof } from '../notes/index.js';
import { canonicalOfJsonb } from '../records/index.js';
import type { DrizzleQueries } from './audit-database.js';
import { CHAIN_START, type ChainedColumns, type ChainHead } from './chain.js';
import { type AnyCut, isSigned, readStoredCut } from './checkpoint-proof.js';
import type { AuditChainHeadsTable, AuditRecordsTable, AuditTables } from './postgres-table.js';

/** A row as read from the database, not verified yet. */
export type StoredRow = ChainedColumns;

/** The name under which the head of a table's chain is kept. */
export function chainName(table: AuditRecordsTable): string {
  return getTableConfig(table).name;
}

/** The columns as texts without loss: times with microseconds, and numbers with digits that JavaScript would round. */
export function rowSelection(table: AuditRecordsTable) {
  const utc = sql`${table.occurredAt} at time zone 'UTC'`;
  return {
    sequence: table.sequence,
    id: table.id,
    occurredAt: sql<string>`coalesce(to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '')`,
    actor: table.actor,
    action: table.action,
    target: table.target,
    outcome: table.outcome,
    reason: table.reason,
    durationMillis: table.durationMillis,
    parameters: sql<string>`${table.parameters}::text`,
    clientIp: table.clientIp,
    extra: sql<string>`${table.extra}::text`,
    previous: table.previous,
    mac: table.mac,
    keyId: table.keyId,
  };
}

type SelectedRow = Omit<ChainedColumns, 'durationMillis'> & { readonly durationMillis: number };

/** The row in the form that its mac covers. A value that can't have this form fails the verification. */
function storedRowOf(selected: SelectedRow): StoredRow {
  return {
    ...selected,
    durationMillis: Object.is(selected.durationMillis, -0) ? '-0' : String(selected.durationMillis),
    parameters: canonicalOfJsonb(selected.parameters ?? '') ?? '',
    extra: canonicalOfJsonb(selected.extra ?? '') ?? '',
  };
}

/** The last row of the table. Null if the table is empty. */
export async function readLastRow(queries: DrizzleQueries, table: AuditRecordsTable): Promise<StoredRow | null> {
  const [row] = await queries.select(rowSelection(table)).from(table).orderBy(sql`${table.sequence} desc`).limit(1);
  return row === undefined ? null : storedRowOf(row);
}

/** The number of rows that are read at once. Verifying them blocks the event loop for some milliseconds. */
const BATCH_ROWS = 200;

export interface RowRange {
  /** The rows after this sequence. Null: all, including those with a sequence below 1. */
  readonly after: number | null;
  /** The rows up to this sequence. Null: all. */
  readonly upTo: number | null;
}

/**
 * Yields the rows by sequence and by id, because a table without its primary key can hold two rows with the same
 * sequence.
 */
export async function* readRows(
  queries: Pick<DrizzleQueries, 'select'>,
  table: AuditRecordsTable,
  { after, upTo }: RowRange,
): AsyncGenerator<StoredRow> {
  let from = after === null ? sql`true` : sql`${table.sequence} > ${after}::bigint`;
  const within = upTo === null ? sql`true` : sql`${table.sequence} <= ${upTo}::bigint`;
  for (;;) {
    const rows = await queries
      .select(rowSelection(table))
      .from(table)
      .where(sql`${from} and ${within}`)
      .orderBy(table.sequence, table.id)
      .limit(BATCH_ROWS);
    for (const row of rows) yield storedRowOf(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_ROWS) return;
    from = sql`(${table.sequence}, ${table.id}) > (${last.sequence}::bigint, ${last.id}::uuid)`;
  }
}

/** The head of a chain as read from the database, not verified yet. */
export interface StoredHead extends ChainHead {
  /** The cut of the log by retention. */
  readonly cut: AnyCut | null;
  /** The column `cut` holds something that is not a checkpoint. */
  readonly cutUnreadable: boolean;
  /** The column `cut` as text, for a comparison. */
  readonly cutText: string | null;
}

/** Null if the chain has no head yet. */
export async function readHead(
  queries: DrizzleQueries,
  heads: AuditChainHeadsTable,
  chain: string,
): Promise<StoredHead | null> {
  const cutText = sql<string | null>`${heads.cut}::text`;
  const [row] = await queries
    .select({ sequence: heads.sequence, mac: heads.mac, cut: heads.cut, cutText })
    .from(heads)
    .where(eq(heads.chain, chain));
  if (row === undefined) return null;
  const cut = readStoredCut(row.cut);
  const { sequence, mac } = row;
  return { sequence, mac, cut, cutUnreadable: row.cutText !== null && cut === null, cutText: row.cutText };
}

/**
 * The time before which retention deleted the records, in the form of their column. Null if it deleted none, or if the
 * stored cut is not genuine.
 */
export async function readDeletedBefore(
  queries: DrizzleQueries,
  heads: AuditChainHeadsTable,
  chain: string,
  stateOf: CheckpointProof,
): Promise<string | null> {
  const cut = (await readHead(queries, heads, chain))?.cut ?? null;
  if (cut === null || !isSigned(cut) || cut.before === null || stateOf(cut) !== 'genuine') return null;
  return cut.before.replace('Z', '000Z');
}

/** Creates the head of a new chain, unless it exists. */
export async function createHead(queries: DrizzleQueries, heads: AuditChainHeadsTable, chain: string): Promise<void> {
  await queries
    .insert(heads)
    .values({ chain, ...CHAIN_START })
    .onConflictDoNothing();
}

/** Takes the locks of an append, and writes nothing. Rejects if the log can't be written. */
export async function checkTables(
  queries: Pick<DrizzleQueries, 'execute'>,
  { table, heads, pending }: Required<Pick<AuditTables, 'table' | 'heads' | 'pending'>>,
): Promise<void> {
  await queries.execute(sql`
    with held as materialized (select 1 from ${heads} where "chain" = ${chainName(table)} for update),
    written as (insert into ${table} select * from ${table} where false),
    waiting as (insert into ${pending} select * from ${pending} where false),
    moved as (update ${heads} set "sequence" = "sequence" where false)
    select count(*) from held
  `);
}

/** The rows of a result, for every driver. */
export function rowsOf<Row>(result: unknown): readonly Row[] {
  return (Array.isArray(result) ? result : (result as { readonly rows: Row[] }).rows) as readonly Row[];
}

/**
 * The placeholder of an array. The array is sent as the text of {@link arrayLiteral}, because each driver has its own
 * encoding of arrays.
 */
export function arrayPlaceholder(name: string, type: string): SQL {
  return sql`${sql.placeholder(name)}::text::${sql.raw(type)}[]`;
}

/** PostgreSQL's text of an array. */
export function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map(arrayItem).join(',')}}`;
}

function arrayItem(value: string | number | null): string {
  if (value === null) return 'NULL';
  const text = String(value);
  // Most texts have neither, and a search is faster than a replacement.
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
}
