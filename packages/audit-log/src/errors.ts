import createError from '@fastify/error';

/** A sink of bounded size has no room. The reply is {@link AuditUnavailableError}. */
export class AuditSinkFullError extends Error {
  constructor(maxRecords: number) {
    super(`The sink holds ${maxRecords} records, which is all that it may`);
    this.name = 'AuditSinkFullError';
  }
}

/** 503: the record of the operation couldn't be committed, so the operation isn't acknowledged. It may have happened. Requirement AUD-4. */
export const AuditUnavailableError = createError(
  'AUDIT_UNAVAILABLE',
  'The operation could not be recorded and is not confirmed',
  503,
);
