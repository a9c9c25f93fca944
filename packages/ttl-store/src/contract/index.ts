export {
  addToCounter,
  assertExpected,
  assertIncrement,
  assertKey,
  assertWrite,
  notACounter,
} from './entry-limits.js';
export { type Counter, MAX_KEY_BYTES, MAX_TTL_MILLIS, MAX_VALUE_BYTES, type TtlStore } from './ttl-store.js';
