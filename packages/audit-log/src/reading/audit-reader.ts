import { and, count, desc, eq, gt, gte, lt, lte, max, type SQL, sql } from 'drizzle-orm/sql';
import { refuseFaults } from '../chain/chain-options.js';
import { AUDIT_TABLE_DEFAULTS, type AuditDatabase, type AuditRecordsTable } from '../chain/postgres-table.js';
import type { AuditOutcome, AuditRecord } from '../records/audit-record.js';
import { storable } from '../records/record-columns.js';

/** Rows of an export that are in memory at a time. */
const BATCH_ROWS = 500;

/** The largest page. Requirement HTTP-1. */
const MAX_PAGE_SIZE = 200;

/** Which records: those that meet every condition that is given. Requirement AUD-5. */
export interface AuditFilter {
  /** From this time on, in milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Before this time, in milliseconds since 1970. */
  readonly to?: number | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** In canonical form, as the records have it. */
  readonly ip?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly requestId?: string | undefined;
}

export interface AuditPageRequest {
  /** From 1. Default 1. */
  readonly number?: number;
  /** 1 to 200. Default 20. */
  readonly size?: number;
}

/** A record with its place in the chain. */
export interface StoredAuditRecord extends AuditRecord {
  readonly sequence: number;
}

export interface AuditPage {
  /** The newest first. */
  readonly records: readonly StoredAuditRecord[];
  readonly page: { readonly number: number; readonly size: number; readonly total: number };
}

export interface AuditReader {
  /** One page of the records that meet the filter, the newest first, and how many there are. */
  search(filter?: AuditFilter, page?: AuditPageRequest): Promise<AuditPage>;
  /**
   * The records that meet the filter and are there when it begins, the oldest first, in batches: memory doesn't grow with
   * the log, and no transaction is held while somebody reads slowly.
   */
  export(filter?: AuditFilter): AsyncIterableIterator<StoredAuditRecord>;
}

export interface AuditReaderOptions {
  /** A drizzle database over postgres-js, PGlite or node-postgres. Required. It stays yours. */
  readonly database: Pick<AuditDatabase, 'select'>;
  /** The table of records. Default `auditRecords`. */
  readonly table?: AuditRecordsTable;
}

/** Searches and exports the log. There is no way to change it. Requirement AUD-5. */
export function createAuditReader(options: AuditReaderOptions): AuditReader {
  const { database, table = AUDIT_TABLE_DEFAULTS.table } = options;
  refuseFaults('createAuditReader', [
    ...(typeof database?.select === 'function' ? [] : ['database must be a drizzle database']),
  ]);

  const columns = {
    sequence: table.sequence,
    id: table.id,
    occurredAt: table.occurredAt,
    actor: table.actor,
    action: table.action,
    target: table.target,
    outcome: table.outcome,
    reason: table.reason,
    durationMillis: table.durationMillis,
    parameters: table.parameters,
    clientIp: table.clientIp,
    extra: table.extra,
  };

  function conditions({ from, to, actor, action, ip, outcome, requestId }: AuditFilter): SQL | undefined {
    return and(
      from === undefined ? undefined : gte(table.occurredAt, timeOf(from)),
      to === undefined ? undefined : lt(table.occurredAt, timeOf(to)),
      actor === undefined ? undefined : eq(table.actor, text(actor)),
      action === undefined ? undefined : eq(table.action, text(action)),
      ip === undefined ? undefined : eq(table.clientIp, text(ip)),
      outcome === undefined ? undefined : eq(table.outcome, outcome),
      requestId === undefined ? undefined : sql`(${table.extra} ->> 'requestId') = ${text(requestId)}`,
    );
  }

  return {
    async search(filter = {}, { number = 1, size = 20 } = {}) {
      refuseFaults('search', [
        ...(isWholeNumber(number, Number.MAX_SAFE_INTEGER) ? [] : ['page.number must be a whole number from 1']),
        ...(isWholeNumber(size, MAX_PAGE_SIZE) ? [] : [`page.size must be a whole number from 1 to ${MAX_PAGE_SIZE}`]),
      ]);
      const where = conditions(filter);
      const [counted] = await database.select({ total: count() }).from(table).where(where);
      const total = counted?.total ?? 0;
      const offset = (number - 1) * size;
      const rows =
        offset >= total
          ? []
          : await database
              .select(columns)
              .from(table)
              .where(where)
              .orderBy(desc(table.sequence))
              .limit(size)
              .offset(offset);
      return { records: rows.map(recordOf), page: { number, size, total } };
    },

    async *export(filter = {}) {
      const where = conditions(filter);
      const [end] = await database.select({ sequence: max(table.sequence) }).from(table);
      if (end === undefined || end.sequence === null) return;
      for (let behind = Number.MIN_SAFE_INTEGER; ; ) {
        const rows = await database
          .select(columns)
          .from(table)
          .where(and(gt(table.sequence, behind), lte(table.sequence, end.sequence), where))
          .orderBy(table.sequence)
          .limit(BATCH_ROWS);
        for (const row of rows) yield recordOf(row);
        const last = rows.at(-1);
        if (last === undefined || rows.length < BATCH_ROWS) return;
        behind = last.sequence;
      }
    },
  };
}

function recordOf(row: Omit<StoredAuditRecord, 'occurredAt'> & { readonly occurredAt: Date }): StoredAuditRecord {
  return { ...row, occurredAt: row.occurredAt.getTime() };
}

/** As the columns hold it: a condition that PostgreSQL would refuse finds what was stored for it. */
function text(value: string): string {
  return storable(value) ?? '';
}

/** No record is from before 1970, nor from a year of five digits, which PostgreSQL would refuse in this form. */
function timeOf(millis: number): Date {
  if (Number.isNaN(millis)) throw new TypeError('from and to must be milliseconds since 1970');
  return new Date(Math.min(Date.UTC(10_000, 0) - 1, Math.max(0, millis)));
}

function isWholeNumber(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= max;
}
