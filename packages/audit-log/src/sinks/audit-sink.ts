import type { AuditRecord } from '../records/index.js';

/** Stores audit records. */
export interface AuditSink {
  /**
   * Stores all of the records, or none. It must resolve only when they would survive a crash of this process (a sink in
   * memory is the exception), because the reply to the client is sent after that. It is called concurrently, and may
   * write the records of several calls together.
   *
   * A rejection does not mean that the records are absent, because a commit may have happened although its answer was
   * lost. Therefore a record with a stored id must not be written again.
   *
   * Reject with `AuditRecordRefusedError` if the records and not the sink are the cause. Other records are then still
   * appended.
   */
  append(records: readonly AuditRecord[]): Promise<void>;
  /**
   * Stores records of changes that are about to be made, all with the outcome `unknown`. It resolves and rejects like
   * `append`. Each is completed by an appended record with the same id in version 8. A sink may then keep only that
   * one. A record without a completion stays in the log. Default: `append`.
   */
  begin?(records: readonly AuditRecord[]): Promise<void>;
  /**
   * Resolves if a record could be committed now, and stores nothing. While the sink fails, the plugin calls it every
   * `retryMillis`, so that the service recovers without a request. It is also called at the start, which an
   * `AuditSetupError` refuses. Default: requests probe the sink.
   */
  check?(): Promise<void>;
  /**
   * Waits for appended records, and releases the resources that the sink opened. The plugin calls it when the server
   * closes.
   */
  close?(): Promise<void>;
}
