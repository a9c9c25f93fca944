export {
  begin,
  complete,
  type IdempotencyRecord,
  judge,
  type KeptResult,
  markUnknown,
  type ProcessingRecord,
  release,
  type SubmittedRecord,
  takeOver,
  type UnknownRecord,
} from './idempotency-record.js';
export type {
  Completion,
  CompletionEnd,
  FoundRecord,
  IdempotencyStore,
  RecordCompletionOptions,
  RecordStore,
  RecordTerms,
} from './record-store.js';
export { createTtlRecordStore, type RecordTtlStore } from './ttl-record-store.js';
