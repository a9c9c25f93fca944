import { type AuditChainOptions, chainOptionFaults, refuseFaults } from '../../chain/chain-options.js';
import { AUDIT_TABLE_DEFAULTS } from '../../chain/postgres-table.js';
import type { CheckpointWriter } from '../../checkpoints/checkpoint-schedule.js';

/** A logger such as Fastify's. */
export interface AuditSinkLog {
  warn(details: object, message: string): void;
}

export interface PostgresSinkOptions extends AuditChainOptions {
  /** Takes the checkpoints to a second place: `createFileCheckpoint(path)`, `createLogCheckpoint(log)`, or your own. Default none: then the loss of the newest rows can't be proved. */
  readonly checkpoint?: CheckpointWriter | null;
  /** After how many records of this process it makes a checkpoint, 1 to 1 000 000. Default 1000. */
  readonly checkpointEveryRecords?: number;
  /** How long a record may be without a checkpoint, in seconds, 1 to 86 400. Default 60. */
  readonly checkpointEverySeconds?: number;
  /** How long `append` waits for its commit, in milliseconds, 1 to 60 000. Default 1500. Then it rejects; the record may be committed all the same. Requirement AUD-4. */
  readonly timeoutMillis?: number;
  /** How many records wait or are being committed at most, 1 to 1 000 000. Default 10 000. Beyond it `append` rejects at once. */
  readonly maxQueued?: number;
  /** How many records go in one commit at most, 1 to 10 000. Default 500. */
  readonly maxBatch?: number;
  /**
   * How long a record of `appendWithin` waits for its `append`, before any node gives it its place in the chain, and how
   * often each node looks; in seconds, 1 to 3600. Default 3: so after a crash it is in the log within six.
   */
  readonly sweepSeconds?: number;
  /** Where it says that a checkpoint failed, or that the end of the chain was changed. Default nowhere. */
  readonly log?: AuditSinkLog | null;
  /** The clock of the checkpoints, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

export const POSTGRES_SINK_DEFAULTS = {
  ...AUDIT_TABLE_DEFAULTS,
  previousKeys: [],
  checkpoint: null,
  checkpointEveryRecords: 1000,
  checkpointEverySeconds: 60,
  // A client has to have its 503 within two seconds.
  timeoutMillis: 1500,
  maxQueued: 10_000,
  maxBatch: 500,
  sweepSeconds: 3,
  log: null,
  now: Date.now,
} as const satisfies Omit<Required<PostgresSinkOptions>, 'database' | 'key'>;

/** The options with every default in place. */
export type CheckedSinkOptions = Required<PostgresSinkOptions>;

/** @throws TypeError that names every bad option and how to mend it. */
export function checkPostgresSinkOptions(given: PostgresSinkOptions): CheckedSinkOptions {
  const options = { ...POSTGRES_SINK_DEFAULTS, ...withoutUndefined(given) } as CheckedSinkOptions;
  const { checkpoint, log, now } = options;
  refuseFaults('createPostgresAuditSink', [
    ...chainOptionFaults(options),
    ...(checkpoint === null || typeof checkpoint === 'function'
      ? []
      : ['checkpoint must be a function, such as createFileCheckpoint(path)']),
    ...wholeNumberFault('checkpointEveryRecords', options.checkpointEveryRecords, 1_000_000, 'records'),
    ...wholeNumberFault('checkpointEverySeconds', options.checkpointEverySeconds, 86_400, 'seconds'),
    ...wholeNumberFault('timeoutMillis', options.timeoutMillis, 60_000, 'milliseconds'),
    ...wholeNumberFault('maxQueued', options.maxQueued, 1_000_000, 'records'),
    ...wholeNumberFault('maxBatch', options.maxBatch, 10_000, 'records'),
    ...wholeNumberFault('sweepSeconds', options.sweepSeconds, 3600, 'seconds'),
    ...(log === null || typeof log?.warn === 'function' ? [] : ['log must be a logger with warn']),
    ...(typeof now === 'function' ? [] : ['now must be a function that yields milliseconds']),
  ]);
  return options;
}

/** An option given as undefined is one that wasn't given. */
function withoutUndefined<Options extends object>(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>;
}

function wholeNumberFault(option: string, value: unknown, max: number, unit: string): string[] {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= max) return [];
  return [`${option} must be a whole number of ${unit} from 1 to ${max}`];
}
