export { AUDIT_KEY_DEFAULTS, type AuditHash, type AuditKey, parseAuditKey } from './audit-keys.js';
export type { Checkpoint, CheckpointContent, CheckpointKind } from './checkpoint.js';
export type { CheckpointWriter } from './checkpoint-schedule.js';
export { type CheckpointLog, createFileCheckpoint, createLogCheckpoint } from './checkpoint-writers.js';
export { createPostgresAuditSink, type PostgresAuditSink } from './postgres-sink.js';
export {
  type AuditChainOptions,
  type AuditSinkLog,
  POSTGRES_SINK_DEFAULTS,
  type PostgresSinkOptions,
} from './postgres-sink-options.js';
export {
  AUDIT_TABLE_DEFAULTS,
  type AuditChainHeadsTable,
  type AuditDatabase,
  type AuditQueries,
  type AuditRecordsTable,
  type AuditTables,
  auditChainHeads,
  auditRecords,
  createAuditTables,
  defineAuditChainHeads,
  defineAuditRecords,
} from './postgres-table.js';
