import { setImmediate as nextTurn } from 'node:timers/promises';
import { callback, objectWith, optional, readOptions, unknownNameFaults } from '@sallyport/plugin-kit/options';
import {
  databaseRule,
  guardDatabase,
  isQueryError,
  runTransaction,
  type TransactionOf,
  TransactionRolledBackError,
} from '@sallyport/plugin-kit/postgres';
import type { FastifyRequest } from 'fastify';
import {
  ALWAYS,
  type AuditDatabase,
  type AuditStatement,
  type DrizzleDatabase,
  type DrizzleQueries,
  type ReadWithDatabase,
} from '../chain/index.js';
import { AuditSetupError, AuditUnavailableError } from '../errors.js';
import { type AuditEvent, type AuditRecord, createRecordIds, makeAuditRecord } from '../records/index.js';
import { type AuditDetails, withoutUndefined } from '../request-audit.js';
import type { PostgresAuditSink } from '../sinks/postgres/index.js';

/** The transaction of a change, which `database.transaction(…)` of the given database passes to the work. */
export type ChangeTransaction<Database extends Pick<AuditDatabase, 'transaction'>> = TransactionOf<Database>;

/** The origin of a change. One of `request` and `event` is required. */
export interface ChangeSubject {
  /** The request that makes the change. */
  readonly request?: FastifyRequest;
  /** The record of the change, if it is not the record of the request. */
  readonly event?: AuditEvent;
  /** If it is aborted, the change is rolled back, unless its last statements were already sent. */
  readonly signal?: AbortSignal;
}

/** Makes the change in the transaction. Each call of `record` adds details, such as old and new values. */
export type ChangeWork<Transaction, Result> = (
  transaction: Transaction,
  record: (details: AuditDetails) => void,
) => Promise<Result>;

/** Changes that commit with their audit record. */
export interface AuditedChanges<Database extends AuditDatabase> {
  /**
   * Runs the work in one transaction, with the record as its last statement: both are committed, or neither. Resolves
   * to the result of the work after the commit. For `{ request }`, the record is the one of the request, and the reply
   * no longer depends on the sink. For `{ event }`, it is a separate record, with the origin of the request if one is
   * given. Use it for a second change of a request, and for jobs and commands.
   *
   * Rejects with AuditUnavailableError (503) if the record can't be written, or if PostgreSQL answers the commit with
   * ROLLBACK, and otherwise with the error of the work or of the database. If the commit failed, the change may have
   * been made, with its record. Rejects with TypeError if the request is not audited, and with AuditSetupError for an
   * unknown member.
   */
  change<Result>(subject: ChangeSubject, work: ChangeWork<ChangeTransaction<Database>, Result>): Promise<Result>;
  /**
   * Commits the begun record of a request in one transaction with `confirm`. Use it for the option `begin` of the
   * plugin. Rejects with the refusal of `confirm`, and otherwise with AuditUnavailableError (503).
   */
  begin(record: AuditRecord, request: FastifyRequest): Promise<void>;
}

