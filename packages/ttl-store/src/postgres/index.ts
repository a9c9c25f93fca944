export {
  createPostgresStore,
  POSTGRES_STORE_DEFAULTS,
  type PostgresStore,
  type PostgresStoreOptions,
} from './postgres-store.js';
export {
  createTtlEntriesTable,
  defineTtlEntries,
  type EntryDatabase,
  type TtlEntries,
  ttlEntries,
} from './postgres-table.js';
