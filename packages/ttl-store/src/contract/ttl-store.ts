import type { Change, Changes, Counter } from './store-changes.js';
import type { StoreLists } from './store-lists.js';
import type { StoreMarks } from './store-marks.js';

/**
 * A store of small texts under keys that expire, with atomic verbs. Sessions, nonces, tickets, idempotency records and
 * failure counters need nothing else.
 *
 * Rules for every verb and every implementation (`./conformance` proves them):
 * - A verb is atomic: the results of concurrent calls on one key, from any number of processes, are those of some
 *   serial order.
 * - `ttlMillis` is a whole number of milliseconds from 1 to {@link MAX_TTL_MILLIS}. An entry is present until its TTL
 *   has run out, and absent from then on; an absent key and an expired one can't be distinguished.
 * - A key has 1 to {@link MAX_KEY_BYTES} bytes of UTF-8, a value at most {@link MAX_VALUE_BYTES}; both are well-formed
 *   Unicode without U+0000, and no key begins with U+0001 and `list:`, as those of `lists` do. Any other argument
 *   rejects with a `TypeError` (no verb throws) and changes nothing.
 * - A verb that can't be carried out (store unreachable, full, slower than its limit) rejects with a
 *   `StoreUnavailableError` (statusCode 503). It may still have taken effect. A caller treats it as a refusal.
 */
export interface TtlStore {
  /**
   * `process`: the entries end with this process (memory). `shared`: they outlive it, and every process that opens the
   * same store sees them.
   */
  readonly lifetime: 'process' | 'shared';

  /** Writes the value if the key is absent. Resolves to whether it did; a present value stays, with its TTL. */
  setIfAbsent(key: string, value: string, ttlMillis: number): Promise<boolean>;

  /** The value, or null if the key is absent. Doesn't touch the TTL. */
  get(key: string): Promise<string | null>;

  /**
   * The values of several keys, in their order: what `get` yields for each, in one call of the store (in a Redis
   * Cluster: in one turn). The keys are not all read at the same moment. A key may occur twice. At most
   * {@link MAX_KEYS_AT_ONCE}. All stores of this package have it. For a store without it, a caller calls `get` for each
   * key.
   */
  getAll?(keys: readonly string[]): Promise<readonly (string | null)[]>;

  /** Writes value and TTL, over any present value. */
  set(key: string, value: string, ttlMillis: number): Promise<void>;

  /** Gets and deletes: of concurrent callers exactly one receives the value, the others null. */
  take(key: string): Promise<string | null>;

  /**
   * Adds `by` (a whole number, default 1, may be negative) to the integer under the key; an absent key counts as 0. The
   * TTL is set when this call creates the key and is left alone otherwise. An integer is a safe one in plain decimal
   * ('-7', not '07', '+7' or '7.0'): any other value, and a sum beyond the safe integers, rejects with a `TypeError`
   * and changes nothing.
   */
  increment(key: string, ttlMillis: number, by?: number): Promise<Counter>;

  /**
   * Replaces value and TTL if the present value is exactly `expected`. `expected: null` means absent, so that a loop of
   * read, change, `compareAndSet` needs no second verb for the first write. Resolves to true if it was written.
   */
  compareAndSet(key: string, expected: string | null, value: string, ttlMillis: number): Promise<boolean>;

  /** Deletes the key if its value is exactly `expected`. Resolves to true if it was deleted. */
  compareAndDelete(key: string, expected: string): Promise<boolean>;

  /** Deletes the key. Resolves to true if it was present. */
  delete(key: string): Promise<boolean>;

  /**
   * Carries out all of the changes, or none: none, if a present value is not the expected one, or if a sum would exceed
   * its `most`. All of them happen at the same moment. The keys must be different ones; at most
   * {@link MAX_CHANGES_AT_ONCE}. The memory store has it, and the Redis store except on a Cluster, whose entries are in
   * several places. For a store without it, a caller makes the changes one after the other, and reverts them.
   */
  changeAll?(changes: readonly Change[]): Promise<Changes>;

  /**
   * The time by the store's clock, in whole milliseconds since 1970. Every process that opens the same store gets the
   * time of the same clock.
   */
  time(): Promise<number>;

  /**
   * Reads and writes that detect a loss of data. All stores of this package have it. A store without it can't be used
   * where a loss must not go unnoticed.
   */
  readonly marks?: StoreMarks;

  /**
   * Lists that can be read in order, page by page. All stores of this package have them. Functions that need a list
   * can't be used with a store that lacks them.
   */
  readonly lists?: StoreLists;
}

/** The longest TTL: 400 days, beyond the longest session, and small enough for every store's arithmetic. */
export const MAX_TTL_MILLIS = 400 * 24 * 3600 * 1000;

/** The longest key, in bytes of UTF-8. It always fits a PostgreSQL B-tree index. */
export const MAX_KEY_BYTES = 1024;

/** The maximum number of keys of one `getAll`. The bound lets a store answer other callers in between. */
export const MAX_KEYS_AT_ONCE = 1000;

/** The longest value, in bytes of UTF-8. Entries are records, not documents. */
export const MAX_VALUE_BYTES = 256 * 1024;
