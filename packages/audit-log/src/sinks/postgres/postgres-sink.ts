import { createAuditChain, type RecordColumns } from '../../chain/chain.js';
import { chainName, readHead } from '../../chain/chain-rows.js';
import { createChainWriter, type UnchainedRow } from '../../chain/chain-writer.js';
import { describeFailure, isRefusedValue, kindOfFailure } from '../../chain/database-failure.js';
import { insertPending, openPending, type PendingRow, readPending, sealPending } from '../../chain/pending-rows.js';
import type { AuditQueries } from '../../chain/postgres-table.js';
import { type ChainEnd, createCheckpointSchedule } from '../../checkpoints/checkpoint-schedule.js';
import { withinDeadline } from '../../deadline.js';
import { AuditRecordRefusedError, AuditSinkFullError } from '../../errors.js';
import type { AuditRecord } from '../../records/audit-record.js';
import { columnsOf } from '../../records/record-columns.js';
import { RecentIds } from '../recent-ids.js';
import type { AuditSink } from '../sink.js';
import { createGroupCommit } from './group-commit.js';
import { createPendingSweep } from './pending-sweep.js';
import { checkPostgresSinkOptions, type PostgresSinkOptions } from './postgres-sink-options.js';

/** The sink on PostgreSQL. */
export interface PostgresAuditSink extends AuditSink {
  /**
   * Appends the records in a drizzle transaction of yours: they are committed with your change, or not at all. It is one
   * insert of rows that wait, and locks nothing. They get their place in the chain, and are found by a search, when the
   * same records are appended after the commit, as the plugin does before the reply; or else, such as after a crash, by
   * the sweep of any node, `sweepSeconds` later. Appended with another content, that is what is kept: the newer one.
   *
   * @throws TypeError outside a transaction.
   */
  appendWithin(transaction: AuditQueries, records: readonly AuditRecord[]): Promise<void>;
  /** Chains what was committed by `appendWithin` more than `sweepSeconds` ago and waits still; resolves to how many there were. It happens by itself, too. */
  sweep(): Promise<number>;
  /** How many records wait or are being committed. */
  readonly queued: number;
  /** Waits for what was appended, and makes the last checkpoint. The database stays open: it is yours. */
  close(): Promise<void>;
}

/**
 * Audit records on PostgreSQL 12 or later, or on PGlite, in one keyed chain. Requirements AUD-4, AUD-6, AUD-7.
 *
 * Group commit: while one commit runs, what is appended waits, and goes together in the next: one statement, one round
 * trip. The end of the chain is one row; a node remembers it, and the statement moves it and inserts the batch only if
 * it is still there. If another node has moved it, the statement waits for that commit, does nothing, and yields the new
 * end, behind which the batch is chained anew. No lock outlives a statement. An attempt that was interrupted is repeated
 * within `timeoutMillis`, after a look at which ids are there, so that no record is written twice; a record that the
 * database refuses is refused alone.
 *
 * @throws TypeError that names every bad option.
 */
export function createPostgresAuditSink(options: PostgresSinkOptions): PostgresAuditSink {
  const checked = checkPostgresSinkOptions(options);
  const { database, key, previousKeys, table, heads, pending, checkpoint, log, now } = checked;
  const chain = createAuditChain(key, previousKeys);
  const warn = (error: unknown, message: string) => log?.warn({ err: describeFailure(error) }, message);

  const writer = createChainWriter({
    database,
    chain,
    table,
    heads,
    pending,
    onMismatch: (expected, found) =>
      log?.warn({ expected, found }, 'The end of the audit chain is not where it was left: verify the log'),
  });

  const commits = createGroupCommit<UnchainedRow>({
    commit: (rows, attempt) => writer.write(rows, attempt),
    failureOf: (error) => {
      const kind = kindOfFailure(error);
      return kind === 'record' || kind === 'duplicate' ? 'divide' : kind;
    },
    maxBatch: checked.maxBatch,
    maxQueued: checked.maxQueued,
    timeoutMillis: checked.timeoutMillis,
  });

  let cutSequence = 0;

  /**
   * The end that a checkpoint vouches for. What this process knows to be committed counts more than a head that somebody
   * set back, and is enough where the database is away, as it may be when the process ends.
   */
  async function readEnd(): Promise<ChainEnd | null> {
    const stored = await inTime(readHead(database, heads, chainName(table)), checked.timeoutMillis).catch((error) => {
      if (writer.head === null) throw error;
      return null;
    });
    cutSequence = stored?.cut?.sequence ?? cutSequence;
    const { head } = writer;
    const end = stored === null || (head !== null && head.sequence >= stored.sequence) ? head : stored;
    return end === null ? null : { sequence: end.sequence, mac: end.mac, cutSequence };
  }

  const checkpoints =
    checkpoint === null
      ? null
      : createCheckpointSchedule({
          chain,
          write: checkpoint,
          everyRecords: checked.checkpointEveryRecords,
          everySeconds: checked.checkpointEverySeconds,
          now,
          readEnd,
          onFailure: (error) => warn(error, 'An audit checkpoint could not be written'),
        });

  async function appendRows(rows: readonly UnchainedRow[]): Promise<void> {
    try {
      await commits.append(rows);
    } catch (error) {
      if (error instanceof AuditSinkFullError) throw error;
      throw isRefusedValue(error) ? new AuditRecordRefusedError(describeFailure(error)) : describeFailure(error);
    }
    checkpoints?.noteRows(rows.length);
  }

  /** What this process wrote in transactions. An id that was forgotten leaves a row that the sweep finds to be done. */
  const pendingIds = new RecentIds();

  /** Of a database that hangs one question at a time is asked, so that memory stays bounded. */
  let isReading = false;

  async function readWaiting(page: Parameters<typeof readPending>[2]): Promise<PendingRow[]> {
    if (isReading) throw new Error('The database has not answered yet');
    isReading = true;
    const rows = readPending(database, pending, page).finally(() => {
      isReading = false;
    });
    try {
      return await inTime(rows, checked.timeoutMillis);
    } catch (error) {
      throw describeFailure(error);
    }
  }

  const sweeps = createPendingSweep({
    sweepSeconds: checked.sweepSeconds,
    read: readWaiting,
    proves: chain.provesPending,
    chain: (row) => appendRows([{ ...openPending(row), isPending: true }]),
    warn: (details, message) => log?.warn(details, message),
  });

  return {
    async append(records) {
      if (records.length === 0) return;
      const rows = storableColumns(records).map((row) => ({ ...row, isPending: pendingIds.has(row.id) }));
      await appendRows(rows);
      pendingIds.forget(rows.map(({ id }) => id));
    },
    async appendWithin(transaction, records) {
      if (records.length === 0) return;
      const rows = storableColumns(records);
      pendingIds.add(rows.map(({ id }) => id));
      await insertPending(
        transaction,
        pending,
        rows.map((row) => sealPending(chain, row)),
      );
    },
    sweep: sweeps.sweep,
    get queued() {
      return commits.queued;
    },
    async close() {
      await sweeps.close();
      await commits.close();
      await checkpoints?.close();
    },
  };
}

function storableColumns(records: readonly AuditRecord[]): RecordColumns[] {
  try {
    return records.map(columnsOf);
  } catch (error) {
    throw new AuditRecordRefusedError(error);
  }
}

function inTime<Result>(query: Promise<Result>, millis: number): Promise<Result> {
  return withinDeadline(query, millis, () => new Error(`No answer within ${millis} ms`));
}
