import type { TtlStore } from '@sallyport/ttl-store';
import type { IdempotencyRecord, ProcessingRecord } from './idempotency-record.js';
import type { RecordStore, RecordTerms } from './record-store.js';

/** The part of a `TtlStore` that the records use. */
export type RecordTtlStore = Pick<
  TtlStore,
  'compareAndDelete' | 'compareAndSet' | 'get' | 'lifetime' | 'set' | 'setIfAbsent'
>;

/**
 * Records on any `TtlStore`. A record has the key `r:`, whose TTL is the retention. While it runs, it also has the key
 * `l:` for the lease of its owner, whose TTL is the lease. A lease is held while its key is present, so the store's
 * clock decides, and the record outlives the lease.
 */
export function createTtlRecordStore(
  store: RecordTtlStore,
  keyPrefix: string,
  { leaseMillis, retentionMillis }: RecordTerms,
): RecordStore {
  const recordKey = (scope: string) => `${keyPrefix}r:${scope}`;
  const leaseKey = ({ owner }: ProcessingRecord) => `${keyPrefix}l:${owner}`;

  const startLease = (record: ProcessingRecord) => store.set(leaseKey(record), '1', leaseMillis);
  const isHeld = async (record: ProcessingRecord) => (await store.get(leaseKey(record))) !== null;

  async function replace(scope: string, from: ProcessingRecord, next: IdempotencyRecord | null): Promise<boolean> {
    const key = recordKey(scope);
    if (next === null) return store.compareAndDelete(key, write(from));
    if (next.state === 'PROCESSING') await startLease(next);
    return store.compareAndSet(key, write(from), write(next), retentionMillis);
  }

  return {
    lifetime: store.lifetime,
    completeWithin: null,
    confirmCompletion: null,

    async insert(scope, record) {
      // The lease is written first, because a record without one would count as lapsed. The lease of a failed attempt
      // runs out by itself: a late delete could hit the lease of the next attempt.
      await startLease(record);
      return store.setIfAbsent(recordKey(scope), write(record), retentionMillis);
    },

    async read(scope) {
      const text = await store.get(recordKey(scope));
      if (text === null) return null;
      const record = read(text);
      return { record, leaseLapsed: record.state === 'PROCESSING' && !(await isHeld(record)) };
    },

    async renew(scope, held) {
      const text = write(held);
      if (!(await store.compareAndSet(recordKey(scope), text, text, retentionMillis))) return false;
      await startLease(held);
      return true;
    },

    replace,

    async overtake(scope, lapsed, next) {
      if (await isHeld(lapsed)) return false;
      return replace(scope, lapsed, next);
    },
  };
}

/** The members have a fixed order, because the stored texts are compared. */
function write(record: IdempotencyRecord): string {
  const { state, digest } = record;
  switch (record.state) {
    case 'PROCESSING':
      return JSON.stringify({ state, digest, owner: record.owner, isTransactional: record.isTransactional });
    case 'SUBMITTED':
      return JSON.stringify({ state, digest, ...(record.result !== null && { result: record.result }) });
    case 'UNKNOWN':
      return JSON.stringify({ state, digest });
  }
}

/** The text of a submitted record without a result has no such member. */
function read(text: string): IdempotencyRecord {
  const record = JSON.parse(text) as IdempotencyRecord;
  return record.state === 'SUBMITTED' ? { ...record, result: record.result ?? null } : record;
}
