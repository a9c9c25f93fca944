export { createMemoryStore, MEMORY_STORE_DEFAULTS, type MemoryStoreOptions } from './memory-store.js';
