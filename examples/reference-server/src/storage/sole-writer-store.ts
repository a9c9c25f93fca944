import { LruCache } from '@sallyport/plugin-kit/lru-cache';
import { MAX_KEYS_AT_ONCE, type TtlStore } from '@sallyport/ttl-store';

/** The cache keeps at least this many entries, and at most twice as many. */
const MIN_KEPT_ENTRIES = 4096;

/** Longer values are not cached. With the bound above, the cache holds at most 64 MB, and usually 4 MB. */
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
 * A write-through cache for a store that only this process writes to, such as the tables of the embedded database,
 * whose folder is locked. `get` is answered from memory if this process wrote the value. A write evicts its key when it
 * begins, and caches the value again only if it succeeded and no other write of the key overlapped. A failed or
 * overlapped write caches nothing.
 */
export function createSoleWriterStore(store: TtlStore, { now = Date.now }: SoleWriterStoreOptions = {}): TtlStore {
  const kept = new LruCache<Remembered>(MIN_KEPT_ENTRIES);
  /** Writes in progress by key, and whether none of them overlapped. */
  const writing = new Map<string, { count: number; isAlone: boolean }>();

  /** Null if only the store knows. */
  function recall(key: string): string | null {
    const remembered = kept.get(key);
    if (remembered === undefined) return null;
    if (now() < remembered.expiresAt) return remembered.value;
    kept.delete(key);
    return null;
  }

  /** @param valueAfter the stored value after the write has succeeded, if it is known */
  async function write<Result>(
    key: string,
    run: () => Promise<Result>,
    valueAfter: (result: Result) => Remembered | null = () => null,
  ): Promise<Result> {
    kept.delete(key);
    const writes = writing.get(key) ?? { count: 0, isAlone: true };
    if (writes.count > 0) writes.isAlone = false;
    writes.count += 1;
    writing.set(key, writes);
    try {
      const result = await run();
      const after = writes.isAlone ? valueAfter(result) : null;
      if (after !== null && after.value.length <= MAX_KEPT_LENGTH) kept.set(key, after);
      return result;
    } finally {
      writes.count -= 1;
      if (writes.count === 0) writing.delete(key);
    }
  }

  /** By this clock the value expires slightly earlier than in the store, which started counting later. */
  const untilExpiry = (value: string, ttlMillis: number) => ({ value, expiresAt: now() + ttlMillis });

  return {
    lifetime: store.lifetime,
    // Their entries are never read by `get`.
    ...(store.marks !== undefined && { marks: store.marks }),
    ...(store.lists !== undefined && { lists: store.lists }),

    get: async (key) => recall(key) ?? store.get(key),

    ...(store.getAll !== undefined && {
      async getAll(keys: readonly string[]) {
        const values: (string | null)[] = keys.map(recall);
        const missing = keys.flatMap((key, index) => (values[index] === null ? [{ key, index }] : []));
        if (missing.length === 0) return values;
        // The store refuses too many keys, even if few of them are missing.
        const asked = keys.length > MAX_KEYS_AT_ONCE ? keys : missing.map(({ key }) => key);
        const read = (await store.getAll?.(asked)) ?? [];
        for (const [place, { index }] of missing.entries()) values[index] = read[place] ?? null;
        return values;
      },
    }),

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
    time: () => store.time(),
  };
}
