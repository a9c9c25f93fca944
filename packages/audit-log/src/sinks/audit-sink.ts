import type { AuditRecord } from '../records/index.js';

/** Stores audit records. Requirement AUD-4. */
export interface AuditSink {
  /**
   * Stores all of the records, or none. Resolves only when they would survive a crash of this process (a sink in memory
   * is the exception), since the reply to the client leaves after that. It is called concurrently, and may write the
   * records of several calls together.
   *
   * A rejection does not mean that the records are absent: a commit whose answer was lost may have happened. Therefore
   * a record whose id is stored already is not written again.
   *
   * Reject with `AuditRecordRefusedError` where the records are the cause, and not the sink: others are still appended.
   */
  append(records: readonly AuditRecord[]): Promise<void>;
  /**
   * Waits for appended records, and releases what the sink opened itself. The plugin calls it when the server closes.
   */
  close?(): Promise<void>;
}
