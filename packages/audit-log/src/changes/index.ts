export {
  type AuditedChanges,
  type AuditedChangesOptions,
  type ChangeSubject,
  type ChangeTransaction,
  type ChangeWork,
  createAuditedChanges,
} from './audited-changes.js';
