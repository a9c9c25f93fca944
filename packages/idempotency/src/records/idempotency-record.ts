/** Running, for as long as the lease of its owner is renewed. The store holds the lease and measures it by its own clock. */
export interface ProcessingRecord {
  readonly state: 'PROCESSING';
  readonly digest: string;
  /** A random token of the one run that may change the record. */
  readonly owner: string;
  /** Whether all effects of the run commit in one transaction with the record, so that a run that died did nothing. */
  readonly isTransactional: boolean;
}

/** Done. Of the answer nothing is kept (IDM-5). */
export interface SubmittedRecord {
  readonly state: 'SUBMITTED';
  readonly digest: string;
}

/** Begun, and nobody knows how far it came. */
export interface UnknownRecord {
  readonly state: 'UNKNOWN';
  readonly digest: string;
}

/** What is kept of a key. An absent record is `null`: never used, released, or beyond its retention. */
export type IdempotencyRecord = ProcessingRecord | SubmittedRecord | UnknownRecord;

/** A first request, or the retry of one that was released. */
export function begin(attempt: Omit<ProcessingRecord, 'state'>): ProcessingRecord {
  return { state: 'PROCESSING', ...attempt };
}

/** The operation completed. */
export function complete({ digest }: ProcessingRecord): SubmittedRecord {
  return { state: 'SUBMITTED', digest };
}

/** The operation failed in mid-way, or its lease ran out. */
export function markUnknown({ digest }: ProcessingRecord): UnknownRecord {
  return { state: 'UNKNOWN', digest };
}

/** Nothing was done: the key is as if it had never been used. */
export function release(_record: ProcessingRecord): null {
  return null;
}

/** A retry runs what a dead run didn't commit. The owner token changes, so that the dead run can't commit any more. */
export function takeOver(lapsed: ProcessingRecord, owner: string): ProcessingRecord {
  return { ...lapsed, owner };
}

/** What a request meets under its key. */
export type Finding =
  | { readonly kind: 'absent' | 'processing' | 'submitted' | 'unknown' | 'mismatch' }
  | { readonly kind: 'lapsed'; readonly record: ProcessingRecord };

/** The table of states (IDM-3, IDM-6), as a request with this digest sees it. */
export function judge(found: { record: IdempotencyRecord; leaseLapsed: boolean } | null, digest: string): Finding {
  if (found === null) return { kind: 'absent' };
  const { record, leaseLapsed } = found;
  if (record.digest !== digest) return { kind: 'mismatch' };
  switch (record.state) {
    case 'SUBMITTED':
      return { kind: 'submitted' };
    case 'UNKNOWN':
      return { kind: 'unknown' };
    case 'PROCESSING':
      return leaseLapsed ? { kind: 'lapsed', record } : { kind: 'processing' };
  }
}
