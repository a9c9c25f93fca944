import { readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import {
  addToCounter,
  assertExpected,
  assertIncrement,
  assertKey,
  assertKeys,
  assertWrite,
  type Counter,
  type TtlStore,
} from '../contract/index.js';
import { StoreUnavailableError } from '../errors.js';
import { clockRule, StoreSetupError } from '../store-options.js';
import { type Expiring, ExpiryQueue } from './expiry-queue.js';
import { createMemoryChanges } from './memory-changes.js';
import { createMemoryLists } from './memory-lists.js';
import { createMemoryMarks } from './memory-marks.js';

export interface MemoryStoreOptions {
  /** The largest number of entries, 1 to 16 000 000. Default 250 000. */
  readonly maxEntries?: number;
  /**
   * The largest size of all keys and values together, in bytes of UTF-8. Default 67 108 864 (64 MiB). Entries may be
   * large, so a bound on their number alone would not bound memory.
   */
  readonly maxBytes?: number;
  /**
   * The store's clock, in milliseconds since 1970. Default `Date.now`, the clock by which callers judge timestamps, so
   * that both jump together.
   */
  readonly now?: () => number;
}

export const MEMORY_STORE_DEFAULTS = {
  // 400 nonces a second, each kept for ten minutes. A nonce takes some 190 bytes: 48 MB.
  maxEntries: 250_000,
  maxBytes: 64 * 1024 * 1024,
  now: Date.now,
} as const satisfies Required<MemoryStoreOptions>;

// A Map of V8 holds 2^24 entries and throws beyond.
const MAX_ENTRIES = 16_000_000;

const rules = {
  maxEntries: wholeNumber({ min: 1, max: MAX_ENTRIES, unit: 'entries', default: MEMORY_STORE_DEFAULTS.maxEntries }),
  maxBytes: wholeNumber({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    unit: 'bytes',
    default: MEMORY_STORE_DEFAULTS.maxBytes,
  }),
  now: clockRule,
};

// The number of expired entries that one write deletes. It is more than the one that it adds, so that they can't pile
// up, and too few to slow a write noticeably.
const SWEEP_PER_WRITE = 4;

interface Entry extends Expiring {
  readonly key: string;
  readonly keyBytes: number;
  value: string;
  valueBytes: number;
  /** The list of an item, from which it is removed as well. */
  readonly list: string | null;
}

/**
 * A store in the memory of this process. It is bounded: when it is full, a verb that needs more room rejects with
 * `StoreUnavailableError`, and live entries are never dropped. Expired entries make room at once. It has no timer, and
 * nothing to close.
 *
 * @example
 * ```ts
 * const store = createMemoryStore({ maxEntries: 100_000 });
 *
 * // Counts the visits of a name, for an hour from the first.
 * app.get<{ Params: { name: string } }>('/visits/:name', async ({ params }) => {
 *   const { value, remainingMillis } = await store.increment(`visits:${params.name}`, 3_600_000);
 *   return { visits: value, startsAnewInMinutes: Math.ceil(remainingMillis / 60_000) };
 * });
 * ```
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): TtlStore {
  const { maxEntries, maxBytes, now } = readOptions<Required<MemoryStoreOptions>>(
    { subject: 'createMemoryStore', SetupError: StoreSetupError },
    options,
    rules,
  );

  const entries = new Map<string, Entry>();
  const queue = new ExpiryQueue<Entry>();
  let bytes = 0;

  function drop(entry: Entry): void {
    entries.delete(entry.key);
    queue.remove(entry);
    bytes -= entry.keyBytes + entry.valueBytes;
    if (entry.list !== null) lists.unlist(entry.list, entry.key);
  }

  function dropFirstExpired(moment: number): boolean {
    const first = queue.first();
    if (first === undefined || first.expiresAt > moment) return false;
    drop(first);
    return true;
  }

  function findLive(key: string, moment: number): Entry | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt > moment) return entry;
    drop(entry);
    return undefined;
  }

  function makeRoom(moreEntries: number, moreBytes: number, moment: number): void {
    for (let swept = 0; swept < SWEEP_PER_WRITE && dropFirstExpired(moment); swept += 1);
    while (entries.size + moreEntries > maxEntries || bytes + moreBytes > maxBytes) {
      if (!dropFirstExpired(moment)) throw new StoreUnavailableError({ cause: new Error('The memory store is full') });
    }
  }

  function add(key: string, value: string, expiresAt: number, moment: number, list: string | null = null): void {
    const keyBytes = Buffer.byteLength(key);
    const valueBytes = Buffer.byteLength(value);
    makeRoom(1, keyBytes + valueBytes, moment);
    const entry: Entry = { key, keyBytes, value, valueBytes, expiresAt, position: 0, list };
    entries.set(key, entry);
    queue.add(entry);
    bytes += keyBytes + valueBytes;
  }

  /** Replaces the value of a live entry. `expiresAt` may be unchanged. */
  function replace(entry: Entry, value: string, expiresAt: number, moment: number): void {
    const valueBytes = Buffer.byteLength(value);
    // A value that doesn't grow needs no room, even in a full store.
    if (valueBytes > entry.valueBytes) makeRoom(0, valueBytes - entry.valueBytes, moment);
    bytes += valueBytes - entry.valueBytes;
    entry.value = value;
    entry.valueBytes = valueBytes;
    if (expiresAt === entry.expiresAt) return;
    entry.expiresAt = expiresAt;
    queue.reorder(entry);
  }

  const lists = createMemoryLists({
    now,
    isLive: (key, moment) => findLive(key, moment) !== undefined,
    put(list, key, expiresAt, moment) {
      const entry = findLive(key, moment);
      if (entry === undefined) add(key, '', expiresAt, moment, list);
      else replace(entry, '', expiresAt, moment);
      return entry === undefined;
    },
    remove(key, moment) {
      const entry = findLive(key, moment);
      if (entry !== undefined) drop(entry);
      return entry !== undefined;
    },
  });

  const marks = createMemoryMarks({ now, findLive, add, replace, compareAndSet });

  async function compareAndSet(key: string, expected: string | null, value: string, ttlMillis: number) {
    assertWrite(key, value, ttlMillis);
    if (expected !== null) assertExpected(expected);
    const moment = now();
    const entry = findLive(key, moment);
    if ((entry?.value ?? null) !== expected) return false;
    if (entry === undefined) add(key, value, moment + ttlMillis, moment);
    else replace(entry, value, moment + ttlMillis, moment);
    return true;
  }

  // The verbs are atomic because they await nothing.
  return {
    lifetime: 'process',
    marks,
    lists: lists.verbs,
    compareAndSet,
    changeAll: createMemoryChanges({ now, findLive, add, replace, drop, makeRoom }),

    async setIfAbsent(key, value, ttlMillis) {
      assertWrite(key, value, ttlMillis);
      const moment = now();
      if (findLive(key, moment) !== undefined) return false;
      add(key, value, moment + ttlMillis, moment);
      return true;
    },

    async get(key) {
      assertKey(key);
      return findLive(key, now())?.value ?? null;
    },

    async getAll(keys) {
      assertKeys(keys);
      const moment = now();
      return keys.map((key) => findLive(key, moment)?.value ?? null);
    },

    async set(key, value, ttlMillis) {
      assertWrite(key, value, ttlMillis);
      const moment = now();
      const entry = findLive(key, moment);
      if (entry === undefined) add(key, value, moment + ttlMillis, moment);
      else replace(entry, value, moment + ttlMillis, moment);
    },

    async take(key) {
      assertKey(key);
      const entry = findLive(key, now());
      if (entry === undefined) return null;
      drop(entry);
      return entry.value;
    },

    async increment(key, ttlMillis, by = 1): Promise<Counter> {
      assertIncrement(key, ttlMillis, by);
      const moment = now();
      const entry = findLive(key, moment);
      const value = addToCounter(entry?.value ?? '0', by);
      const expiresAt = entry?.expiresAt ?? moment + ttlMillis;
      if (entry === undefined) add(key, String(value), expiresAt, moment);
      else replace(entry, String(value), expiresAt, moment);
      return { value, remainingMillis: Math.max(1, Math.ceil(expiresAt - moment)) };
    },

    async compareAndDelete(key, expected) {
      assertKey(key);
      assertExpected(expected);
      const entry = findLive(key, now());
      if (entry?.value !== expected) return false;
      drop(entry);
      return true;
    },

    async delete(key) {
      assertKey(key);
      const entry = findLive(key, now());
      if (entry === undefined) return false;
      drop(entry);
      return true;
    },

    async time() {
      return Math.floor(now());
    },
  };
}
