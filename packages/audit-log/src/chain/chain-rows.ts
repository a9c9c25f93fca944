import { getTableConfig } from 'drizzle-orm/pg-core';
import { eq, type SQL, sql } from 'drizzle-orm/sql';
import { canonicalOfJsonb } from '../records/index.js';
import { CHAIN_START, type ChainedColumns, type ChainHead } from './chain.js';
import { type Checkpoint, readCheckpoint } from './checkpoint.js';
import type { AuditChainHeadsTable, AuditQueries, AuditRecordsTable, AuditTables } from './postgres-table.js';

/** A row as it was read from the database, not verified yet. */
export type StoredRow = ChainedColumns;

/** The name under which the head of a table's chain is kept. */
export function chainName(table: AuditRecordsTable): string {
  return getTableConfig(table).name;
}

/** The columns as texts that lose nothing: times with microseconds, and numbers with digits that JavaScript rounds. */
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

/**
 * The row in the form that its mac covers. A value that can't have been written in this form fails the verification.
 */
export function storedRowOf(selected: SelectedRow): StoredRow {
  return {
    ...selected,
    durationMillis: Object.is(selected.durationMillis, -0) ? '-0' : String(selected.durationMillis),
    parameters: canonicalOfJsonb(selected.parameters ?? '') ?? '',
    extra: canonicalOfJsonb(selected.extra ?? '') ?? '',
  };
}

/** The last row of the table, or null where it is empty. */
export async function readLastRow(queries: AuditQueries, table: AuditRecordsTable): Promise<StoredRow | null> {
  const [row] = await queries.select(rowSelection(table)).from(table).orderBy(sql`${table.sequence} desc`).limit(1);
  return row === undefined ? null : storedRowOf(row);
}

/** The head of a chain as it was read from the database, not verified yet. */
export interface StoredHead extends ChainHead {
  /** Where retention cut the log. */
  readonly cut: Checkpoint | null;
  /** The column `cut` holds something that is not a checkpoint. */
  readonly cutUnreadable: boolean;
  /** The column `cut` as text, for a comparison. */
  readonly cutText: string | null;
}

/** Null where the chain has no head yet. */
export async function readHead(
  queries: AuditQueries,
  heads: AuditChainHeadsTable,
  chain: string,
): Promise<StoredHead | null> {
  const cutText = sql<string | null>`${heads.cut}::text`;
  const [row] = await queries
    .select({ sequence: heads.sequence, mac: heads.mac, cut: heads.cut, cutText })
    .from(heads)
    .where(eq(heads.chain, chain));
  if (row === undefined) return null;
  const cut = readCheckpoint(row.cut);
  const { sequence, mac } = row;
  return { sequence, mac, cut, cutUnreadable: row.cutText !== null && cut === null, cutText: row.cutText };
}

/** Creates the head of a new chain, unless it exists. */
export async function createHead(queries: AuditQueries, heads: AuditChainHeadsTable, chain: string): Promise<void> {
  await queries
    .insert(heads)
    .values({ chain, ...CHAIN_START })
    .onConflictDoNothing();
}

/** Takes the locks of an append, and writes nothing. Rejects where the log can't be written. */
export async function checkTables(
  queries: Pick<AuditQueries, 'execute'>,
  { table, heads, pending }: Required<AuditTables>,
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

/** A JSON parameter of a statement. It is sent as text: some drivers would encode a JSON parameter twice. */
export function jsonParameter(value: unknown): SQL {
  return sql`${JSON.stringify(value)}::text::json`;
}
