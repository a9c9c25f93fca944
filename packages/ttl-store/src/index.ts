export { StoreUnavailableError } from './errors.js';
export { createMemoryStore, MEMORY_STORE_DEFAULTS, type MemoryStoreOptions } from './memory-store.js';
export { keyPrefixRule, MAX_KEY_PREFIX_BYTES, StoreSetupError } from './store-options.js';
export { type Counter, MAX_KEY_BYTES, MAX_TTL_MILLIS, MAX_VALUE_BYTES, type TtlStore } from './ttl-store.js';
