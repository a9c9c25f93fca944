import { randomUUID } from 'node:crypto';
import { and, gt, inArray, type SQL, sql } from 'drizzle-orm/sql';
import type { RecordColumns } from '../records/index.js';
import type { AuditChain, PendingContent, PendingSeal } from './chain.js';
import { jsonParameter, rowsOf } from './chain-rows.js';
import type { AuditPendingTable, AuditQueries } from './postgres-table.js';

/** A pending record as it was read from the database, not verified yet. */
export type PendingRow = PendingContent & PendingSeal;

/** A record in its pending form: its columns as one text, with a seal. */
export function sealPending(chain: AuditChain, columns: RecordColumns): PendingRow {
  const content = { id: columns.id, record: JSON.stringify(columns) };
  return { ...content, ...chain.seal(content) };
}

/** The columns of a verified row. */
export function openPending({ record }: PendingRow): RecordColumns {
  return JSON.parse(record) as RecordColumns;
}

/**
 * Inserts the rows in the caller's transaction only: a record must not be committed without its change. After the
 * connection of the transaction broke, a driver may send the statement outside of it, where it inserts nothing.
 *
 * @throws TypeError outside a transaction
 */
export async function insertPending(
  transaction: Pick<AuditQueries, 'execute'>,
  table: AuditPendingTable,
  rows: readonly PendingRow[],
): Promise<void> {
  const insertIf = async (isWithin: SQL) => {
    const result = await transaction.execute(sql`
      with given as (
        select * from json_to_recordset(${jsonParameter(rows)})
          as one ("id" uuid, "record" text, "mac" text, "keyId" text)
        where ${isWithin}
      ), written as (
        insert into ${table} ("id", "record", "mac", "key_id")
        select "id", "record", "mac", "keyId" from given
        on conflict ("id") do nothing
      )
      select count(*)::int as "taken" from given
    `);
    return rowsOf<{ readonly taken: number }>(result)[0]?.taken === rows.length;
  };
  if (await insertIf(sql`txid_current_if_assigned() is not null`)) return;
  // The transaction has written nothing yet, so it has no id. A setting that is local to a transaction is visible in
  // its next statement; outside of a transaction it is lost after its statement.
  const mark = randomUUID();
  await transaction.execute(sql`select set_config('audit.pending', ${mark}, true)`);
  if (await insertIf(sql`current_setting('audit.pending', true) = ${mark}`)) return;
  throw new TypeError('appendWithin must be called with the transaction that database.transaction(…) provides');
}

/** Inserts rows of changes that are about to be made: they are committed before the change. */
export async function insertBegun(
  queries: Pick<AuditQueries, 'execute'>,
  table: AuditPendingTable,
  rows: readonly PendingRow[],
): Promise<void> {
  await queries.execute(sql`
    insert into ${table} ("id", "record", "mac", "key_id")
    select "id", "record", "mac", "keyId" from json_to_recordset(${jsonParameter(rows)})
      as one ("id" uuid, "record" text, "mac" text, "keyId" text)
    on conflict ("id") do nothing
  `);
}

/** The next pending rows by id that are older than `olderThanSeconds` by the clock of the database; with 0, all. */
export function readPending(
  queries: Pick<AuditQueries, 'select'>,
  table: AuditPendingTable,
  { after, olderThanSeconds, limit }: { after: string | null; olderThanSeconds: number; limit: number },
): Promise<PendingRow[]> {
  const age = sql`${olderThanSeconds}::double precision * interval '1 second'`;
  const isOld = sql`${table.writtenAt} <= statement_timestamp() - ${age}`;
  return queries
    .select({ id: table.id, record: table.record, mac: table.mac, keyId: table.keyId })
    .from(table)
    .where(and(after === null ? undefined : gt(table.id, after), olderThanSeconds === 0 ? undefined : isOld))
    .orderBy(table.id)
    .limit(limit);
}

/** Deletes rows whose records are in the chain. */
export async function deletePending(
  queries: Pick<AuditQueries, 'delete'>,
  table: AuditPendingTable,
  ids: readonly string[],
): Promise<void> {
  await queries.delete(table).where(inArray(table.id, [...ids]));
}
