import type { AuditRecord } from '../records/index.js';

/** Stores audit records. */
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
   * Stores records of changes that are about to be made, all with the outcome `unknown`. It resolves and rejects like
   * `append`. Each is completed by an appended record with the same id in version 8: a sink may then keep that one
   * alone. A record without a completion stays in the log. Default: `append`.
   */
  begin?(records: readonly AuditRecord[]): Promise<void>;
  /**
   * Resolves if a record could be committed now, and stores nothing. While the sink fails, the plugin calls it every
   * `retryMillis`, so that the service recovers without a request. It is called at the start, too: an `AuditSetupError`
   * refuses it. Default: requests probe the sink.
   */
  check?(): Promise<void>;
  /**
   * Waits for appended records, and releases what the sink opened itself. The plugin calls it when the server closes.
   */
  close?(): Promise<void>;
}
