export {
  type Acceptance,
  type AcceptedState,
  type AcceptStateOptions,
  AuditRowsMissingError,
  acceptAuditState,
} from './accept-state.js';
export { AuditLogBrokenError, type RetentionOptions, type RetentionResult, retainAuditRecords } from './retention.js';
