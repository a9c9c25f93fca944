export type { AuditExtra, AuditOutcome, AuditRecord, Json } from './audit-record.js';
export { AuditSinkFullError, AuditUnavailableError } from './errors.js';
export { createMemorySink, MEMORY_SINK_DEFAULTS, type MemorySink, type MemorySinkOptions } from './memory-sink.js';
export type { AuditSink } from './sink.js';
