export { type AuditDelivery, createAuditDelivery, type DeliveryHealth } from './audit-delivery.js';
export {
  type AuditTarget,
  type DeliveredRecord,
  type TargetFailureDetails,
  TargetRefusedError,
  TargetUnavailableError,
} from './audit-target.js';
export { type Lag, readSlowestDelivery } from './delivery-cursor.js';
export { AUDIT_DELIVERY_DEFAULTS, type AuditDeliveryOptions, type DeliveryLog } from './delivery-options.js';
export { LogDivergedError } from './delivery-rows.js';
export type { DeliveryError, DeliveryStatus } from './delivery-status.js';
export { createNdjsonTarget, NDJSON_TARGET_DEFAULTS, type NdjsonTargetOptions } from './ndjson-target.js';
export { SECURITY_ACTIONS } from './security-actions.js';
export { createSyslogTarget, SYSLOG_TARGET_DEFAULTS, type SyslogTargetOptions } from './syslog-target.js';
export type { TargetTlsOptions } from './tls-options.js';
