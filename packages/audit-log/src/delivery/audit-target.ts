import type { StoredRow } from '../chain/index.js';

/**
 * A record for a destination: its columns as texts, its place in the chain and its mac. `parameters` and `extra` are
 * JSON texts.
 */
export interface DeliveredRecord extends StoredRow {
  /** Whether its action is one of `securityActions`. */
  readonly isSecurityEvent: boolean;
}

/** Sends records to one destination. Use `createSyslogTarget`, `createNdjsonTarget`, or your own. */
export interface AuditTarget {
  /**
   * Resolves when the destination has accepted all the records, in this order. It rejects with
   * {@link TargetRefusedError} if the destination refuses them, and with any other error after a temporary failure, in
   * which case the same records are sent again. It must end within seconds, and soon after the signal is aborted.
   */
  send(records: readonly DeliveredRecord[], signal: AbortSignal): Promise<void>;
}

/** The failure of a destination. */
export interface TargetFailureDetails {
  /**
   * Whether fewer records may be accepted. The batch is then halved, down to the one record that is refused. Default
   * false.
   */
  readonly isDivisible?: boolean;
  /** The pause that the destination requests, in milliseconds. Default none. */
  readonly retryAfterMillis?: number;
}

/**
 * The destination refuses these records, and would refuse them again, so an operator has to act. The delivery stops at
 * them and reports it. It never skips a record. The message contains nothing of a record.
 */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
  readonly isDivisible: boolean;
  constructor(message: string, { isDivisible = false }: TargetFailureDetails = {}) {
    super(message);
    this.isDivisible = isDivisible;
  }
}

/** The destination did not accept the records now. They are sent again. */
export class TargetUnavailableError extends Error {
  override readonly name = 'TargetUnavailableError';
  readonly retryAfterMillis: number;
  constructor(message: string, { retryAfterMillis = 0 }: TargetFailureDetails = {}, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMillis = retryAfterMillis;
  }
}
