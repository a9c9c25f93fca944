/** The result of `TtlStore.increment`. */
export interface Counter {
  /** The value after the addition. */
  readonly value: number;
  /** Milliseconds until the counter expires; at least 1. */
  readonly remainingMillis: number;
}

/**
 * One of the changes that `TtlStore.changeAll` carries out together:
 * - with `by`: adds to a counter as `increment` does, if the sum is from `least` to `most` (default: any sum);
 * - with `value`: writes value and TTL, if the present value is exactly `expected` (default: any value; null: absent);
 * - with `value: null`: deletes the key, with the same condition;
 * - with `expected` alone: changes nothing, but none of the others is carried out unless it is the present value.
 */
export type Change = RequiredValue | WrittenValue | DeletedKey | AddedCount;

export interface RequiredValue {
  readonly key: string;
  readonly expected: string | null;
}

export interface WrittenValue {
  readonly key: string;
  readonly expected?: string | null;
  readonly value: string;
  readonly ttlMillis: number;
}

export interface DeletedKey {
  readonly key: string;
  readonly expected?: string | null;
  readonly value: null;
}

export interface AddedCount {
  readonly key: string;
  readonly by: number;
  readonly ttlMillis: number;
  readonly least?: number;
  readonly most?: number;
}

/** The result of `TtlStore.changeAll`. Its lists are in the order of the changes. */
export type Changes =
  /** Every change was carried out. Null in place of those that are no counters. */
  | { readonly done: true; readonly counters: readonly (Counter | null)[] }
  /** Nothing was changed. The values that were found; null: absent. */
  | { readonly done: false; readonly values: readonly (string | null)[] };

/** The largest number of changes that one `changeAll` takes. */
export const MAX_CHANGES_AT_ONCE = 32;

export function isCount(change: Change): change is AddedCount {
  return 'by' in change;
}

export function isWrite(change: Change): change is WrittenValue | DeletedKey {
  return 'value' in change;
}

/** Whether the sum is within the bounds of the count. */
export function isWithin({ least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER }: AddedCount, sum: number) {
  return sum >= least && sum <= most;
}

/** Whether the present value allows the change. The sum of a counter is checked apart. */
export function isExpected(change: Exclude<Change, AddedCount>, present: string | null): boolean {
  return change.expected === undefined || change.expected === present;
}
