import type { AuditDetails, AuditEvent, AuditRecord } from '@sallyport/audit-log';
import {
  type AuditedChangesOptions,
  type ChangeSubject,
  createAuditedChanges,
  type PostgresAuditSink,
} from '@sallyport/audit-log/postgres';
import { isCompleted } from '@sallyport/idempotency/postgres';
import type { FastifyRequest } from 'fastify';
import { type Database, type Queries, saysUnavailable, withinLimit } from './database.js';
import { DatabaseUnavailableError } from './errors.js';
import { withinLimitOfEnd } from './standstills.js';

/**
 * Makes a change in the transaction that it gets, and adds details to its audit record by `record`. It may read only
 * through the transaction: the embedded database has one connection.
 */
export type ChangeWork<Result> = (transaction: Queries, record: (details: AuditDetails) => void) => Promise<Result>;

/** The only way to write to the database: with an audit record, or not at all (AUD-8). */
export interface Changes {
  /**
   * Makes one change. For a request, its audit record and the record of its idempotency key are committed with the
   * change. For an event, a record of the event is.
   *
   * @throws {DatabaseUnavailableError} also after the time limit; the change is then rolled back, unless it is being
   * committed
   */
  change<Result>(subject: Omit<ChangeSubject, 'signal'>, work: ChangeWork<Result>): Promise<Result>;
  /** Commits the record of a change that a request is about to make outside of the database. */
  begin(record: AuditRecord, request: FastifyRequest): Promise<void>;
}

/** Makes the change of one request. */
export type RunChange = <Result>(work: ChangeWork<Result>) => Promise<Result>;

/** Makes a change in addition to that of the request, with its own audit record. */
export type RunEvent = <Result>(event: AuditEvent, work: ChangeWork<Result>) => Promise<Result>;

export function runChangeOf(changes: Changes, request: FastifyRequest): RunChange {
  return (work) => changes.change({ request }, work);
}

export function runEventOf(changes: Changes, request: FastifyRequest): RunEvent {
  return (event, work) => changes.change({ request, event }, work);
}

/** The last decision whether the change of a request may commit (TOK-13). */
type Confirm = (transaction: Queries, request: FastifyRequest) => Promise<void> | undefined;

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route ends sessions or removes permissions. Its writes have separate connections, so that changes
     * which hold all others don't stop it (TOK-13).
     */
    ends?: true;
  }
}

/** Bounds the changes of an account, and those of a session that end something. */
function ownerOf(request: FastifyRequest | undefined, isEnding: boolean): string | null {
  const principal = request?.principal ?? null;
  if (principal === null) return null;
  return isEnding ? principal.sessionId : `${principal.audience}:${principal.subject}`;
}

/**
 * Opens the way to write to this database.
 *
 * @param confirm default: every change commits, like a change without a request
 */
export function createChanges(
  database: Pick<Database, 'orm' | 'ending' | 'embedded' | 'turns' | 'endingTurns'>,
  sink: Pick<PostgresAuditSink, 'append' | 'appendIf' | 'appendWithin'>,
  onDelay: (error: unknown) => void,
  confirm?: Confirm,
): Changes {
  const { orm, ending, turns, endingTurns } = database;
  const shared = {
    sink,
    onDelay,
    ...(confirm && { confirm }),
    // If the process dies before it answers, a retry gets the answer that the write was made (IDM-7).
    complete: async (transaction, { idempotency }, insertRecord) =>
      idempotency?.completeWithin(transaction, { also: insertRecord(isCompleted) }),
  } satisfies Omit<AuditedChangesOptions<Database['orm']>, 'database'>;
  const changes = createAuditedChanges({ ...shared, database: orm });
  const endingChanges = createAuditedChanges({ ...shared, database: ending });
  const within = <Result>(isEnd: boolean, query: Promise<Result>) =>
    isEnd ? withinLimitOfEnd(database, query) : withinLimit(query);
  const isEnding = (request: FastifyRequest | undefined) => request?.routeOptions.config.ends === true;

  /** Runs the work when it is its turn. After the limit it is no longer begun. */
  async function inTurn<Result>(
    request: FastifyRequest | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const isEnd = isEnding(request);
    const abort = new AbortController();
    const { signal } = abort;
    try {
      const turn = (isEnd ? endingTurns : turns).take(ownerOf(request, isEnd), signal, () => work(signal));
      return await within(isEnd, turn);
    } catch (error) {
      abort.abort();
      throw error;
    }
  }

  return {
    async change(subject, work) {
      const { request } = subject;
      const own = isEnding(request) ? endingChanges : changes;
      try {
        return await inTurn(request, (signal) => own.change({ ...subject, signal }, work));
      } catch (error) {
        if (saysUnavailable(error)) throw new DatabaseUnavailableError({ cause: error as Error });
        throw error;
      }
    },

    // The record of an end takes no turn, so it waits for no change. It holds a connection only for its own statements.
    begin: (record, request) =>
      isEnding(request)
        ? within(true, endingChanges.begin(record, request))
        : inTurn(request, () => changes.begin(record, request)),
  };
}
