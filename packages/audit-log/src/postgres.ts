export { AUDIT_KEY_DEFAULTS, type AuditHash, type AuditKey, parseAuditKey } from './audit-keys.js';
export {
  type AuditFilter,
  type AuditPage,
  type AuditPageRequest,
  type AuditReader,
  type AuditReaderOptions,
  createAuditReader,
  type StoredAuditRecord,
} from './audit-reader.js';
export type { AuditChainOptions } from './chain-options.js';
export type { Checkpoint, CheckpointContent, CheckpointKind } from './checkpoint.js';
export { readCheckpointFile } from './checkpoint-reader.js';
export type { CheckpointWriter } from './checkpoint-schedule.js';
export { type CheckpointLog, createFileCheckpoint, createLogCheckpoint } from './checkpoint-writers.js';
export type { AuditFinding, AuditFindingKind } from './finding.js';
export { createPostgresAuditSink, type PostgresAuditSink } from './postgres-sink.js';
export {
  type AuditSinkLog,
  POSTGRES_SINK_DEFAULTS,
  type PostgresSinkOptions,
} from './postgres-sink-options.js';
export {
  AUDIT_TABLE_DEFAULTS,
  type AuditChainHeadsTable,
  type AuditDatabase,
  type AuditPendingTable,
  type AuditQueries,
  type AuditRecordsTable,
  type AuditTables,
  auditChainHeads,
  auditPending,
  auditRecords,
  createAuditTables,
  defineAuditChainHeads,
  defineAuditPending,
  defineAuditRecords,
} from './postgres-table.js';
export { AuditLogBrokenError, type RetentionOptions, type RetentionResult, retainAuditRecords } from './retention.js';
export { type AuditVerification, type VerifyOptions, verifyAuditLog } from './verify.js';
