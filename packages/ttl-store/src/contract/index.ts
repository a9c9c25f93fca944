export { addToCounter, notACounter } from './counter-text.js';
export { assertExpected, assertIncrement, assertKey, assertWrite } from './entry-limits.js';
export { type Counter, MAX_KEY_BYTES, MAX_TTL_MILLIS, MAX_VALUE_BYTES, type TtlStore } from './ttl-store.js';
