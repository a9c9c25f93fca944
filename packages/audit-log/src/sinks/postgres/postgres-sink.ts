import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { guardDatabase } from '@sallyport/plugin-kit/postgres';
import type { SQL } from 'drizzle-orm/sql';
import {
  ALWAYS,
  type AuditQueries,
  type AuditStatement,
  chainName,
  checkTables,
  createAcknowledgements,
  createAuditChain,
  createChainWriter,
  type DrizzleQueries,
  describeFailure,
  explainMissingTable,
  isMissingTable,
  isRefusedValue,
  kindOfFailure,
  openPending,
  type PendingRow,
  preparePendingInserts,
  readDeletedBefore,
  readPending,
  sealPending,
  type UnchainedRow,
} from '../../chain/index.js';
import {
  type AuditIncident,
  createCheckpointDelivery,
  createCheckpointMaker,
  createCheckpointSchedule,
  createHistoryWatch,
} from '../../checkpoints/index.js';
import { AuditRecordRefusedError, AuditSetupError, AuditSinkFullError } from '../../errors.js';
import { type AuditGap, createNoteProof, hasRow } from '../../notes/index.js';
import { type AuditRecord, begunIdOf, columnsOf, type RecordColumns } from '../../records/index.js';
import { type AuditSink, RecentIds } from '../index.js';
import { createGroupCommit } from './group-commit.js';
import { createPendingSweep } from './pending-sweep.js';
import { type PostgresSinkOptions, readPostgresSinkOptions } from './postgres-sink-options.js';

/** The sink on PostgreSQL. */
export interface PostgresAuditSink extends AuditSink {
  /**
   * Commits the records to the pending table. The appended completion replaces each of them, in one commit. A record
   * without a completion, such as after a crash, enters the chain `sweepSeconds` later with the outcome `unknown`. A
   * completion that comes even later is chained as well, and searches show only the completion.
   */
  begin(records: readonly AuditRecord[]): Promise<void>;
  /**
   * Writes the records in your drizzle transaction, so that they are committed with your change, or not at all. It is
   * one insert into the pending table, and locks nothing. The records enter the chain, and searches find them, when the
   * same records are appended after the commit, as the plugin does before the reply. Otherwise, such as after a crash,
   * any node chains them `sweepSeconds` later. If the appended record differs from the pending one, the appended one is
   * stored.
   *
   * @throws TypeError outside a transaction
   */
  appendWithin(transaction: AuditQueries, records: readonly AuditRecord[]): Promise<void>;
  /**
   * The insert of `appendWithin` as a drizzle `SQL`, for your own statement that does more in the same round trip, such
   * as `request.idempotency.completeWithin(transaction, { also })`. It inserts nothing if the condition is false. The
   * condition has to be false outside of your transaction.
   */
  appendIf<Statement extends AuditStatement>(condition: Statement, records: readonly AuditRecord[]): Statement;
  /**
   * Chains records of `appendWithin` and `appendIf` that were committed more than `sweepSeconds` ago and are still
   * pending. Resolves to their number. Every node also does this by itself.
   */
  sweep(): Promise<number>;
  /**
   * Takes the locks of an append, and writes nothing. Rejects if a table is missing (`AuditSetupError`), locked or
   * can't be written.
   */
  check(): Promise<void>;
  /** The number of records that wait or are being committed. */
  readonly queued: number;
  /**
   * Acknowledged rows that the database lost, such as in a failover, and whose loss no operator has accepted
   * (`acceptAuditState`): those that this process knows, and those that the newest checkpoint names. They are searched
   * for when the database answers again, every `sweepSeconds`, and before each checkpoint.
   */
  readonly lost: readonly AuditGap[];
  /** Waits for appended records, and makes the last checkpoint. The database stays open. */
  close(): Promise<void>;
}

