/**
 * Marks show that a store has lost data. A caller keeps a mark: an entry under a key of its choice, whose expiry it
 * extends at intervals. Later reads and writes name the mark that they expect. If the store lost data, the mark is
 * absent, older, or from another run of the store, and the store does not carry them out. `createMarkKeeper` of
 * `./loss` keeps marks.
 *
 * A store may lose data in several parts independently, as the masters of a Redis Cluster do. Each part has a mark of
 * its own. An entry and the mark of its part are read and written in one atomic step, in one round trip if the mark
 * holds and the entry was absent. Times are those of the store's clock, in milliseconds since 1970.
 *
 * The rules of `TtlStore` for keys, values, lifetimes and failures apply.
 */
export interface StoreMarks {
  /** The number of parts, at least 1. Parts are numbered from 0. Every process with this store sees the same number. */
  readonly parts: number;

  /** If the mark holds, sets its expiry to `ttlMillis` from now. An expiry never moves back. */
  keep(part: number, mark: MarkTerms, ttlMillis: number): Promise<MarkSight>;

  /**
   * Writes the mark if its present value is exactly `expected` and the bounds hold, or if it is absent and `expected`
   * is null.
   */
  replace(
    part: number,
    key: string,
    expected: string | null,
    value: string,
    ttlMillis: number,
    bounds?: ReplaceBounds,
  ): Promise<boolean>;

  /** Writes the entry if it is absent, the mark holds, and the store's clock is between the two times of the entry. */
  setIfAbsent(part: number, mark: MarkTerms, entry: MarkedEntry): Promise<MarkedWrite>;

  /** The entry, if the mark holds. The store has then lost nothing since the mark was seen. */
  get(part: number, mark: MarkTerms, key: string): Promise<MarkedRead>;

  /** The key under which the verbs of the store reach an entry of a part. It is at most 8 bytes longer. */
  keyIn(part: number, key: string): string;
}

/** The conditions of a mark. The mark holds if all of them are true. */
export interface MarkTerms {
  readonly key: string;
  readonly value: string;
  /** The run of the store, as in `MarkSight`. */
  readonly run: string;
  /** The earliest expiry. An older copy of the mark has an earlier one. */
  readonly minExpiresAt: number;
}

/** Further conditions for writing a mark over another one. */
export interface ReplaceBounds {
  /** The earliest expiry of the mark that is replaced. An older copy of it has an earlier one. */
  readonly minExpiresAt: number;
  /** The last time at which the mark may be written. */
  readonly notAfter: number;
}

/** Bounds that always hold. The time is in the year 5138, which every store can compare. */
export const NO_BOUNDS: ReplaceBounds = { minExpiresAt: 0, notAfter: 1e14 };

/** The mark as the store has it. */
export interface MarkSight {
  readonly holds: boolean;
  /** The time when it was read. */
  readonly time: number;
  /**
   * Names the process that answers and the history of its data. It changes at each restart and when a replica takes
   * over. These are all events at which data may be lost without being deleted.
   */
  readonly run: string;
  /** Null if the mark is absent. */
  readonly value: string | null;
  /** The expiry of the mark, within 10 ms. 0 if the mark is absent. */
  readonly expiresAt: number;
}

/** An entry that is written at most once. */
export interface MarkedEntry {
  readonly key: string;
  readonly value: string;
  /** The minimum lifetime, in milliseconds. */
  readonly ttlMillis: number;
  /** The time until which the entry lives at least. */
  readonly keepUntil: number;
  /** The first and the last time at which the entry may be written. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface MarkedWrite extends MarkSight {
  /**
   * `written`: the entry was absent, and was written. `present`: the entry exists. `unmarked`: the mark does not hold.
   * `early` and `late`: the mark holds, but the time is not between the two times of the entry. Except for `written`,
   * nothing was written.
   */
  readonly outcome: 'written' | 'present' | 'unmarked' | 'early' | 'late';
}

export interface MarkedRead {
  readonly holds: boolean;
  /** Null if the entry is absent, or if the mark does not hold. */
  readonly value: string | null;
}

/** Why `setIfAbsent` did not write an entry, by the sight of the mark in the same atomic step. */
export function refusalOf({ holds, time }: MarkSight, entry: MarkedEntry): MarkedWrite['outcome'] {
  if (!holds) return 'unmarked';
  if (time < entry.notBefore) return 'early';
  return time > entry.notAfter ? 'late' : 'present';
}

/** Whether the mark holds. */
export function isHeld(sight: Omit<MarkSight, 'holds'>, { value, run, minExpiresAt }: MarkTerms): boolean {
  return sight.value === value && sight.run === run && sight.expiresAt >= minExpiresAt;
}
