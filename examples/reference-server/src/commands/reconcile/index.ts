export { reconcile } from './reconcile-command.js';
export { reconciledTables } from './reconciled-tables.js';
export { reconcileAuditLog } from './reconciliation.js';
