export { createMemoryStore, MEMORY_STORE_DEFAULTS, type MemoryStoreOptions } from './memory-store.js';
export { MEMORY_STORE_CODE, type StoreUse, type WarningLog, warnOfMemoryStore } from './memory-warning.js';
