import { readOptions } from '@sallyport/plugin-kit/options';
import { databaseRule, guardDatabase } from '@sallyport/plugin-kit/postgres';
import { alias } from 'drizzle-orm/pg-core';
import { and, count, desc, eq, gt, gte, inArray, lt, lte, max, type SQL, sql } from 'drizzle-orm/sql';
import {
  type AuditDatabase,
  type AuditRecordsTable,
  type DrizzleQueries,
  INDEXED_OUTCOMES,
  isIndexedOutcome,
  type ReadWithDatabase,
  tableRules,
} from '../chain/index.js';
import { AuditSetupError } from '../errors.js';
import { type AuditRecord, MAX_TIME, storable } from '../records/index.js';
import { type AuditFilter, refuseUnknownFilters } from './audit-filter.js';
import { isWithin, rangeOf } from './network-filter.js';

/** The number of rows of an export in memory. */
const BATCH_ROWS = 500;

/** The largest page. Requirement HTTP-1. */
const MAX_PAGE_SIZE = 200;

/**
 * Records are counted up to this number, because counting a long log would take longer than reading a page. Requirement
 * AUD-11.
 */
const MAX_COUNTED = 10_000;

export interface AuditPageRequest {
  /** From 1. Default 1. */
  readonly number?: number;
  /** 1 to 200. Default 20. */
  readonly size?: number;
}

/** A record with its sequence in the chain. */
export interface StoredAuditRecord extends AuditRecord {
  readonly sequence: number;
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly StoredAuditRecord[];
  readonly page: {
    readonly number: number;
    readonly size: number;
    /** The total number of records, exact up to 10 000. 10 000 if there are more. */
    readonly total: number;
    readonly totalIsExact: boolean;
    /** `after` of the records that follow. Null if there are none. */
    readonly next: number | null;
  };
}

/** The position at which to continue. */
export interface AuditCursorRequest {
  /** `next` of the previous page. Default null: start with the newest record. */
  readonly after?: number | null;
  /** 1 to 200. Default 20. */
  readonly size?: number;
}

export interface AuditCursorPage {
  /** Newest first. */
  readonly records: readonly StoredAuditRecord[];
  /** Null if these are the last ones. */
  readonly next: number | null;
}

export interface AuditReader {
  /** One page of the records that meet the filter, newest first, with their total number. */
  search(filter?: AuditFilter, page?: AuditPageRequest): Promise<AuditPage>;
  /**
   * The records that meet the filter and follow a page, newest first. They are not counted, and records that are added
   * in the meantime do not shift them. An operation that is completed in the meantime is on none of the later pages,
   * because its completion is a new record.
   */
  searchAfter(filter?: AuditFilter, request?: AuditCursorRequest): Promise<AuditCursorPage>;
  /**
   * The records that meet the filter and exist when the export begins, oldest first. It reads in batches, so memory
   * doesn't grow with the log, and a slow reader holds no transaction open.
   */
  export(filter?: AuditFilter): AsyncIterableIterator<StoredAuditRecord>;
}

export interface AuditReaderOptions {
  /** A drizzle database over postgres-js, PGlite or node-postgres. Required. The reader never closes it. */
  readonly database: Pick<AuditDatabase, 'select'>;
  /** The table of records. Default `auditRecords`. */
  readonly table?: AuditRecordsTable;
}

const rules = { database: databaseRule<Pick<DrizzleQueries, 'select'>>('select'), table: tableRules.table };

