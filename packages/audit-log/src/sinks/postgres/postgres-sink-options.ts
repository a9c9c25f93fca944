import { callback, nullable, objectWith, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import {
  AUDIT_TABLE_DEFAULTS,
  type AuditChainOptions,
  chainRules,
  keyFaults,
  type ReadWithDatabase,
} from '../../chain/index.js';
import { type AuditIncident, type CheckpointWriter, writersRule } from '../../checkpoints/index.js';
import { AuditSetupError } from '../../errors.js';
import { type CheckpointKey, checkpointKeyFaults, checkpointKeyRule, publicKeysRule } from '../../notes/index.js';

/** A logger such as Fastify's. */
export interface AuditSinkLog {
  warn(details: object, message: string): void;
}

export interface PostgresSinkOptions extends AuditChainOptions {
  /**
   * Stores the checkpoints in one or several other places: `createFileCheckpoint(path)`, `createHttpCheckpoint(…)`,
   * `createS3Checkpoint(…)`, `createLogCheckpoint(log)`, or your own. Default none: nothing outside of the database
   * then shows that the newest rows are missing.
   */
  readonly checkpoint?: CheckpointWriter | readonly CheckpointWriter[] | null;
  /** Signs the checkpoints: `parseCheckpointKey(text)`. Required with `checkpoint`. */
  readonly checkpointKey?: CheckpointKey | null;
  /** Public keys of earlier checkpoints, in addition to that of `checkpointKey`. Default none. */
  readonly publicKeys?: readonly string[];
  /** The number of records of this process after which it makes a checkpoint, 1 to 1 000 000. Default 10 000. */
  readonly checkpointEveryRecords?: number;
  /**
   * The time for which a record may be without a checkpoint, in seconds, 1 to 86 400. Default 30: even after one
   * failure, the checkpoint is sent within 60 seconds.
   */
  readonly checkpointEverySeconds?: number;
  /**
   * The time for which `append` waits for its commit, in milliseconds, 1 to 60 000. Default 1500. After that it
   * rejects, but the record may still be committed.
   */
  readonly timeoutMillis?: number;
  /** The maximum number of queued records, 1 to 1 000 000. Default 10 000. A full queue rejects `append` at once. */
  readonly maxQueued?: number;
  /** The maximum number of records of a commit, 1 to 10 000. Default 500. */
  readonly maxBatch?: number;
  /**
   * The time that a record of `appendWithin` waits for its `append` before any node chains it, and the interval at
   * which each node searches for such records, in seconds, 1 to 3600. Default 3: after a crash, a record is in the log
   * within 6 seconds.
   */
  readonly sweepSeconds?: number;
  /**
   * Called when another database server took over, when the database lost rows that this process had acknowledged, and
   * when an operator accepted that. Record it as a security event, and raise an alert. Default none.
   */
  readonly onIncident?: ((incident: AuditIncident) => void) | null;
  /** Receives warnings: a checkpoint failed, the end of the chain was changed, and others. Default none. */
  readonly log?: AuditSinkLog | null;
  /** The clock of the checkpoints, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

export const POSTGRES_SINK_DEFAULTS = {
  ...AUDIT_TABLE_DEFAULTS,
  previousKeys: [],
  checkpoint: null,
  checkpointKey: null,
  publicKeys: [],
  checkpointEveryRecords: 10_000,
  checkpointEverySeconds: 30,
  // A client must receive its 503 within two seconds.
  timeoutMillis: 1500,
  maxQueued: 10_000,
  maxBatch: 500,
  sweepSeconds: 3,
  onIncident: null,
  log: null,
  now: Date.now,
} as const satisfies Omit<Required<PostgresSinkOptions>, 'database' | 'key'>;

const upTo = (max: number, unit: string, byDefault: number) => wholeNumber({ min: 1, max, unit, default: byDefault });

const rules = {
  ...chainRules,
  checkpoint: nullable(writersRule),
  checkpointKey: nullable(checkpointKeyRule),
  publicKeys: publicKeysRule,
  checkpointEveryRecords: upTo(1_000_000, 'records', POSTGRES_SINK_DEFAULTS.checkpointEveryRecords),
  checkpointEverySeconds: upTo(86_400, 'seconds', POSTGRES_SINK_DEFAULTS.checkpointEverySeconds),
  timeoutMillis: upTo(60_000, 'milliseconds', POSTGRES_SINK_DEFAULTS.timeoutMillis),
  maxQueued: upTo(1_000_000, 'records', POSTGRES_SINK_DEFAULTS.maxQueued),
  maxBatch: upTo(10_000, 'records', POSTGRES_SINK_DEFAULTS.maxBatch),
  sweepSeconds: upTo(3600, 'seconds', POSTGRES_SINK_DEFAULTS.sweepSeconds),
  onIncident: nullable(
    callback<(incident: AuditIncident) => void>({ that: 'takes what happened to the database of the log' }),
  ),
  log: nullable(objectWith<AuditSinkLog>({ methods: ['warn'], meaning: 'a logger with warn, such as app.log' })),
  now: callback<() => number>({
    that: 'returns milliseconds since 1970, such as Date.now',
    default: POSTGRES_SINK_DEFAULTS.now,
  }),
};

/** @throws AuditSetupError naming every fault of the options */
export function readPostgresSinkOptions(given: PostgresSinkOptions): ReadWithDatabase<PostgresSinkOptions> {
  const owner = { subject: 'createPostgresAuditSink', SetupError: AuditSetupError };
  return readOptions<ReadWithDatabase<PostgresSinkOptions>>(owner, given, rules, (options) => [
    ...keyFaults(options),
    ...checkpointKeyFaults(options.checkpointKey),
    ...((options.checkpoint ?? null) !== null && options.checkpointKey === null
      ? ['checkpoint needs checkpointKey, such as parseCheckpointKey(text)']
      : []),
  ]);
}
