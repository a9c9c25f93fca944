import { randomUUID } from 'node:crypto';
import { renderStatement } from '@sallyport/plugin-kit/postgres';
import { and, gt, inArray, type SQL, sql } from 'drizzle-orm/sql';
import type { RecordColumns } from '../records/index.js';
import type { DrizzleQueries } from './audit-database.js';
import type { AuditChain, PendingContent, PendingSeal } from './chain.js';
import { arrayLiteral, arrayPlaceholder, rowsOf } from './chain-rows.js';
import type { AuditPendingTable } from './postgres-table.js';

/** A pending record as read from the database, not verified yet. */
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

/** Inserts pending rows in transactions of the caller. */
export interface PendingInserts {
  /**
   * Inserts the rows in the caller's transaction only, because a record must not be committed without its change. If
   * the connection of the transaction breaks, a driver may send the statement outside of it, where it inserts nothing.
   *
   * @throws TypeError outside a transaction
   */
  insertWithin(transaction: Pick<DrizzleQueries, 'execute'>, rows: readonly PendingRow[]): Promise<void>;
  /** The insert of the rows under a condition. The condition has to be false outside of the caller's transaction. */
  insertIf(condition: SQL, rows: readonly PendingRow[]): SQL;
}

/** The condition of an insert that is a transaction by itself. */
export const ALWAYS: SQL = renderStatement(sql`true`)({});

export function preparePendingInserts(table: AuditPendingTable): PendingInserts {
  const given = sql`unnest(
    ${arrayPlaceholder('id', 'uuid')}, ${arrayPlaceholder('record', 'text')},
    ${arrayPlaceholder('mac', 'text')}, ${arrayPlaceholder('keyId', 'text')}
  ) as given ("id", "record", "mac", "key_id") where ${sql.placeholder('condition')}`;
  const insert = renderStatement<keyof PendingRow | 'condition'>(sql`
    insert into ${table} ("id", "record", "mac", "key_id") select * from ${given} on conflict ("id") do nothing
  `);
  const insertAndCount = renderStatement<keyof PendingRow | 'condition'>(sql`
    with given as (
      select * from ${given}
    ), written as (
      insert into ${table} ("id", "record", "mac", "key_id") select * from given on conflict ("id") do nothing
    )
    select count(*)::int as "taken" from given
  `);
  const valuesOf = (rows: readonly PendingRow[], condition: SQL) => ({
    condition,
    id: arrayLiteral(rows.map(({ id }) => id)),
    record: arrayLiteral(rows.map(({ record }) => record)),
    mac: arrayLiteral(rows.map(({ mac }) => mac)),
    keyId: arrayLiteral(rows.map(({ keyId }) => keyId)),
  });

  return {
    insertIf: (condition, rows) => insert(valuesOf(rows, condition)),

    async insertWithin(transaction, rows) {
      const values = valuesOf(rows, HAS_WRITTEN);
      const takenIf = async (condition: SQL) => {
        const result = await transaction.execute(insertAndCount({ ...values, condition }));
        return rowsOf<{ readonly taken: number }>(result)[0]?.taken === rows.length;
      };
      if (await takenIf(HAS_WRITTEN)) return;
      // The transaction has written nothing yet, so it has no id. A local setting is visible in the next statement of
      // the transaction. Outside of a transaction it is lost after its statement.
      const mark = randomUUID();
      await transaction.execute(sql`select set_config('audit.pending', ${mark}, true)`);
      if (await takenIf(sql`current_setting('audit.pending', true) = ${mark}`)) return;
      throw new TypeError('appendWithin must be called with the transaction that database.transaction(…) provides');
    },
  };
}

/** False outside of a transaction, and in one that has written nothing yet. */
const HAS_WRITTEN = renderStatement(sql`txid_current_if_assigned() is not null`)({});

/**
 * The next pending rows by id with an age of more than `olderThanSeconds` by the clock of the database. With 0, all.
 */
export function readPending(
  queries: Pick<DrizzleQueries, 'select'>,
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
  queries: Pick<DrizzleQueries, 'delete'>,
  table: AuditPendingTable,
  ids: readonly string[],
): Promise<void> {
  await queries.delete(table).where(inArray(table.id, [...ids]));
}
