import type { StoredRow } from '../chain/index.js';

/**
 * One record on its way to a destination: its columns as texts, its place in the chain and its mac. `parameters` and
 * `extra` are JSON texts.
 */
export interface DeliveredRecord extends StoredRow {
  /** Whether its action is one of `securityActions`. */
  readonly isSecurityEvent: boolean;
}

/** Sends records to one destination. `createSyslogTarget` and `createNdjsonTarget` make one; yours may be another. */
export interface AuditTarget {
  /**
   * Resolves once the destination has taken all the records, in this order. It rejects with {@link TargetRefusedError}
   * if the destination refuses them, and with any other error after a failure that may pass; the same records are sent
   * again. It must end within seconds, and soon after the signal is aborted.
   */
  send(records: readonly DeliveredRecord[], signal: AbortSignal): Promise<void>;
}

/** How a destination failed. */
export interface TargetFailureDetails {
  /** Fewer records may be taken: the batch is halved, down to the one record that is refused. Default false. */
  readonly isDivisible?: boolean;
  /** How long the destination asks to be left alone, in milliseconds. Default none. */
  readonly retryAfterMillis?: number;
}

/**
 * The destination refuses these records, and would refuse them again: somebody has to act. The delivery stops at them
 * and says so. It never skips a record. The message names no content of a record.
 */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
  readonly isDivisible: boolean;
  constructor(message: string, { isDivisible = false }: TargetFailureDetails = {}) {
    super(message);
    this.isDivisible = isDivisible;
  }
}

/** The destination did not take the records now. They are sent again. */
export class TargetUnavailableError extends Error {
  override readonly name = 'TargetUnavailableError';
  readonly retryAfterMillis: number;
  constructor(message: string, { retryAfterMillis = 0 }: TargetFailureDetails = {}, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMillis = retryAfterMillis;
  }
}
