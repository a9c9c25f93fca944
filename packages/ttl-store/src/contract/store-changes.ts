import type { Counter } from './ttl-store.js';

/**
 * One of the changes that `TtlStore.changeAll` carries out together:
 * - with `by`: adds to a counter as `increment` does, if the sum is at most `most` (default: any sum);
 * - with `value`: writes value and TTL, if the present value is exactly `expected` (default: any value; null: absent);
 * - with `expected` alone: changes nothing, but none of the others is carried out unless it is the present value.
 */
export type Change = RequiredValue | WrittenValue | AddedCount;

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

export interface AddedCount {
  readonly key: string;
  readonly by: number;
  readonly ttlMillis: number;
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

export function isWrite(change: Change): change is WrittenValue {
  return 'value' in change;
}

/** Whether the present value allows the change. The sum of a counter is checked apart. */
export function isExpected(change: RequiredValue | WrittenValue, present: string | null): boolean {
  return change.expected === undefined || change.expected === present;
}
