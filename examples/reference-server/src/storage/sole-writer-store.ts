import type { TtlStore } from '@sallyport/ttl-store';

/** How many entries are remembered at least, and at most twice as many. */
const ENTRIES_KEPT = 4096;

/** Longer values are read from the store each time: with the bound above, at most 64 MB are remembered, as a rule 4. */
const MAX_KEPT_LENGTH = 8192;

interface Remembered {
  readonly value: string;
  readonly expiresAt: number;
}

export interface SoleWriterStoreOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/**
 * Answers `get` from memory where this process wrote the value itself: for a store that nobody else writes to, such as
 * the tables of the embedded database, whose folder is locked. What is remembered is what stands in the store: a value
 * is forgotten when a write of its key begins, and remembered again only by a write that succeeded while no other one
 * was on its way. A write that failed, or came too late, leaves nothing to remember.
 */
export function createSoleWriterStore(store: TtlStore, { now = Date.now }: SoleWriterStoreOptions = {}): TtlStore {
  // Two generations: what was used lately moves on to the newer one, and the older one is dropped as a whole.
  let recent = new Map<string, Remembered>();
  let earlier = new Map<string, Remembered>();
  /** By key, the writes that are on their way; whether they were ever more than one at a time. */
  const writing = new Map<string, { count: number; isAlone: boolean }>();

  function remember(key: string, remembered: Remembered): void {
    if (recent.size >= ENTRIES_KEPT) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(key, remembered);
  }

  function forget(key: string): void {
    recent.delete(key);
    earlier.delete(key);
  }

  /** @param valueAfter what stands in the store when the write has succeeded, if that is known. */
  async function write<Result>(
    key: string,
    run: () => Promise<Result>,
    valueAfter: (result: Result) => Remembered | null = () => null,
  ): Promise<Result> {
    forget(key);
    const writes = writing.get(key) ?? { count: 0, isAlone: true };
    if (writes.count > 0) writes.isAlone = false;
    writes.count += 1;
    writing.set(key, writes);
    try {
      const result = await run();
      const after = writes.isAlone ? valueAfter(result) : null;
      if (after !== null && after.value.length <= MAX_KEPT_LENGTH) remember(key, after);
      return result;
    } finally {
      writes.count -= 1;
      if (writes.count === 0) writing.delete(key);
    }
  }

  /** By this clock the value is gone a little earlier than by the store's, which began to count later. */
  const untilExpiry = (value: string, ttlMillis: number) => ({ value, expiresAt: now() + ttlMillis });

  return {
    lifetime: store.lifetime,

    async get(key) {
      const remembered = recent.get(key) ?? earlier.get(key);
      if (remembered === undefined) return store.get(key);
      if (now() >= remembered.expiresAt) {
        forget(key);
        return store.get(key);
      }
      if (!recent.has(key)) remember(key, remembered);
      return remembered.value;
    },

    setIfAbsent(key, value, ttlMillis) {
      const written = untilExpiry(value, ttlMillis);
      return write(
        key,
        () => store.setIfAbsent(key, value, ttlMillis),
        (isWritten) => (isWritten ? written : null),
      );
    },
    set(key, value, ttlMillis) {
      const written = untilExpiry(value, ttlMillis);
      return write(
        key,
        () => store.set(key, value, ttlMillis),
        () => written,
      );
    },
    compareAndSet(key, expected, value, ttlMillis) {
      const written = untilExpiry(value, ttlMillis);
      return write(
        key,
        () => store.compareAndSet(key, expected, value, ttlMillis),
        (isWritten) => (isWritten ? written : null),
      );
    },
    take: (key) => write(key, () => store.take(key)),
    increment: (key, ttlMillis, by) => write(key, () => store.increment(key, ttlMillis, by)),
    compareAndDelete: (key, expected) => write(key, () => store.compareAndDelete(key, expected)),
    delete: (key) => write(key, () => store.delete(key)),
  };
}
