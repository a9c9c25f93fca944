export {
  IdempotencyBodyUnsupportedError,
  IdempotencyDigestMismatchError,
  IdempotencyKeyInvalidError,
  IdempotencyKeyRequiredError,
  IdempotencyNotBegunError,
  IdempotencyNotCompletedError,
  IdempotencyOutcomeUnknownError,
  IdempotencyProcessingError,
  IdempotencySetupError,
  IdempotencyStoreUnavailableError,
  IdempotencySubmittedError,
} from './errors.js';
export { IDEMPOTENCY_DEFAULTS, type IdempotencyOptions } from './options.js';
export { type Idempotency, idempotency, idempotency as default, type RequestIdempotency } from './plugin.js';
export type {
  Completion,
  CompletionEnd,
  FoundRecord,
  IdempotencyRecord,
  IdempotencyStore,
  KeptResult,
  ProcessingRecord,
  RecordCompletionOptions,
  RecordStore,
  RecordTerms,
  SubmittedRecord,
  UnknownRecord,
} from './records/index.js';
export { type IdempotencyRefusalCode, refusals } from './refusals.js';
export type {
  CompleteWithinOptions,
  IdempotencyRouteOptions,
  KeyLookUp,
  KeyState,
  LookedUpRoute,
} from './requests/index.js';
