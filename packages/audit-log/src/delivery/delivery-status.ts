import { describeFailure } from '../chain/index.js';
import { TargetRefusedError } from './audit-target.js';
import type { DeliveryLog } from './delivery-options.js';
import { LogDivergedError, type MissingRecords } from './delivery-rows.js';

/**
 * - `idle`: not started, or closed.
 * - `standby`: another node sends.
 * - `delivering`: this node sends, or waits for new records.
 * - `failing`: the destination or the database failed; it is tried again.
 * - `stopped`: the destination refuses the next records, or the log is not the one that was delivered. An operator has
 *   to act. It is tried again every `maxRetrySeconds`, and nothing is skipped.
 */
export type DeliveryStatus = 'idle' | 'standby' | 'delivering' | 'failing' | 'stopped';

/** The last failure of this node. */
export interface DeliveryError {
  /** The message, without any content of a record and without a secret of the target. */
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface DeliveryStatusLog {
  readonly status: DeliveryStatus;
  readonly lastError: DeliveryError | null;
  /** The number of records that this node found missing in the log. */
  readonly missing: number;
  note(status: Exclude<DeliveryStatus, 'failing' | 'stopped'>): void;
  noteFailure(failure: unknown): void;
  noteMissing(missing: readonly MissingRecords[]): void;
}

/** The state of the delivery of one node, with a log line for each change. */
export function createDeliveryStatus(destination: string, log: DeliveryLog | null): DeliveryStatusLog {
  let status: DeliveryStatus = 'idle';
  let lastError: DeliveryError | null = null;
  let missingRecords = 0;
  let lastMissing = 0;

  return {
    get status() {
      return status;
    },
    get lastError() {
      return lastError;
    },
    get missing() {
      return missingRecords;
    },
    note(next) {
      if (next === 'delivering' && (status === 'failing' || status === 'stopped'))
        log?.info({ destination }, 'audit records are delivered again');
      status = next;
    },
    noteFailure(failure) {
      const err = describeFailure(failure);
      const isStop = failure instanceof TargetRefusedError || failure instanceof LogDivergedError;
      lastError = { message: err.message, at: Date.now() };
      if (isStop) log?.error({ err, destination }, 'the delivery of audit records is stopped: nothing is skipped');
      else if (status !== 'failing') log?.warn({ err, destination }, 'audit records could not be delivered');
      status = isStop ? 'stopped' : 'failing';
    },
    noteMissing(missing) {
      for (const { from, to } of missing) {
        // A batch that is sent again has the same gaps.
        if (to <= lastMissing) continue;
        lastMissing = to;
        // Retention may have deleted records before the first one.
        if (from === 1) log?.info({ destination, first: to + 1 }, 'the delivery begins with a later audit record');
        else {
          missingRecords += to - from + 1;
          log?.error({ destination, from, to }, 'audit records are missing from the log and can not be delivered');
        }
      }
    },
  };
}
