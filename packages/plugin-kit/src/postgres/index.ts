export { type DatabaseGuard, guardDatabase, guardedCall, SharedSessionsError } from './database-guard.js';
export { UnmendedDriverError } from './driver-warning.js';
export { databaseRule, ensureTables, tableRule, UNNAMED } from './package-tables.js';
export { type PostgresRefusalCode, refusals } from './refusals.js';
export { renderStatement } from './rendered-statement.js';
export {
  type CommittingDatabase,
  isQueryError,
  runTransaction,
  type TransactionOf,
  TransactionRolledBackError,
} from './run-transaction.js';
