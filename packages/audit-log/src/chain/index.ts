export { type AcknowledgedRows, type Acknowledgements, createAcknowledgements } from './acknowledged-rows.js';
export type {
  AuditDatabase,
  AuditQueries,
  AuditStatement,
  DrizzleDatabase,
  DrizzleQueries,
  ReadWithDatabase,
} from './audit-database.js';
export { AUDIT_KEY_DEFAULTS, type AuditHash, type AuditKey, parseAuditKey } from './audit-keys.js';
export { type AuditChain, CHAIN_START, type ChainHead, createAuditChain, leafOf } from './chain.js';
export { type AuditChainOptions, chainRules, keyFaults } from './chain-options.js';
export {
  chainName,
  checkTables,
  readDeletedBefore,
  readHead,
  readLastRow,
  readRows,
  rowSelection,
  rowsOf,
  type StoredHead,
  type StoredRow,
} from './chain-rows.js';
export { createChainWriter, type UnchainedRow } from './chain-writer.js';
export {
  type AnyCut,
  type CutProof,
  createCutProof,
  genuineCut,
  isSigned,
  readStoredCut,
  treeAt,
} from './checkpoint-proof.js';
export {
  describeFailure,
  explainMissingTable,
  isMissingTable,
  isRefusedCall,
  isRefusedValue,
  kindOfFailure,
} from './database-failure.js';
export { INDEXED_OUTCOMES, isIndexedOutcome } from './indexed-outcomes.js';
export type { KeyedCheckpoint } from './keyed-checkpoint.js';
export {
  ALWAYS,
  openPending,
  type PendingRow,
  preparePendingInserts,
  readPending,
  sealPending,
} from './pending-rows.js';
export {
  AUDIT_TABLE_DEFAULTS,
  type AuditChainHeadsTable,
  type AuditDeliveriesTable,
  type AuditPendingTable,
  type AuditRecordsTable,
  type AuditSignedHeadsTable,
  type AuditTables,
  auditChainHeads,
  auditDeliveries,
  auditPending,
  auditRecords,
  auditSignedHeads,
  createAuditTables,
  defineAuditChainHeads,
  defineAuditDeliveries,
  defineAuditPending,
  defineAuditRecords,
  defineAuditSignedHeads,
  type StoredCut,
  tableRules,
} from './postgres-table.js';