export interface AuditedChangesOptions<Database extends AuditDatabase> {
  /** A drizzle database that can write. Give your routes a database that can only read. Required. */
  readonly database: Database;
  /** The sink on the same database. Required. */
  readonly sink: Pick<PostgresAuditSink, 'append' | 'appendIf' | 'appendWithin'>;
  /**
   * Runs as the last step of the transaction of a request's own change. If it rejects, the change is rolled back. It
   * may send the insert of the record with a statement of its own, in one round trip: `insertRecord(condition)` returns
   * that insert, which is made only if the condition is true, such as
   * `completeWithin(transaction, { also: insertRecord(isCompleted) })` of @sallyport/idempotency. If it does not call
   * `insertRecord` before it first waits, the record is inserted by a separate statement. Default: nothing.
   */
  readonly complete?: (
    transaction: ChangeTransaction<Database>,
    request: FastifyRequest,
    insertRecord: <Statement extends AuditStatement>(condition: Statement) => Statement,
  ) => Promise<void> | undefined;
  /**
   * The last decision whether a change of a request may commit, such as whether its session is still live. If it
   * rejects, the change is rolled back, and rejects with the same error. It is called when every other statement was
   * sent, so its statements share their round trip, and a lock that it takes is held only for the commit. Default:
   * nothing.
   */
  readonly confirm?: (transaction: ChangeTransaction<Database>, request: FastifyRequest) => Promise<void> | undefined;
  /** Called if a committed record could not be chained at once. Any node chains it later. Default: nothing. */
  readonly onDelay?: (error: unknown) => void;
  /** The clock of events without a request, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

const rules = {
  database: databaseRule<DrizzleDatabase>('transaction'),
  sink: objectWith<AuditedChangesOptions<AuditDatabase>['sink']>({
    methods: ['append', 'appendIf', 'appendWithin'],
    meaning: 'a sink of createPostgresAuditSink(…)',
  }),
  complete: callback<Required<AuditedChangesOptions<AuditDatabase>>['complete']>({
    that: 'takes the transaction and the request',
    default: async () => {},
  }),
  confirm: optional(
    callback<Required<AuditedChangesOptions<AuditDatabase>>['confirm']>({
      that: 'takes the transaction and the request',
    }),
  ),
  onDelay: callback<(error: unknown) => void>({ that: 'takes an error', default: () => {} }),
  now: callback<() => number>({ that: 'returns milliseconds since 1970, such as Date.now', default: Date.now }),
};

type ReadOptions = Omit<ReadWithDatabase<AuditedChangesOptions<AuditDatabase>>, 'confirm'> & {
  readonly confirm: AuditedChangesOptions<AuditDatabase>['confirm'] | undefined;
};

/** The record of a change, and its fate with the transaction. */
interface ChangeRecord {
  describe(details: AuditDetails): AuditRecord;
  committed(record: AuditRecord): void;
  rolledBack(): void;
}

/**
 * Makes changes of state, so that no change is without its record.
 *
 * @example
 * ```ts
 * const changes = createAuditedChanges({ database, sink });
 * app.put<OrderRoute>('/orders/:id', { config }, (request) =>
 *   changes.change({ request }, async (transaction, record) => {
 *     const byId = eq(orders.id, request.params.id);
 *     const [order] = await transaction.update(orders).set({ amount: request.body.amount }).where(byId).returning();
 *     if (order === undefined) throw Object.assign(new Error('There is no such order'), { statusCode: 404 });
 *     record({ target: order.id, detail: { newValue: order } });
 *     return { data: order };
 *   }),
 * );
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createAuditedChanges<Database extends AuditDatabase>(
  options: AuditedChangesOptions<Database>,
): AuditedChanges<Database> {
  const owner = { subject: 'createAuditedChanges', SetupError: AuditSetupError };
  const { database, sink, complete, confirm, onDelay, now } = readOptions<ReadOptions>(owner, options, rules);
  // runTransaction also guards the database. This call makes the start warn already.
  guardDatabase(database);
  const nextId = createRecordIds(now);

  function recordOf({ request, event }: ChangeSubject): ChangeRecord {
    if (event !== undefined) {
      refuseBadEvent(event);
      return recordOfEvent(request?.audit?.withOrigin(event) ?? event);
    }
    if (request?.audit == null)
      throw new TypeError('A change needs a request of a route with config.audit, or an event');
    return request.audit.startChange();
  }

  /** No reply appends this record, so it is appended after the commit. */
  function recordOfEvent(event: AuditEvent): ChangeRecord {
    const origin = { id: nextId(), occurredAt: now() };
    return {
      describe({ detail, ...details }) {
        const parameters = detail === undefined ? event.parameters : { detail };
        return makeAuditRecord({ ...event, ...withoutUndefined(details), parameters }, origin);
      },
      committed(record) {
        sink.append([record]).catch(onDelay);
      },
      rolledBack() {},
    };
  }

  /** The last statements of a change: its record, its completion, and its confirmation. */
  async function finish(
    transaction: DrizzleQueries,
    record: AuditRecord,
    { request, event }: ChangeSubject,
  ): Promise<void> {
    const writing = writeRecord(transaction, record, event === undefined ? request : undefined);
    await settleAll([writing, request === undefined ? undefined : confirmBehind(transaction, request)]);
  }

