import { randomUUID } from 'node:crypto';
import { and, gt, inArray, type SQL, sql } from 'drizzle-orm/sql';
import type { AuditChain, PendingContent, PendingSeal, RecordColumns } from './chain.js';
import { jsonParameter, rowsOf } from './chain-rows.js';
import type { AuditPendingTable, AuditQueries } from './postgres-table.js';

/** A pending record as the database shows it, to be proved. */
export type PendingRow = PendingContent & PendingSeal;

/** A record as it waits: its columns as one text, with what proves them. */
export function sealPending(chain: AuditChain, columns: RecordColumns): PendingRow {
  const content = { id: columns.id, record: JSON.stringify(columns) };
  return { ...content, ...chain.seal(content) };
}

/** The columns of a row that was proved. */
export function openPending({ record }: PendingRow): RecordColumns {
  return JSON.parse(record) as RecordColumns;
}

/**
 * Inserts the rows in another's transaction, and nowhere else. A driver may send the statement by itself after the
 * connection of the transaction broke; then it has no transaction id yet, and inserts nothing: a record must not be
 * committed without what it tells of.
 *
 * @throws TypeError outside a transaction.
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
  // The transaction has written nothing so far, and has no id for that. A setting that is local to it is still there in
  // the next statement; one of a statement by itself is not.
  const mark = randomUUID();
  await transaction.execute(sql`select set_config('audit.pending', ${mark}, true)`);
  if (await insertIf(sql`current_setting('audit.pending', true) = ${mark}`)) return;
  throw new TypeError('appendWithin takes the transaction that database.transaction(…) hands over');
}

/** The next pending rows, by id. Those that are older than so many seconds by the clock of the database; with 0, all. */
export function readPending(
  queries: Pick<AuditQueries, 'select'>,
  table: AuditPendingTable,
  { behind, olderThanSeconds, limit }: { behind: string | null; olderThanSeconds: number; limit: number },
): Promise<PendingRow[]> {
  const isOld = sql`${table.writtenAt} <= statement_timestamp() - ${olderThanSeconds}::double precision * interval '1 second'`;
  return queries
    .select({ id: table.id, record: table.record, mac: table.mac, keyId: table.keyId })
    .from(table)
    .where(and(behind === null ? undefined : gt(table.id, behind), olderThanSeconds === 0 ? undefined : isOld))
    .orderBy(table.id)
    .limit(limit);
}

/** Deletes the rows whose records have their place. */
export async function deletePending(
  queries: Pick<AuditQueries, 'delete'>,
  table: AuditPendingTable,
  ids: readonly string[],
): Promise<void> {
  await queries.delete(table).where(inArray(table.id, [...ids]));
}
