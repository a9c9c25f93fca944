export type { Json, MaskLimits } from '@sallyport/masking';
export { AuditRecordRefusedError, AuditSetupError, AuditSinkFullError, AuditUnavailableError } from './errors.js';
export { AUDIT_LOG_DEFAULTS, type AuditLogOptions } from './options.js';
export { type AuditLog, auditLog, auditLog as default } from './plugin.js';
export type { AuditHealth } from './record-writer.js';
export {
  type AuditEvent,
  type AuditExtra,
  type AuditOutcome,
  type AuditRecord,
  canonicalAddress,
  completionId,
  createAuditRecord,
  createRecordIds,
  type RecordOrigin,
  TEXT_LIMITS,
} from './records/index.js';
export { type AuditLogRefusalCode, refusals } from './refusals.js';
export type { AuditDetails, RequestAudit, RequestChange } from './request-audit.js';
export type {
  DecideAudit,
  RecordRequirement,
  RouteAudit,
  RouteAuditDecision,
  RouteChanges,
  UndecidedRoute,
} from './route-audit.js';
export {
  type AuditSink,
  createMemorySink,
  MEMORY_SINK_DEFAULTS,
  type MemorySink,
  type MemorySinkOptions,
} from './sinks/index.js';
