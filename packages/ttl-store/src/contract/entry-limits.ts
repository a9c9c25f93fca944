import { type Change, isCount, isWrite, MAX_CHANGES_AT_ONCE } from './store-changes.js';
import { LIST_KEY_START, MAX_ITEM_LENGTH, MAX_LIST_LIMIT, MAX_LIST_NAME_LENGTH } from './store-lists.js';
import type { MarkedEntry, MarkTerms } from './store-marks.js';
import { MAX_KEY_BYTES, MAX_KEYS_AT_ONCE, MAX_TTL_MILLIS, MAX_VALUE_BYTES } from './ttl-store.js';

/*
 * The checks before any store is called, so that all stores refuse the same keys, values and counters with the same
 * words. No message contains the key or the value, which may be secrets.
 */

// PostgreSQL can't store U+0000 in text. Lone surrogates have no UTF-8, so two such keys would become one.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Printable ASCII, from the blank to the tilde. */
const PRINTABLE = /^[ -~]+$/;

/** The year 5138. Beyond it, the clocks of stores have different limits. */
const MAX_TIME_MILLIS = 1e14;

/**
 * A counter is a safe integer in plain decimal, without plus sign, blanks or leading zeros. Every store refuses other
 * texts, though Redis and PostgreSQL would each accept some of them. A safe integer has at most 16 digits.
 */
const COUNTER_TEXT = /^(?:0|-?[1-9][0-9]{0,15})$/;

/** The sum of a counter's text and `by`. Throws a `TypeError` if the text is not a counter or the sum is not safe. */
export function addToCounter(text: string, by: number): number {
  const value = COUNTER_TEXT.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || !Number.isSafeInteger(value + by)) throw notACounter();
  return value + by;
}

/** The error of every store for a value that can't be incremented. */
export function notACounter(): TypeError {
  return new TypeError('The value under this key is not an integer, or the sum is beyond the safe integers');
}

function assertText(what: 'key' | 'value' | 'expected value', text: string, minBytes: number, maxBytes: number): void {
  if (typeof text !== 'string') throw new TypeError(`The ${what} must be a string, not ${describe(text)}`);
  const bytes = Buffer.byteLength(text);
  if (bytes < minBytes || bytes > maxBytes) {
    throw new TypeError(`The ${what} must have ${minBytes} to ${maxBytes} bytes of UTF-8; it has ${bytes}`);
  }
  if (UNSTORABLE.test(text)) throw new TypeError(`The ${what} must be well-formed Unicode without U+0000`);
}

/** Each `assert…` throws a `TypeError` for arguments that a store must not take. */
export function assertKey(key: string): void {
  assertText('key', key, 1, MAX_KEY_BYTES);
  if (key.startsWith(LIST_KEY_START)) throw new TypeError('The key must not begin as those of lists do');
}

export function assertKeys(keys: readonly string[]): void {
  if (!Array.isArray(keys) || keys.length > MAX_KEYS_AT_ONCE) {
    throw new TypeError(`The keys must be a list of at most ${MAX_KEYS_AT_ONCE}`);
  }
  for (const key of keys) assertKey(key);
}

export function assertExpected(expected: string): void {
  assertText('expected value', expected, 0, MAX_VALUE_BYTES);
}

export function assertWrite(key: string, value: string, ttlMillis: number): void {
  assertKey(key);
  assertText('value', value, 0, MAX_VALUE_BYTES);
  assertTtl(ttlMillis);
}

export function assertIncrement(key: string, ttlMillis: number, by: number): void {
  assertKey(key);
  assertTtl(ttlMillis);
  if (!Number.isSafeInteger(by)) throw new TypeError(`by must be a safe integer, not ${describe(by)}`);
}

/** A key may occur once only, because no change sees another. */
export function assertChanges(changes: readonly Change[]): void {
  if (!Array.isArray(changes) || changes.length > MAX_CHANGES_AT_ONCE) {
    throw new TypeError(`The changes must be a list of at most ${MAX_CHANGES_AT_ONCE}`);
  }
  for (const change of changes) assertChange(change);
  if (new Set(changes.map(({ key }) => key)).size < changes.length) {
    throw new TypeError('The changes must have different keys');
  }
}

function assertChange(change: Change): void {
  if (isCount(change)) {
    const { key, ttlMillis, by, least = 0, most = 0 } = change;
    assertIncrement(key, ttlMillis, by);
    for (const [name, bound] of Object.entries({ least, most })) {
      if (!Number.isSafeInteger(bound)) throw new TypeError(`${name} must be a safe integer, not ${describe(bound)}`);
    }
    return;
  }
  const { key, expected } = change;
  if (isWrite(change) && change.value !== null) assertWrite(key, change.value, change.ttlMillis);
  else assertKey(key);
  if (expected === undefined ? !isWrite(change) : expected !== null) assertExpected(expected as string);
}

/** Checks the part number for a store with this many parts. */
export function assertPart(part: number, parts: number): void {
  if (Number.isSafeInteger(part) && part >= 0 && part < parts) return;
  throw new TypeError(`part must be a whole number from 0 to ${parts - 1}, not ${describe(part)}`);
}

export function assertMark({ key, value, run, minExpiresAt }: MarkTerms): void {
  assertKey(key);
  assertText('value', value, 0, MAX_VALUE_BYTES);
  assertText('value', run, 0, MAX_VALUE_BYTES);
  assertTime('minExpiresAt', minExpiresAt);
}

export function assertMarkedEntry({ key, value, ttlMillis, keepUntil, notBefore, notAfter }: MarkedEntry): void {
  assertWrite(key, value, ttlMillis);
  assertTime('keepUntil', keepUntil);
  assertTime('notBefore', notBefore);
  assertTime('notAfter', notAfter);
}

/** `after` of a read is also an item. */
export function assertItem(list: string, item: string): void {
  assertPrintable('list', list, MAX_LIST_NAME_LENGTH);
  assertPrintable('item', item, MAX_ITEM_LENGTH);
}

export function assertListRead(list: string, after: string | null, limit: number): void {
  assertItem(list, after ?? '-');
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_LIST_LIMIT) return;
  throw new TypeError(`limit must be a whole number from 1 to ${MAX_LIST_LIMIT}, not ${describe(limit)}`);
}

function assertPrintable(what: 'list' | 'item', text: string, maxLength: number): void {
  if (typeof text === 'string' && text.length <= maxLength && PRINTABLE.test(text)) return;
  throw new TypeError(`The ${what} must have 1 to ${maxLength} characters of printable ASCII`);
}

function assertTime(name: string, millis: number): void {
  if (Number.isSafeInteger(millis) && Math.abs(millis) <= MAX_TIME_MILLIS) return;
  throw new TypeError(`${name} must be whole milliseconds since 1970, not ${describe(millis)}`);
}

export function assertTtl(ttlMillis: number): void {
  if (Number.isSafeInteger(ttlMillis) && ttlMillis >= 1 && ttlMillis <= MAX_TTL_MILLIS) return;
  throw new TypeError(
    `ttlMillis must be a whole number of milliseconds from 1 to ${MAX_TTL_MILLIS}, not ${describe(ttlMillis)}`,
  );
}

/** Shows numbers, but only the type of other values: they may be misplaced secrets. */
function describe(value: unknown): string {
  return typeof value === 'number' ? String(value) : value === null ? 'null' : `of type ${typeof value}`;
}