  /** Drivers send the statements of a turn of the event loop at its end. In the next turn the record is on its way. */
  async function confirmBehind(transaction: DrizzleQueries, request: FastifyRequest): Promise<void> {
    if (confirm === undefined) return;
    await nextTurn();
    await confirm(transaction as never, request);
  }

  async function writeRecord(
    transaction: DrizzleQueries,
    record: AuditRecord,
    request: FastifyRequest | undefined,
  ): Promise<void> {
    if (request === undefined) return sink.appendWithin(transaction, [record]).catch(refuseChange);
    let isSent = false;
    const insertRecord = <Statement extends AuditStatement>(condition: Statement) => {
      isSent = true;
      return sink.appendIf(condition, [record]);
    };
    const completed = complete(transaction as never, request, insertRecord) ?? Promise.resolve();
    // A statement failed, perhaps because the record could not be written.
    if (isSent) return completed.catch(refuseStatement);
    await settleAll([completed, sink.appendWithin(transaction, [record]).catch(refuseChange)]);
  }

  return {
    async change(subject, work) {
      const { signal } = subject;
      refuseUnknownMembers(subject);
      signal?.throwIfAborted();
      const change = recordOf(subject);
      let details: AuditDetails = {};
      let record: AuditRecord | null = null;
      let isReady = false;
      try {
        const result = await runTransaction(database, async (transaction) => {
          const given = transaction as unknown as ChangeTransaction<Database>;
          const made = await work(given, (more) => {
            details = { ...details, ...more };
          });
          signal?.throwIfAborted();
          record = change.describe(details);
          await finish(transaction, record, subject);
          // The caller no longer waits, so the change is rolled back.
          signal?.throwIfAborted();
          isReady = true;
          return made;
        });
        change.committed(record as unknown as AuditRecord);
        return result;
      } catch (error) {
        // If every statement is done, only the commit can have failed. Without an answer its outcome is unknown.
        const isRolledBack = error instanceof TransactionRolledBackError;
        if (!isReady || isRolledBack) change.rolledBack();
        if (isRolledBack) refuseChange(error);
        throw error;
      }
    },

    async begin(record, request) {
      let refusal: { readonly error: unknown } | null = null;
      async function confirmBegin(transaction: DrizzleQueries): Promise<void> {
        await confirmBehind(transaction, request).catch((error: unknown) => {
          refusal = isQueryError(error) ? null : { error };
          throw error;
        });
      }
      const insertRecord = async (transaction: DrizzleQueries) =>
        void (await transaction.execute(sink.appendIf(ALWAYS, [record])));
      try {
        await runTransaction(database, (transaction) =>
          settleAll([insertRecord(transaction), confirmBegin(transaction)]),
        );
      } catch (error) {
        refuseBegin(refusal, error);
      }
    },
  };
}

function refuseBegin(refusal: { readonly error: unknown } | null, cause: unknown): never {
  if (refusal !== null) throw refusal.error;
  refuseChange(cause);
}

const SUBJECT_MEMBERS: readonly string[] = ['request', 'event', 'signal'];

function refuseUnknownMembers(subject: ChangeSubject): void {
  const faults = unknownNameFaults(Object.keys(subject), SUBJECT_MEMBERS, { path: '' });
  if (faults.length > 0) throw new AuditSetupError('change', faults);
}

function refuseBadEvent({ action }: AuditEvent): void {
  if (typeof action === 'string' && action !== '') return;
  throw new AuditSetupError('change', ["event.action must be a text like 'order.import'"]);
}

/** The record can't be written, so its change is rolled back. */
function refuseChange(cause: unknown): never {
  throw new AuditUnavailableError({ cause });
}

function refuseStatement(error: unknown): never {
  if (isQueryError(error)) refuseChange(error);
  throw error;
}

/** The statements are sent together; the transaction runs them in order. Waits for all before it rejects. */
async function settleAll(statements: readonly (Promise<void> | undefined)[]): Promise<void> {
  const outcomes = await Promise.allSettled(statements);
  const failure = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
  if (failure !== undefined) throw failure.reason;
}
