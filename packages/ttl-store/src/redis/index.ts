export { evictionWarning } from './redis-eviction.js';
export { createRedisStore, REDIS_STORE_DEFAULTS, type RedisStoreOptions } from './redis-store.js';