/**
 * Searches and exports the log. It can't change it.
 *
 * @example
 * ```ts
 * await app.inject({ method: 'PUT', url: '/orders/1', payload: { amount: '12.50' } });
 * const { records } = await createAuditReader({ database }).search({ action: 'order.update' });
 * assert.deepEqual(records[0]?.parameters, {
 *   params: { id: '1' },
 *   body: { amount: '12.50' },
 *   detail: { newValue: { id: '1', amount: '12.50' } },
 * });
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createAuditReader(options: AuditReaderOptions): AuditReader {
  const { database, table } = readOptions<ReadWithDatabase<AuditReaderOptions, Pick<DrizzleQueries, 'select'>>>(
    { subject: 'createAuditReader', SetupError: AuditSetupError },
    options,
    rules,
  );

  const guard = guardDatabase(database);
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

  /**
   * A begun record is listed until its completion is in the log. Only for unknown outcomes is the completion looked up.
   * The outcome of a completion may be unknown, too.
   *
   * @param end the last row whose completion counts. Null: any row
   */
  const isShown = (end: number | null) => {
    const completion = alias(table, 'completion');
    const completionId = sql`overlay(${table.id}::text placing '8' from 15 for 1)::uuid`;
    const isCompletion = sql`substr(${table.id}::text, 15, 1) = '8'`;
    const found = database
      .select({ id: completion.id })
      .from(completion)
      .where(and(sql`${completion.id} = ${completionId}`, end === null ? undefined : lte(completion.sequence, end)));
    return sql`(${table.outcome} <> 'unknown' or ${isCompletion} or not exists ${found})`;
  };

  function conditions(filter: AuditFilter, end: number | null = null): SQL | undefined {
    const {
      from,
      to,
      actor,
      action,
      actionPrefix,
      reads = true,
      ip,
      network,
      target,
      reason,
      outcome,
      requestId,
    } = filter;
    const mayBeBegun = outcome === undefined || outcome === 'unknown';
    return and(
      mayBeBegun ? isShown(end) : undefined,
      from === undefined ? undefined : gte(table.occurredAt, timeOf(from)),
      to === undefined ? undefined : lt(table.occurredAt, timeOf(to)),
      actor === undefined ? undefined : eq(table.actor, text(actor)),
      action === undefined ? undefined : inArray(table.action, [action].flat().map(text)),
      actionPrefix === undefined ? undefined : sql`starts_with(${table.action}, ${text(actionPrefix)})`,
      reads ? undefined : sql`${table.action} not like '%.read'`,
      ip === undefined ? undefined : eq(table.clientIp, text(ip)),
      network === undefined ? undefined : isWithin(table.clientIp, rangeOf(network)),
      target === undefined ? undefined : inArray(table.target, [target].flat().map(text)),
      reason === undefined ? undefined : eq(table.reason, text(reason)),
      outcome === undefined ? undefined : eq(table.outcome, outcome),
      // For the index, because the plan of a prepared statement does not know the value.
      outcome !== undefined && INDEXED_OUTCOMES.includes(outcome) ? isIndexedOutcome(table.outcome) : undefined,
      requestId === undefined ? undefined : sql`(${table.extra} ->> 'requestId') = ${text(requestId)}`,
    );
  }

  /** One record more than the page has, to find out whether others follow. */
  async function read(where: SQL | undefined, size: number, offset: number): Promise<AuditCursorPage> {
    const rows = await guard(() =>
      database
        .select(columns)
        .from(table)
        .where(where)
        .orderBy(desc(table.sequence))
        .limit(size + 1)
        .offset(offset),
    );
    const records = rows.slice(0, size).map(recordOf);
    return { records, next: rows.length > size ? (records.at(-1) as StoredAuditRecord).sequence : null };
  }

  /** The number of records that meet the condition, at most one more than is counted. */
  async function countUpTo(where: SQL | undefined): Promise<number> {
    const found = database
      .select({ sequence: table.sequence })
      .from(table)
      .where(where)
      .limit(MAX_COUNTED + 1)
      .as('found');
    const [counted] = await guard(() => database.select({ total: count() }).from(found));
    return counted?.total ?? 0;
  }

  return {
    async search(filter = {}, { number = 1, size = 20 } = {}) {
      refuseUnknownFilters(filter);
      if (!isWholeNumber(number, Number.MAX_SAFE_INTEGER))
        throw new TypeError('search: page.number must be a whole number from 1');
      assertSize('search: page.size', size);
      const where = conditions(filter);
      const counted = await countUpTo(where);
      const totalIsExact = counted <= MAX_COUNTED;
      const offset = (number - 1) * size;
      const isBehind = totalIsExact && offset >= counted;
      const { records, next } = isBehind ? { records: [], next: null } : await read(where, size, offset);
      return { records, page: { number, size, total: Math.min(counted, MAX_COUNTED), totalIsExact, next } };
    },

    async searchAfter(filter = {}, { after = null, size = 20 } = {}) {
      refuseUnknownFilters(filter);
      assertSize('searchAfter: size', size);
      if (after !== null && !Number.isSafeInteger(after)) {
        throw new TypeError('searchAfter: after must be the next of an earlier page');
      }
      return read(and(after === null ? undefined : lt(table.sequence, after), conditions(filter)), size, 0);
    },

    async *export(filter = {}) {
      refuseUnknownFilters(filter);
      const [last] = await guard(() => database.select({ sequence: max(table.sequence) }).from(table));
      const end = last?.sequence ?? null;
      // An operation that is completed after the end is exported as begun.
      const where = conditions(filter, end);
      if (end === null) return;
      for (let after = Number.MIN_SAFE_INTEGER; ; ) {
        const rows = await database
          .select(columns)
          .from(table)
          .where(and(gt(table.sequence, after), lte(table.sequence, end), where))
          .orderBy(table.sequence)
          .limit(BATCH_ROWS);
        for (const row of rows) yield recordOf(row);
        const last = rows.at(-1);
        if (last === undefined || rows.length < BATCH_ROWS) return;
        after = last.sequence;
      }
    },
  };
}

function recordOf(row: Omit<StoredAuditRecord, 'occurredAt'> & { readonly occurredAt: Date }): StoredAuditRecord {
  return { ...row, occurredAt: row.occurredAt.getTime() };
}

/** The text in the form of a column. PostgreSQL refuses some texts, whose replacement is stored. */
function text(value: string): string {
  return storable(value) ?? '';
}

/** Clamped to the possible times of a record, because PostgreSQL refuses ISO 8601 dates with a year of five digits. */
function timeOf(millis: number): Date {
  if (Number.isNaN(millis)) throw new TypeError('from and to must be milliseconds since 1970');
  return new Date(Math.min(MAX_TIME, Math.max(0, millis)));
}

function assertSize(name: string, size: number): void {
  if (!isWholeNumber(size, MAX_PAGE_SIZE))
    throw new TypeError(`${name} must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
}

function isWholeNumber(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= max;
}
