import { gte } from 'drizzle-orm/sql';
import {
  type AuditChainHeadsTable,
  type AuditRecordsTable,
  chainName,
  type DrizzleQueries,
  readHead,
  rowSelection,
} from '../chain/index.js';
import { canonicalOfJsonb } from '../records/index.js';
import type { DeliveredRecord } from './audit-target.js';
import type { Cursor } from './delivery-cursor.js';

/** Records that are missing between two existing ones. */
export interface MissingRecords {
  readonly from: number;
  readonly to: number;
}

export interface DeliveryBatch {
  /** In the order of the chain. Empty if everything is delivered. */
  readonly records: readonly DeliveredRecord[];
  readonly missing: readonly MissingRecords[];
}

/**
 * The log is not the one that was delivered: it was cut or restored before the cursor, and sequences were used again.
 * Nothing is sent, because it is unknown which records the destination lacks.
 */
export class LogDivergedError extends Error {
  override readonly name = 'LogDivergedError';
}

export interface DeliveryRowsOptions {
  readonly database: DrizzleQueries;
  readonly table: AuditRecordsTable;
  readonly heads: AuditChainHeadsTable;
  readonly isSecurityEvent: (action: string) => boolean;
}

/**
 * Reads the records after the cursor. No record can appear later with a lower sequence than one that was read:
 * `createChainWriter` locks the head row from before a record is inserted until it is committed, so records become
 * visible in their sequence.
 *
 * @throws LogDivergedError if the row at the cursor is not the one that was delivered, or the log ends before it
 */
export async function readAfter(
  { database, table, heads, isSecurityEvent }: DeliveryRowsOptions,
  cursor: Cursor,
  maxRecords: number,
): Promise<DeliveryBatch> {
  const rows = await database
    .select(rowSelection(table))
    .from(table)
    // The row of the cursor is read again for a comparison.
    .where(gte(table.sequence, cursor.sequence))
    .orderBy(table.sequence)
    .limit(maxRecords + 1);
  const isThere = rows[0]?.sequence === cursor.sequence;
  if (isThere && cursor.mac !== null && rows[0]?.mac !== cursor.mac) {
    throw new LogDivergedError(`Record ${cursor.sequence} is not the one that was delivered`);
  }
  if (rows.length === 0 && cursor.sequence > 0) {
    const end = (await readHead(database, heads, chainName(table)))?.sequence ?? 0;
    if (end < cursor.sequence)
      throw new LogDivergedError(`The log ends with record ${end}, but ${cursor.sequence} was delivered`);
  }
  const fresh = rows.slice(isThere ? 1 : 0, (isThere ? 1 : 0) + maxRecords);
  const missing = fresh.flatMap(({ sequence }, index) => {
    const before = fresh[index - 1]?.sequence ?? cursor.sequence;
    return sequence === before + 1 ? [] : [{ from: before + 1, to: sequence - 1 }];
  });
  const records = fresh.map((row) => ({
    ...row,
    durationMillis: String(row.durationMillis),
    // A changed row may contain numbers that canonical JSON can't represent. They are delivered unchanged.
    parameters: canonicalOfJsonb(row.parameters ?? 'null') ?? row.parameters,
    extra: canonicalOfJsonb(row.extra ?? 'null') ?? row.extra,
    isSecurityEvent: isSecurityEvent(row.action),
  }));
  return { records, missing };
}
