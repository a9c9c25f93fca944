export {
  addToCounter,
  assertExpected,
  assertIncrement,
  assertItem,
  assertKey,
  assertKeys,
  assertListRead,
  assertMark,
  assertMarkedEntry,
  assertPart,
  assertTtl,
  assertWrite,
  notACounter,
} from './entry-limits.js';
export {
  LIST_KEY_START,
  type ListPage,
  listKey,
  MAX_ITEM_LENGTH,
  MAX_LIST_LIMIT,
  MAX_LIST_NAME_LENGTH,
  type StoreLists,
} from './store-lists.js';
export {
  isHeld,
  type MarkedEntry,
  type MarkedRead,
  type MarkedWrite,
  type MarkSight,
  type MarkTerms,
  NO_BOUNDS,
  type ReplaceBounds,
  refusalOf,
  type StoreMarks,
} from './store-marks.js';
export {
  type Counter,
  MAX_KEY_BYTES,
  MAX_KEYS_AT_ONCE,
  MAX_TTL_MILLIS,
  MAX_VALUE_BYTES,
  type TtlStore,
} from './ttl-store.js';
