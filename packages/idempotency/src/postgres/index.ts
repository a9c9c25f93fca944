export { runTransaction, TransactionRolledBackError } from '@sallyport/plugin-kit/postgres';
export {
  createPostgresIdempotencyStore,
  POSTGRES_IDEMPOTENCY_STORE_DEFAULTS,
  type PostgresIdempotencyStore,
  type PostgresIdempotencyStoreOptions,
} from './postgres-record-store.js';
export { isCompleted } from './postgres-statements.js';
export {
  createIdempotencyRecordsTable,
  defineIdempotencyRecords,
  type IdempotencyRecordsTable,
  idempotencyRecords,
  type RecordDatabase,
} from './postgres-table.js';
