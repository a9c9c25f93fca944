export {
  IdempotencyBodyUnsupportedError,
  IdempotencyDigestMismatchError,
  IdempotencyKeyInvalidError,
  IdempotencyKeyRequiredError,
  IdempotencyNotCompletedError,
  IdempotencyOutcomeUnknownError,
  IdempotencyProcessingError,
  IdempotencySetupError,
  IdempotencyStoreUnavailableError,
  IdempotencySubmittedError,
} from './errors.js';
export type { IdempotencyRecord, ProcessingRecord, SubmittedRecord, UnknownRecord } from './idempotency-record.js';
export type { KeyLookUp, KeyState, LookedUpRoute } from './key-look-up.js';
export { IDEMPOTENCY_DEFAULTS, type IdempotencyOptions, type IdempotencyStore } from './options.js';
export { type Idempotency, idempotency, idempotency as default, type RequestIdempotency } from './plugin.js';
export type { FoundRecord, RecordStore, RecordTerms } from './record-store.js';
export type { IdempotencyRouteOptions } from './route-settings.js';
