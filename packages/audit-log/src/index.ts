export { AuditRecordRefusedError, AuditSetupError, AuditSinkFullError, AuditUnavailableError } from './errors.js';
export { MASK_LIMITS, type MaskLimits, maskSensitive } from './masking/mask-sensitive.js';
export { SENSITIVE_NAMES } from './masking/sensitive-names.js';
export { maskText } from './masking/sensitive-values.js';
export { AUDIT_LOG_DEFAULTS, type AuditLogOptions } from './options.js';
export { type AuditLog, auditLog, auditLog as default } from './plugin.js';
export type { AuditHealth } from './record-writer.js';
export type { AuditExtra, AuditOutcome, AuditRecord, Json } from './records/audit-record.js';
export { canonicalAddress } from './records/client-address.js';
export { type AuditEvent, createAuditRecord, type RecordOrigin, TEXT_LIMITS } from './records/create-audit-record.js';
export { createRecordIds } from './records/record-ids.js';
export type { AuditDetails, RequestAudit } from './request-audit.js';
export type { RecordRequirement, RouteAudit, RouteAuditDecision } from './route-audit.js';
export {
  createMemorySink,
  MEMORY_SINK_DEFAULTS,
  type MemorySink,
  type MemorySinkOptions,
} from './sinks/memory-sink.js';
export type { AuditSink } from './sinks/sink.js';
