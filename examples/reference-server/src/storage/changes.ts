import type { AuditDetails, AuditEvent, AuditRecord } from '@sallyport/audit-log';
import { type ChangeSubject, createAuditedChanges, type PostgresAuditSink } from '@sallyport/audit-log/postgres';
import { isCompleted } from '@sallyport/idempotency/postgres';
import type { FastifyRequest } from 'fastify';
import { type Database, type Queries, saysUnavailable, withinLimit } from './database.js';
import { DatabaseUnavailableError } from './errors.js';

/**
 * Makes a change in the transaction that it gets, and adds details to its audit record by `record`. It may read only
 * through the transaction: the embedded database has one connection.
 */
export type ChangeWork<Result> = (transaction: Queries, record: (details: AuditDetails) => void) => Promise<Result>;

/** The only way to write to the database: with an audit record, or not at all (AUD-8). */
export interface Changes {
  /**
   * Makes one change. For a request, its audit record and the record of its idempotency key are committed with it; for
   * an event, a record of the event.
   *
   * @throws {DatabaseUnavailableError} also after the time limit; then the change is rolled back, unless it is being
   * committed
   */
  change<Result>(subject: Omit<ChangeSubject, 'signal'>, work: ChangeWork<Result>): Promise<Result>;
  /** Commits the record of a change that a request is about to make outside of the database. */
  begin(record: AuditRecord, request: FastifyRequest): Promise<void>;
}

/** Makes the change of one request. */
export type RunChange = <Result>(work: ChangeWork<Result>) => Promise<Result>;

/** Makes a change beside that of the request, with an audit record of its own. */
export type RunEvent = <Result>(event: AuditEvent, work: ChangeWork<Result>) => Promise<Result>;

export function runChangeOf(changes: Changes, request: FastifyRequest): RunChange {
  return (work) => changes.change({ request }, work);
}

export function runEventOf(changes: Changes, request: FastifyRequest): RunEvent {
  return (event, work) => changes.change({ request, event }, work);
}

/** Decides at last whether the change of a request may commit (TOK-13). */
type Confirm = (transaction: Queries, request: FastifyRequest) => Promise<void> | undefined;

/**
 * Opens the way to write to this database.
 *
 * @param confirm default: every change commits, as for those without a request
 */
export function createChanges(
  { orm }: Pick<Database, 'orm'>,
  sink: Pick<PostgresAuditSink, 'append' | 'appendIf' | 'appendWithin'>,
  onDelay: (error: unknown) => void,
  confirm?: Confirm,
): Changes {
  const changes = createAuditedChanges({
    database: orm,
    sink,
    onDelay,
    ...(confirm && { confirm }),
    // If the process dies before it answers, a retry is told that the write was made (IDM-7).
    complete: async (transaction, { idempotency }, insertRecord) =>
      idempotency?.completeWithin(transaction, { also: insertRecord(isCompleted) }),
  });
  return {
    async change(subject, work) {
      const abort = new AbortController();
      try {
        return await withinLimit(changes.change({ ...subject, signal: abort.signal }, work));
      } catch (error) {
        abort.abort();
        if (saysUnavailable(error)) throw new DatabaseUnavailableError({ cause: error as Error });
        throw error;
      }
    },

    begin: (record, request) => withinLimit(changes.begin(record, request)),
  };
}