/**
 * Audit records on PostgreSQL 12 or later, or on PGlite, in one HMAC chain.
 *
 * Group commit: records that are appended while a commit runs share the next one, which is one statement and one round
 * trip. `createChainWriter` describes how several nodes write one chain. An interrupted attempt is repeated within
 * `timeoutMillis`. The existing ids are looked up first, so that no record is written twice. If the database refuses a
 * record, only that record is refused.
 *
 * @example
 * ```ts
 * const database = drizzle(client);
 * await createAuditTables(database);
 * const sink = createPostgresAuditSink({
 *   database,
 *   key: parseAuditKey(AUDIT_KEY ?? ''),
 *   checkpoint: createFileCheckpoint('audit-checkpoints'), // better: a file on another machine
 *   checkpointKey: parseCheckpointKey(AUDIT_CHECKPOINT_KEY ?? ''),
 *   log: app.log,
 * });
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createPostgresAuditSink(options: PostgresSinkOptions): PostgresAuditSink {
  const checked = readPostgresSinkOptions(options);
  const { database, key, previousKeys, table, heads, pending, checkpoint, checkpointKey, log, timeoutMillis } = checked;
  const guard = guardDatabase(database);
  const chain = createAuditChain(key, previousKeys);
  const ownKeys = checkpointKey === null ? [] : [checkpointKey.publicKey];
  const stateOf = createNoteProof([...ownKeys, ...checked.publicKeys]);
  const warn = (error: unknown, message: string) => log?.warn({ err: describeFailure(error) }, message);

  const acknowledgements = createAcknowledgements();
  const history = createHistoryWatch({
    ...{ database, table, heads, signedHeads: checked.signedHeads, acknowledgements, timeoutMillis },
    stateOf: checkpointKey === null ? null : stateOf,
    everySeconds: checked.sweepSeconds,
    onIncident: noteIncident,
  });

  const writer = createChainWriter({
    database,
    chain,
    table,
    heads,
    pending,
    acknowledgements,
    onDoubt: history.doubt,
    onMismatch: (expected, found) =>
      log?.warn({ expected, found }, 'The end of the audit chain is not where it was left: verify the log'),
  });

  const inserts = preparePendingInserts(pending);
  const grouped = {
    failureOf(error: unknown) {
      const kind = kindOfFailure(error);
      return kind === 'record' || kind === 'duplicate' ? ('divide' as const) : kind;
    },
    maxBatch: checked.maxBatch,
    maxQueued: checked.maxQueued,
    timeoutMillis,
  };
  const commits = createGroupCommit<UnchainedRow>({
    ...grouped,
    commit: (rows, attempt) => guard(() => writer.write(rows, attempt)),
  });
  const begun = createGroupCommit<PendingRow>({
    ...grouped,
    commit: (rows) => guard(async () => void (await database.execute(inserts.insertIf(ALWAYS, rows)))),
  });

  // While the database hangs, only one query waits, so that memory stays bounded.
  const pendingQuery = createBoundedCall({ timeoutMillis, maxUnsettled: 1, toError: describeFailure });
  const checkQuery = createBoundedCall({ timeoutMillis, maxUnsettled: 1, toError: describeFailure });

  const places = checkpoint === null ? [] : [checkpoint].flat();
  const checkpoints =
    places.length === 0 || checkpointKey === null
      ? null
      : createCheckpointSchedule({
          make: createCheckpointMaker({
            ...checked,
            chain,
            key: checkpointKey,
            knownSequence() {
              const last = writer.head?.sequence ?? 0;
              return history.explainsLossOf(last) ? 0 : last;
            },
            history,
            onGap: (gap) => log?.warn(gap, 'Rows of the audit log are missing: verify the log'),
          }).make,
          deliveries: places.map((write) =>
            createCheckpointDelivery(write, (error) =>
              warn(error, `An audit checkpoint could not be delivered (${write.destination ?? 'unnamed destination'})`),
            ),
          ),
          everyRecords: checked.checkpointEveryRecords,
          everySeconds: checked.checkpointEverySeconds,
          onFailure: (error) => warn(error, 'An audit checkpoint could not be made'),
        });

  /** A checkpoint names lost rows when it covers a later one, so the next row gets its checkpoint at once. */
  let isLossUnnamed = false;

  function noteIncident(incident: AuditIncident): void {
    if (incident.kind === 'rows-lost') {
      // Otherwise, the writer has already reported it.
      if (incident.cause === 'deleted') log?.warn(incident, 'Audit records were deleted: verify the log');
      else if (incident.cause !== 'unknown')
        log?.warn(incident, 'The database lost audit records that were acknowledged: verify the log');
      checkpoints?.makeNow();
      isLossUnnamed = true;
    }
    const last = writer.head?.sequence;
    // Otherwise, the next row would leave a gap that nobody has accepted.
    if (incident.kind === 'loss-accepted' && last !== undefined && hasRow(incident.gaps, last)) writer.forgetHead();
    checked.onIncident?.(incident);
  }

  async function appendRows(rows: readonly UnchainedRow[]): Promise<void> {
    await orDescribed(commits.append(rows));
    checkpoints?.noteRows(rows.length);
    if (isLossUnnamed) checkpoints?.makeNow();
    isLossUnnamed = false;
  }

  /** The ids that this process wrote in transactions. The sweep deletes the pending rows of ids that were forgotten. */
  const pendingIds = new RecentIds();

  function pendingRowsOf(records: readonly AuditRecord[]): PendingRow[] {
    const rows = storableColumns(records);
    pendingIds.add(rows.map(({ id }) => id));
    return rows.map((row) => sealPending(chain, row));
  }

  const sweeps = createPendingSweep({
    sweepSeconds: checked.sweepSeconds,
    read: (page) => pendingQuery(() => readPending(database, pending, page)),
    proves: chain.provesPending,
    deletedBefore: () => pendingQuery(() => readDeletedBefore(database, heads, chainName(table), stateOf)),
    chain: (row) => appendRows([{ ...openPending(row), isPending: true, completes: begunIdOf(row.id) }]),
    warn: (details, message) => log?.warn(details, message),
  });

  return {
    async append(records) {
      if (records.length === 0) return;
      // Members after a spread take V8 ten times as long.
      const rows = storableColumns(records).map((row) =>
        Object.assign({}, row, { isPending: pendingIds.has(row.id), completes: begunIdOf(row.id) }),
      );
      await appendRows(rows);
      pendingIds.forget(rows.flatMap(({ id, completes }) => (completes === null ? [id] : [id, completes])));
    },
    async begin(records) {
      if (records.length === 0) return;
      const rows = storableColumns(records).map((row) => sealPending(chain, row));
      pendingIds.add(rows.map(({ id }) => id));
      await orDescribed(begun.append(rows));
    },
    async appendWithin(transaction, records) {
      if (records.length === 0) return;
      const inserted = inserts.insertWithin(transaction as unknown as DrizzleQueries, pendingRowsOf(records));
      await inserted.catch((error: unknown) => Promise.reject(explainMissingTable(error)));
    },
    appendIf<Statement extends AuditStatement>(condition: Statement, records: readonly AuditRecord[]) {
      return inserts.insertIf(condition as unknown as SQL, pendingRowsOf(records)) as unknown as Statement;
    },
    sweep: sweeps.sweep,
    check: () =>
      checkQuery(() => guard(() => checkTables(database, { table, heads, pending }))).catch((error: unknown) => {
        if (!isMissingTable(error)) throw error;
        throw new AuditSetupError('createPostgresAuditSink', [(error as Error).message]);
      }),
    get lost() {
      return history.lost;
    },
    get queued() {
      return commits.queued + begun.queued;
    },
    async close() {
      await sweeps.close();
      await history.close();
      await begun.close();
      await commits.close();
      await checkpoints?.close();
    },
  };
}

/** Rejects with an error that contains nothing of a record. */
async function orDescribed(commit: Promise<void>): Promise<void> {
  try {
    await commit;
  } catch (error) {
    if (error instanceof AuditSinkFullError) throw error;
    throw isRefusedValue(error) ? new AuditRecordRefusedError(describeFailure(error)) : describeFailure(error);
  }
}

function storableColumns(records: readonly AuditRecord[]): RecordColumns[] {
  try {
    return records.map(columnsOf);
  } catch (error) {
    throw new AuditRecordRefusedError(error);
  }
}
