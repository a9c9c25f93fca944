import createError from '@fastify/error';

/**
 * 503: the record of the operation couldn't be committed, so the operation isn't acknowledged. Whether it has happened
 * is for the client to find out before it tries again. `cause` says why, for the log. Requirement AUD-4.
 */
export class AuditUnavailableError extends createError<'AUDIT_UNAVAILABLE', 503, [{ readonly cause?: Error }?]>(
  'AUDIT_UNAVAILABLE',
  'The operation could not be recorded and is not confirmed',
  503,
) {
  readonly clientAction = 'check-then-retry';
}

/** The plugin, or a route, was set up wrongly; the message lists every fault. Thrown when the server starts. */
export class AuditSetupError extends TypeError {
  override readonly name = 'AuditSetupError';
  constructor(faults: readonly string[]) {
    super(`audit-log: ${faults.join('; ')}`);
  }
}

/**
 * A sink can't keep this record, and keeps others. The reply is {@link AuditUnavailableError}; other operations go on, and
 * no queue waits for it. A sink that doesn't tell is one that failed. `cause` says why, and quotes nothing of the record.
 */
export class AuditRecordRefusedError extends Error {
  override readonly name = 'AuditRecordRefusedError';
  constructor(cause: unknown) {
    super('The sink refuses the record', { cause });
  }
}

/** A sink of bounded size has no room. The reply is {@link AuditUnavailableError}. */
export class AuditSinkFullError extends Error {
  override readonly name = 'AuditSinkFullError';
  constructor(maxRecords: number) {
    super(`The sink holds ${maxRecords} records, which is all that it may`);
  }
}
