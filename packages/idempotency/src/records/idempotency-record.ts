/** Running while its owner renews the lease. The store holds the lease and measures it by its own clock. */
export interface ProcessingRecord {
  readonly state: 'PROCESSING';
  readonly digest: string;
  /** A random token of the one run that may change the record. */
  readonly owner: string;
  /** Whether all effects commit in one transaction with the record, so that a run that died had no effect. */
  readonly isTransactional: boolean;
}

/** The kept part of the first answer on a route with `result: 'location'` or `'body'`. */
export interface KeptResult {
  /** The status, 100 to 399. */
  readonly status: number;
  /** The header `Location`: 1 to 2048 visible ASCII characters. Null if there was none, or none that may be kept. */
  readonly location: string | null;
  /**
   * Headers and body, sealed under a key of the application, on a route with `result: 'body'`. Absent: none is kept.
   */
  readonly answer?: string;
}

/** Done. Only the result that the route asks for is kept of the answer. */
export interface SubmittedRecord {
  readonly state: 'SUBMITTED';
  readonly digest: string;
  /** Null on routes with `result: 'none'`. */
  readonly result: KeptResult | null;
}

/** Started, with an unknown outcome. */
export interface UnknownRecord {
  readonly state: 'UNKNOWN';
  readonly digest: string;
}

/** The record of a key. An absent one is `null`: the key was never used, was released, or is beyond its retention. */
export type IdempotencyRecord = ProcessingRecord | SubmittedRecord | UnknownRecord;

/** A first request, or the retry of one that was released. */
export function begin(attempt: Omit<ProcessingRecord, 'state'>): ProcessingRecord {
  return { state: 'PROCESSING', ...attempt };
}

/** The operation completed. */
export function complete({ digest }: ProcessingRecord, result: KeptResult | null = null): SubmittedRecord {
  return { state: 'SUBMITTED', digest, result };
}

/** The operation failed midway, or its lease ran out. */
export function markUnknown({ digest }: ProcessingRecord): UnknownRecord {
  return { state: 'UNKNOWN', digest };
}

/** Nothing was done. The key counts as never used. */
export function release(_record: ProcessingRecord): null {
  return null;
}

/**
 * A retry runs an operation that a dead run didn't commit. The new owner token keeps the dead run from committing
 * later.
 */
export function takeOver(lapsed: ProcessingRecord, owner: string): ProcessingRecord {
  return { ...lapsed, owner };
}

/** The state that a request finds under its key. */
export type Finding =
  | { readonly kind: 'absent' | 'processing' | 'unknown' | 'mismatch' }
  | { readonly kind: 'submitted'; readonly result: KeptResult | null }
  | { readonly kind: 'lapsed'; readonly record: ProcessingRecord };

/** The table of states for a request with this digest. */
export function judge(found: { record: IdempotencyRecord; leaseLapsed: boolean } | null, digest: string): Finding {
  if (found === null) return { kind: 'absent' };
  const { record, leaseLapsed } = found;
  if (record.digest !== digest) return { kind: 'mismatch' };
  switch (record.state) {
    case 'SUBMITTED':
      return { kind: 'submitted', result: record.result };
    case 'UNKNOWN':
      return { kind: 'unknown' };
    case 'PROCESSING':
      return leaseLapsed ? { kind: 'lapsed', record } : { kind: 'processing' };
  }
}
