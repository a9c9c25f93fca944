export { withoutAccepted } from './accepted-gaps.js';
export type { AuditFilter } from './audit-filter.js';
export {
  type AuditCursorPage,
  type AuditCursorRequest,
  type AuditPage,
  type AuditPageRequest,
  type AuditReader,
  type AuditReaderOptions,
  createAuditReader,
  type StoredAuditRecord,
} from './audit-reader.js';
export { type AuditState, type AuditStateOptions, checkAuditState } from './audit-state.js';
export type { AuditFinding, AuditFindingKind } from './finding.js';
export { checkpointsRule, sortCheckpoints } from './sorted-checkpoints.js';
export {
  type AuditVerification,
  cutOf,
  differencesOf,
  findCutFault,
  inspect,
  NothingToVerifyError,
  type VerifyOptions,
  type VerifyProgress,
  verifyAuditLog,
} from './verify.js';
