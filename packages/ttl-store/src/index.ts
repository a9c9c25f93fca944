export {
  type ClockEvent,
  type ClockState,
  createStoreClock,
  STORE_CLOCK_DEFAULTS,
  type StoreClock,
  type StoreClockOptions,
} from './clock/index.js';
export {
  type AddedCount,
  type Change,
  type Changes,
  type Counter,
  type DeletedKey,
  type ListPage,
  MAX_CHANGES_AT_ONCE,
  MAX_ITEM_LENGTH,
  MAX_KEY_BYTES,
  MAX_KEYS_AT_ONCE,
  MAX_LIST_LIMIT,
  MAX_LIST_NAME_LENGTH,
  MAX_TTL_MILLIS,
  MAX_VALUE_BYTES,
  type MarkedEntry,
  type MarkedRead,
  type MarkedWrite,
  type MarkSight,
  type MarkTerms,
  type ReplaceBounds,
  type RequiredValue,
  type StoreLists,
  type StoreMarks,
  type TtlStore,
  type WrittenValue,
} from './contract/index.js';
export { StoreUnavailableError } from './errors.js';
export {
  createMemoryStore,
  MEMORY_STORE_CODE,
  MEMORY_STORE_DEFAULTS,
  type MemoryStoreOptions,
  type StoreUse,
  type WarningLog,
  warnOfMemoryStore,
} from './memory/index.js';
export { refusals, type TtlStoreRefusalCode } from './refusals.js';
export { keyPrefixRule, MAX_KEY_PREFIX_BYTES, StoreSetupError } from './store-options.js';
