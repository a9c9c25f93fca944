import type { IdempotencyStore } from '@sallyport/idempotency';
import type { TtlStore } from '@sallyport/ttl-store';
import type { KillPoint } from './kill-point.js';

type Reach = (point: KillPoint) => void;

/** Adds kill points to a store whose records commit with the handler's rows. */
export function watchRecordStore(store: IdempotencyStore, reach: Reach): IdempotencyStore {
  return {
    openRecords(terms) {
      const records = store.openRecords(terms);
      const { completeWithin } = records;
      return {
        ...records,
        insert: (scope, record) => watchedClaim(() => records.insert(scope, record), reach),
        completeWithin:
          completeWithin &&
          ((...call) => {
            reach('before-submitted');
            return completeWithin(...call);
          }),
      };
    },
  };
}

/** Adds the same points to any `TtlStore`, at the first and the last write of a record. */
export function watchTtlStore(store: TtlStore, reach: Reach): TtlStore {
  return {
    ...store,
    setIfAbsent: (key, value, ttlMillis) => watchedClaim(() => store.setIfAbsent(key, value, ttlMillis), reach),
    compareAndSet(key, expected, value, ttlMillis) {
      if (JSON.parse(value).state === 'SUBMITTED') reach('before-submitted');
      return store.compareAndSet(key, expected, value, ttlMillis);
    },
  };
}

async function watchedClaim(claim: () => Promise<boolean>, reach: Reach): Promise<boolean> {
  reach('before-processing');
  const isFirst = await claim();
  if (isFirst) reach('after-processing');
  return isFirst;
}
