import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { callback, nullable, objectWith, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { databaseRule, guardDatabase } from '@sallyport/plugin-kit/postgres';
import { eq } from 'drizzle-orm/sql';
import {
  type AuditDatabase,
  type AuditPendingTable,
  type AuditRecordsTable,
  auditPending,
  auditRecords,
  type DrizzleQueries,
  describeFailure,
  type ReadWithDatabase,
  tableRules,
} from '../chain/index.js';
import { AuditRecordRefusedError, AuditSetupError } from '../errors.js';
import { createAuditReader, type StoredAuditRecord } from '../reading/index.js';
import { type AuditOutcome, begunIdOf, completionId } from '../records/index.js';
import type { PostgresAuditSink } from '../sinks/postgres/index.js';

/** The end of a begun operation. */
export interface FoundOutcome {
  readonly outcome: Exclude<AuditOutcome, 'unknown'>;
  /** The code of the reason, at most 128 characters. Default: the reason of the begun record. */
  readonly reason?: string;
}

export interface AuditSettlementOptions {
  /** A drizzle database over postgres-js, PGlite or node-postgres. It is only read. Required. */
  readonly database: Pick<AuditDatabase, 'select'>;
  /** The sink of the log. Required. */
  readonly sink: Pick<PostgresAuditSink, 'append'>;
  /**
   * Determines the end of a begun operation. Null: it can't be determined, and the outcome stays `unknown`. If it
   * rejects, or does not answer within 15 s, the next pass asks again. Required.
   */
  readonly findOutcome: (record: StoredAuditRecord) => Promise<FoundOutcome | null>;
  /** The interval of the passes, in seconds, 1 to 86 400. Default 60. */
  readonly everySeconds?: number;
  /**
   * The minimum age of an operation, in seconds, 1 to 86 400. It must be longer than any operation takes. Default 120.
   */
  readonly olderThanSeconds?: number;
  /** The maximum age of an operation, in seconds, 1 to 31 622 400. Default 86 400. */
  readonly youngerThanSeconds?: number;
  /** The table of records. Default `auditRecords`. */
  readonly table?: AuditRecordsTable;
  /** The table of pending records. Default `auditPending`. */
  readonly pending?: AuditPendingTable;
  /** Receives a warning if a pass fails, or not all of its records; the next one tries again. Default none. */
  readonly log?: { warn(details: object, message: string): void } | null;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

export interface AuditSettlement {
  /**
   * Completes the begun records whose outcome can be determined. Resolves to their number. Concurrent calls share one
   * pass.
   */
  settle(): Promise<number>;
  /** Stops the timer, and resolves when the running pass has ended. */
  close(): Promise<void>;
}

/** The time limit of `findOutcome`, in milliseconds. */
const OUTCOME_LIMIT_MILLIS = 15_000;

const DAY_SECONDS = 86_400;
const MAX_YOUNGER_SECONDS = 366 * DAY_SECONDS;

const seconds = (max: number, byDefault: number) => wholeNumber({ min: 1, max, unit: 'seconds', default: byDefault });

const rules = {
  database: databaseRule<Pick<DrizzleQueries, 'select'>>('select'),
  sink: objectWith<AuditSettlementOptions['sink']>({
    methods: ['append'],
    meaning: 'a sink of createPostgresAuditSink(…)',
  }),
  findOutcome: callback<AuditSettlementOptions['findOutcome']>({ that: 'takes a begun record' }),
  everySeconds: seconds(DAY_SECONDS, 60),
  olderThanSeconds: seconds(DAY_SECONDS, 120),
  youngerThanSeconds: seconds(MAX_YOUNGER_SECONDS, DAY_SECONDS),
  table: tableRules.table,
  pending: tableRules.pending,
  log: nullable(objectWith<NonNullable<AuditSettlementOptions['log']>>({ methods: ['warn'], meaning: 'a logger' })),
  now: callback<() => number>({ that: 'returns milliseconds since 1970, such as Date.now', default: Date.now }),
};

function windowFaults(given: Partial<AuditSettlementOptions>): string[] {
  const { olderThanSeconds = 0, youngerThanSeconds = Number.POSITIVE_INFINITY, table, pending } = given;
  const isHalfOwn =
    table !== undefined && pending !== undefined && (table === auditRecords) !== (pending === auditPending);
  return [
    ...(olderThanSeconds < youngerThanSeconds ? [] : ['olderThanSeconds must be less than youngerThanSeconds']),
    // A completion that waits in a table that is not asked would be replaced.
    ...(isHalfOwn ? ['table and pending must be given together'] : []),
  ];
}

/**
 * Settles records that were begun and never completed, such as after a crash, if their outcome can be determined later.
 * The begun record stays, and its completion is added. Any number of nodes may do so, because an operation has only one
 * completion.
 *
 * @example
 * ```ts
 * const settlement = createAuditSettlement({
 *   database,
 *   sink,
 *   // Your mail server knows whether a mail was sent; null where nobody knows.
 *   findOutcome: async ({ action }) => (action === 'mail.send' ? { outcome: 'success' } : null),
 * });
 * app.addHook('onClose', () => settlement.close());
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createAuditSettlement(options: AuditSettlementOptions): AuditSettlement {
  const owner = { subject: 'createAuditSettlement', SetupError: AuditSetupError };
  const { database, sink, findOutcome, everySeconds, olderThanSeconds, youngerThanSeconds, table, pending, log, now } =
    readOptions<ReadWithDatabase<AuditSettlementOptions, Pick<DrizzleQueries, 'select'>>>(
      owner,
      { log: null, ...options },
      rules,
      windowFaults,
    );
  const reader = createAuditReader({ database, table });
  const guard = guardDatabase(database);
  let running: Promise<number> | null = null;
  let isClosed = false;
  const timer = setInterval(() => void settle().catch(warnOfFailure), everySeconds * 1000).unref();

  function warnOfFailure(err: unknown): void {
    log?.warn({ err: describeFailure(err) }, 'Begun audit records could not be settled: the next pass tries again');
  }

  function settle(): Promise<number> {
    running ??= settleAll().finally(() => {
      running = null;
    });
    return running;
  }

  async function settleAll(): Promise<number> {
    const [from, to] = [now() - youngerThanSeconds * 1000, now() - olderThanSeconds * 1000];
    let settled = 0;
    let hasWarned = false;
    /** One record must not keep the pass from the following ones. */
    const skip = (err: unknown): null => {
      if (!hasWarned) warnOfFailure(err);
      hasWarned = true;
      return null;
    };
    for await (const record of reader.export({ outcome: 'unknown', from, to })) {
      if (isClosed) break;
      // A completion may have the outcome `unknown`, too. An operation has only one.
      if (begunIdOf(record.id) !== null) continue;
      const found = await answerFor(record).catch(skip);
      const id = completionId(record.id);
      if (found === null || (await isPending(id))) continue;
      const { sequence: _place, ...begun } = record;
      const appended = sink.append([{ ...begun, ...found, id }]).catch((err: unknown) => {
        if (!(err instanceof AuditRecordRefusedError)) throw err;
        return skip(err);
      });
      if ((await appended) !== null) settled += 1;
    }
    return settled;
  }

  function answerFor(record: StoredAuditRecord): Promise<FoundOutcome | null> {
    const late = () => new Error(`findOutcome has not answered within ${OUTCOME_LIMIT_MILLIS} ms`);
    return withinDeadline((async () => findOutcome(record))(), OUTCOME_LIMIT_MILLIS, late);
  }

  /** Whether the completion was committed with its change and waits for the chain, where it must not be replaced. */
  async function isPending(id: string): Promise<boolean> {
    const rows = await guard(() => database.select({ id: pending.id }).from(pending).where(eq(pending.id, id)));
    return rows.length > 0;
  }

  return {
    settle,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running?.catch(() => {});
    },
  };
}
