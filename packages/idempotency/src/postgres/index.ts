export {
  createPostgresIdempotencyStore,
  POSTGRES_IDEMPOTENCY_STORE_DEFAULTS,
  type PostgresIdempotencyStore,
  type PostgresIdempotencyStoreOptions,
} from './postgres-record-store.js';
export {
  createIdempotencyRecordsTable,
  defineIdempotencyRecords,
  type IdempotencyRecordsTable,
  idempotencyRecords,
  type RecordDatabase,
} from './postgres-table.js';
