import type { IdempotencyRecord, KeptResult, ProcessingRecord } from './idempotency-record.js';

/** A stored record, and whether its lease has run out by the store's clock. */
export interface FoundRecord {
  readonly record: IdempotencyRecord;
  /** Whether a PROCESSING record's lease has run out. False in the other states. */
  readonly leaseLapsed: boolean;
}

/** Options of `RecordStore.completeWithin`. */
export interface RecordCompletionOptions {
  /** A statement that is sent with the completion; null for none. */
  readonly also: object | null;
  /** The result of the record; null for none. */
  readonly result: KeptResult | null;
}

/** A completion within a transaction that has not ended yet. */
export interface Completion {
  /** Whether no savepoint is open around it, so that only the end of the transaction can undo it. */
  readonly isOutermost: boolean;
  /** Identifies this completion of the record. A completion by another run has another version. */
  readonly version: string;
}

/** The outcome of a completion. `open`: its transaction has not ended. */
export type CompletionEnd = 'committed' | 'rolled-back' | 'open';

/**
 * A store of records. Every verb is atomic. A verb that can't be carried out rejects, but may still have taken effect.
 * A `scope` is a hash of 43 characters. The store's clock measures lease and retention, so the clocks of the nodes
 * don't matter.
 */
export interface RecordStore {
  /** `process`: the records end with this process. `shared`: they outlive it, and every process sees them. */
  readonly lifetime: 'process' | 'shared';
  /**
   * Completes a record in the caller's transaction. Resolves to null if it is no longer `held`. The verb is null if the
   * store has no transactions.
   */
  readonly completeWithin:
    | ((
        scope: string,
        held: ProcessingRecord,
        transaction: object,
        options?: RecordCompletionOptions,
      ) => Promise<Completion | null>)
    | null;
  /**
   * The outcome of a completion of `held`. If it was rolled back, the record becomes UNKNOWN in the same step. The verb
   * doesn't wait for an open transaction. Null if the store has no transactions.
   */
  readonly confirmCompletion:
    | ((scope: string, held: ProcessingRecord, completion: Completion) => Promise<CompletionEnd>)
    | null;

  /** Writes the record and starts its lease if the scope is absent. Resolves to whether it did. */
  insert(scope: string, record: ProcessingRecord): Promise<boolean>;

  /** The record, or null. */
  read(scope: string): Promise<FoundRecord | null>;

  /**
   * Restarts the lease if the record is still `held`. Resolves to whether it did. While the owner's transaction holds
   * the record, it resolves to false without waiting.
   */
  renew(scope: string, held: ProcessingRecord): Promise<boolean>;

  /** The owner's transition: replaces the record if it is still `held`, lapsed or not. Resolves to whether it did. */
  replace(scope: string, held: ProcessingRecord, next: IdempotencyRecord | null): Promise<boolean>;

  /**
   * The transition by another run: replaces the record if it is still `lapsed` and its lease has run out. Resolves to
   * whether it did. While the owner's transaction holds the record, it resolves to false without waiting.
   */
  overtake(scope: string, lapsed: ProcessingRecord, next: IdempotencyRecord | null): Promise<boolean>;
}

/** The lifetimes of a lease and of a record. */
export interface RecordTerms {
  readonly leaseMillis: number;
  readonly retentionMillis: number;
}

/**
 * A store made for idempotency records, such as `createPostgresIdempotencyStore` of `@sallyport/idempotency/postgres`.
 */
export interface IdempotencyStore {
  /** Opens the store with the plugin's terms. */
  openRecords(terms: RecordTerms): RecordStore;
}
