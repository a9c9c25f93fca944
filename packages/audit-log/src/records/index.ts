export type { AuditExtra, AuditOutcome, AuditRecord } from './audit-record.js';
export { canonicalOfJsonb } from './canonical-json.js';
export { canonicalAddress } from './client-address.js';
export {
  type AuditEvent,
  createAuditRecord,
  makeAuditRecord,
  type RecordOrigin,
  TEXT_LIMITS,
  targetText,
  wholeMillis,
} from './create-audit-record.js';
export { codeOf } from './exception-summary.js';
export { columnsOf, MAX_TIME, type RecordColumns, storable, withDuration } from './record-columns.js';
export { begunIdOf, completionId, createRecordIds } from './record-ids.js';
export { createRefusalLimit, type RefusalLimit } from './refusal-limit.js';
