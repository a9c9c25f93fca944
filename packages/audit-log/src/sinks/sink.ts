import type { AuditRecord } from '../records/audit-record.js';

/** Where audit records are kept. Requirement AUD-4. */
export interface AuditSink {
  /**
   * Keeps the records: all of them, or none. It resolves only when they would survive a crash of this process (a sink in
   * memory says that they don't), since the reply to the client leaves after that. Called concurrently; a sink that
   * writes groups is free to take the records of several calls in one.
   *
   * A rejection says that the records can't be relied on, not that they are absent: a commit whose answer was lost may
   * have happened. So a record whose id is there already isn't written twice.
   *
   * Reject with `AuditRecordRefusedError` where it is the records, and not the sink: others are then taken still.
   */
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Waits for what was appended, and lets go of what the sink itself opened. The plugin calls it when the server closes. */
  close?(): Promise<void>;
}
