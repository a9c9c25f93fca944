export { AUDIT_KEY_DEFAULTS, type AuditHash, type AuditKey, parseAuditKey } from './chain/audit-keys.js';
export type { AuditChainOptions } from './chain/chain-options.js';
export type { Checkpoint, CheckpointContent, CheckpointKind } from './chain/checkpoint.js';
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
} from './chain/postgres-table.js';
export { readCheckpointFile } from './checkpoints/checkpoint-reader.js';
export type { CheckpointWriter } from './checkpoints/checkpoint-schedule.js';
export { type CheckpointLog, createFileCheckpoint, createLogCheckpoint } from './checkpoints/checkpoint-writers.js';
export {
  type AuditFilter,
  type AuditPage,
  type AuditPageRequest,
  type AuditReader,
  type AuditReaderOptions,
  createAuditReader,
  type StoredAuditRecord,
} from './reading/audit-reader.js';
export type { AuditFinding, AuditFindingKind } from './reading/finding.js';
export {
  AuditLogBrokenError,
  type RetentionOptions,
  type RetentionResult,
  retainAuditRecords,
} from './reading/retention.js';
export { type AuditVerification, type VerifyOptions, verifyAuditLog } from './reading/verify.js';
export { createPostgresAuditSink, type PostgresAuditSink } from './sinks/postgres/postgres-sink.js';
export {
  type AuditSinkLog,
  POSTGRES_SINK_DEFAULTS,
  type PostgresSinkOptions,
} from './sinks/postgres/postgres-sink-options.js';
