export { type AcceptedState, type AcceptStateOptions, acceptAuditState } from './accept-state.js';
export {
  type AuditCursorPage,
  type AuditCursorRequest,
  type AuditFilter,
  type AuditPage,
  type AuditPageRequest,
  type AuditReader,
  type AuditReaderOptions,
  createAuditReader,
  type StoredAuditRecord,
} from './audit-reader.js';
export { type AuditState, type AuditStateOptions, checkAuditState } from './audit-state.js';
export type { AuditFinding, AuditFindingKind } from './finding.js';
export { AuditLogBrokenError, type RetentionOptions, type RetentionResult, retainAuditRecords } from './retention.js';
export {
  type AuditVerification,
  NothingToVerifyError,
  type VerifyOptions,
  type VerifyProgress,
  verifyAuditLog,
} from './verify.js';
