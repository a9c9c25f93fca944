import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/**
 * 503: the record of the operation could not be committed, so the operation is not confirmed. It may have taken effect:
 * the client must check before it tries again. `cause` says why, for the log.
 */
export class AuditUnavailableError extends refusalError(refusals, 'AUDIT_UNAVAILABLE') {
  readonly clientAction = refusals.AUDIT_UNAVAILABLE.retry;
}

/** The plugin, a route, or a `create…` of this package was set up wrongly. `faults` lists every fault. */
export class AuditSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('AUDIT_SETUP_INVALID', subject, faults);
  }
}

/**
 * A sink can't store this record, but stores others: only this reply becomes {@link AuditUnavailableError}, and no
 * queue stops. `cause` says why, and contains nothing of the record.
 */
export class AuditRecordRefusedError extends Error {
  override readonly name = 'AuditRecordRefusedError';
  constructor(cause: unknown) {
    super('The sink refuses the record', { cause });
  }
}

/** A sink of bounded size is full. The reply becomes {@link AuditUnavailableError}. */
export class AuditSinkFullError extends Error {
  override readonly name = 'AuditSinkFullError';
  constructor(maxRecords: number) {
    super(`The sink is full: it holds at most ${maxRecords} records`);
  }
}
