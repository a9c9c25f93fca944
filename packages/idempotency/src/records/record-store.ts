import type { IdempotencyRecord, ProcessingRecord } from './idempotency-record.js';

/** A record as a store holds it, and what the store's clock says of its lease. */
export interface FoundRecord {
  readonly record: IdempotencyRecord;
  /** Whether a PROCESSING record's lease has run out. False in the other states. */
  readonly leaseLapsed: boolean;
}

/**
 * Where records live. Every verb is atomic, rejects when it can't be carried out, and may then have taken effect all the
 * same. A `scope` is a hash of 43 characters. The store's clock measures lease and retention, so that the clocks of the
 * nodes don't matter (REL-5).
 */
export interface RecordStore {
  /** `process`: the records die with this process. `shared`: they outlive it, and every process sees them. */
  readonly lifetime: 'process' | 'shared';
  /** Completes a record inside the caller's transaction; null where the store has none. */
  readonly completeWithin: ((scope: string, held: ProcessingRecord, transaction: object) => Promise<boolean>) | null;

  /** Writes the record and starts its lease if the scope is absent. Resolves to whether it did. */
  insert(scope: string, record: ProcessingRecord): Promise<boolean>;

  /** The record, or null. */
  read(scope: string): Promise<FoundRecord | null>;

  /** Starts the lease anew if the record is still `held`. Resolves to whether it is. */
  renew(scope: string, held: ProcessingRecord): Promise<boolean>;

  /** The owner's transition: replaces the record if it is still `held`, whatever its lease. Resolves to whether it did. */
  replace(scope: string, held: ProcessingRecord, next: IdempotencyRecord | null): Promise<boolean>;

  /**
   * Another's transition: replaces the record if it is still `lapsed`, and so is its lease. Resolves to false, without
   * waiting, also while the owner's transaction holds the record.
   */
  overtake(scope: string, lapsed: ProcessingRecord, next: IdempotencyRecord | null): Promise<boolean>;
}

/** How long a store holds what. */
export interface RecordTerms {
  readonly leaseMillis: number;
  readonly retentionMillis: number;
}
