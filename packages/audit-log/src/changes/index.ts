export {
  type AuditedChanges,
  type AuditedChangesOptions,
  type ChangeSubject,
  type ChangeTransaction,
  type ChangeWork,
  createAuditedChanges,
} from './audited-changes.js';
export {
  type AuditSettlement,
  type AuditSettlementOptions,
  createAuditSettlement,
  type FoundOutcome,
} from './settlement.js';
