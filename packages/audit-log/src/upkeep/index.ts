export { type AcceptedState, type AcceptStateOptions, acceptAuditState } from './accept-state.js';
export { AuditLogBrokenError, type RetentionOptions, type RetentionResult, retainAuditRecords } from './retention.js';
