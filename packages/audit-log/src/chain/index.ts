export { AUDIT_KEY_DEFAULTS, type AuditHash, type AuditKey, parseAuditKey } from './audit-keys.js';
export { type AuditChain, CHAIN_START, type ChainHead, createAuditChain } from './chain.js';
export { type AuditChainOptions, chainRules, keyFaults } from './chain-options.js';
export {
  chainName,
  checkTables,
  readHead,
  rowSelection,
  type StoredHead,
  type StoredRow,
  storedRowOf,
} from './chain-rows.js';
export { createChainWriter, type UnchainedRow } from './chain-writer.js';
export { type Checkpoint, type CheckpointContent, type CheckpointKind, readCheckpoint } from './checkpoint.js';
export { describeFailure, isRefusedValue, kindOfFailure } from './database-failure.js';
export { insertBegun, insertPending, openPending, type PendingRow, readPending, sealPending } from './pending-rows.js';
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
  databaseRule,
  defineAuditChainHeads,
  defineAuditPending,
  defineAuditRecords,
  tableRules,
} from './postgres-table.js';
