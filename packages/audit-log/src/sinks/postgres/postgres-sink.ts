import { createBoundedCall } from '@sallyport/deadline';
import {
  type AuditQueries,
  chainName,
  createAuditChain,
  createChainWriter,
  createCheckpointProof,
  describeFailure,
  insertPending,
  isRefusedValue,
  kindOfFailure,
  openPending,
  readDeletedBefore,
  readPending,
  sealPending,
  type UnchainedRow,
} from '../../chain/index.js';
import { createCheckpointDelivery, createCheckpointMaker, createCheckpointSchedule } from '../../checkpoints/index.js';
import { AuditRecordRefusedError, AuditSinkFullError } from '../../errors.js';
import { type AuditRecord, columnsOf, type RecordColumns } from '../../records/index.js';
import { type AuditSink, RecentIds } from '../index.js';
import { createGroupCommit } from './group-commit.js';
import { createPendingSweep } from './pending-sweep.js';
import { type PostgresSinkOptions, readPostgresSinkOptions } from './postgres-sink-options.js';

/** The sink on PostgreSQL. */
export interface PostgresAuditSink extends AuditSink {
  /**
   * Writes the records in your drizzle transaction: they are committed with your change, or not at all. It is one
   * insert into the pending table, and locks nothing. The records enter the chain, and searches find them, when the
   * same records are appended after the commit, as the plugin does before the reply. Otherwise, such as after a crash,
   * any node chains them `sweepSeconds` later. If the appended record differs from the pending one, the appended one is
   * stored.
   *
   * @throws TypeError outside a transaction
   */
  appendWithin(transaction: AuditQueries, records: readonly AuditRecord[]): Promise<void>;
  /**
   * Chains records of `appendWithin` that were committed more than `sweepSeconds` ago and are still pending. Resolves
   * to their number. Every node does this by itself, too.
   */
  sweep(): Promise<number>;
  /** How many records wait or are being committed. */
  readonly queued: number;
  /** Waits for appended records, and makes the last checkpoint. The database is yours and stays open. */
  close(): Promise<void>;
}

/**
 * Audit records on PostgreSQL 12 or later, or on PGlite, in one HMAC chain. Requirements AUD-4, AUD-6, AUD-7.
 *
 * Group commit: records that are appended while a commit runs share the next one: one statement, one round trip.
 * `createChainWriter` says how several nodes write one chain. An interrupted attempt is repeated within
 * `timeoutMillis`, after a look which ids exist, so that no record is written twice. A record that the database refuses
 * is refused alone.
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createPostgresAuditSink(options: PostgresSinkOptions): PostgresAuditSink {
  const checked = readPostgresSinkOptions(options);
  const { database, key, previousKeys, table, heads, pending, checkpoint, checkpointKey, log, timeoutMillis } = checked;
  const chain = createAuditChain(key, previousKeys);
  const ownKeys = checkpointKey === null ? [] : [checkpointKey.publicKey];
  const stateOf = createCheckpointProof([...ownKeys, ...checked.publicKeys], chain);
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
    timeoutMillis,
  });

  // While the database hangs, one query waits, so that memory stays bounded.
  const pendingQuery = createBoundedCall({ timeoutMillis, maxUnsettled: 1, toError: describeFailure });

  const places = checkpoint === null ? [] : [checkpoint].flat();
  const checkpoints =
    places.length === 0 || checkpointKey === null
      ? null
      : createCheckpointSchedule({
          make: createCheckpointMaker({
            ...checked,
            chain,
            key: checkpointKey,
            knownSequence: () => writer.head?.sequence ?? 0,
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

  async function appendRows(rows: readonly UnchainedRow[]): Promise<void> {
    try {
      await commits.append(rows);
    } catch (error) {
      if (error instanceof AuditSinkFullError) throw error;
      throw isRefusedValue(error) ? new AuditRecordRefusedError(describeFailure(error)) : describeFailure(error);
    }
    checkpoints?.noteRows(rows.length);
  }

  /** The ids that this process wrote in transactions. The sweep deletes the pending row of an id that was forgotten. */
  const pendingIds = new RecentIds();

  const sweeps = createPendingSweep({
    sweepSeconds: checked.sweepSeconds,
    read: (page) => pendingQuery(() => readPending(database, pending, page)),
    proves: chain.provesPending,
    deletedBefore: () => pendingQuery(() => readDeletedBefore(database, heads, chainName(table), stateOf)),
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
