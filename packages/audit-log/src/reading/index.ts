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
export { cutOf, inspect, type VerifyProgress } from './log-inspection.js';
export { checkpointsRule, type KeptCheckpoint, sortCheckpoints } from './sorted-checkpoints.js';
export {
  type AuditVerification,
  differencesOf,
  findCutFault,
  NothingToVerifyError,
  type VerifyOptions,
  verifyAuditLog,
} from './verify.js';
