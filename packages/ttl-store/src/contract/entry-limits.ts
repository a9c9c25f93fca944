import { MAX_KEY_BYTES, MAX_TTL_MILLIS, MAX_VALUE_BYTES } from './ttl-store.js';

/*
 * What may enter a store, checked before any store is asked: all stores refuse the same things with the same words.
 * No message contains the key or the value, which may be secrets.
 */

// PostgreSQL can't hold U+0000 in text, and a lone surrogate has no UTF-8: two of them would become one key.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

function assertText(what: 'key' | 'value' | 'expected value', text: string, minBytes: number, maxBytes: number): void {
  if (typeof text !== 'string') throw new TypeError(`The ${what} must be a string, not ${describe(text)}`);
  const bytes = Buffer.byteLength(text);
  if (bytes < minBytes || bytes > maxBytes) {
    throw new TypeError(`The ${what} must have ${minBytes} to ${maxBytes} bytes of UTF-8; it has ${bytes}`);
  }
  if (UNSTORABLE.test(text)) throw new TypeError(`The ${what} must be well-formed Unicode without U+0000`);
}

/** Each of these throws a `TypeError` unless what it is named after may enter a store. */
export function assertKey(key: string): void {
  assertText('key', key, 1, MAX_KEY_BYTES);
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

function assertTtl(ttlMillis: number): void {
  if (Number.isSafeInteger(ttlMillis) && ttlMillis >= 1 && ttlMillis <= MAX_TTL_MILLIS) return;
  throw new TypeError(
    `ttlMillis must be a whole number of milliseconds from 1 to ${MAX_TTL_MILLIS}, not ${describe(ttlMillis)}`,
  );
}

/** Numbers are shown; of anything else, which may be a misplaced secret, only the type. */
function describe(value: unknown): string {
  return typeof value === 'number' ? String(value) : value === null ? 'null' : `of type ${typeof value}`;
}
