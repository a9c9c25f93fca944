import assert from 'node:assert/strict';
import { MAX_KEY_BYTES, MAX_TTL_MILLIS, MAX_VALUE_BYTES, type TtlStore } from '../contract/index.js';
import { assertRefused, LONG, type Scenarios } from './scenario.js';

// Well-formed texts that a protocol, a pattern, a query or a decoder could misread.
const HOSTILE_TEXTS = [
  ...['*', '?', '[a-z]', ':', '::', '{tag}', '{', '}', '{}', '%', '_', '%s', '\\', '\\0', '/', '../..', '$1', '{{x}}'],
  ...[
    "'",
    '"',
    '`',
    "'; drop table ttl_entries; --",
    '--',
    '/*',
    '\n',
    '\r\n',
    '\t',
    ' ',
    '\u0001',
    '\u007f',
    '\u0085',
  ],
  ...['*3\r\n$3\r\nSET\r\n', 'null', 'undefined', 'true', '0', '-1', 'NaN', '__proto__', 'constructor', 'toString'],
  ...[
    '😀',
    '👩‍👩‍👧‍👦',
    '𝒳',
    'ß',
    'İ',
    'ﷺ',
    'e\u0301',
    '\u202e',
    '\u200b',
    '\ufeff',
    '\uffff',
    '\ufffd',
    '\u2028',
    '漢字',
    'مرحبا',
  ],
];

const UNSTORABLE_TEXTS = {
  'U+0000': 'a\u0000b',
  'a high surrogate alone': 'a\ud800b',
  'a low surrogate alone': '\udc00',
  'surrogates in the wrong order': '\udc00\ud800',
};

// 'あ' has three bytes of UTF-8: the limits count bytes, not characters.
const LONGEST_KEY = 'あ'.repeat(Math.floor(MAX_KEY_BYTES / 3)) + 'a'.repeat(MAX_KEY_BYTES % 3);
const LONGEST_VALUE = 'あ'.repeat(Math.floor(MAX_VALUE_BYTES / 3)) + 'a'.repeat(MAX_VALUE_BYTES % 3);

/** Every verb that takes a key. */
function everyVerb(
  store: TtlStore,
  key: string,
): Readonly<
  Record<keyof Omit<TtlStore, 'lifetime' | 'time' | 'marks' | 'lists' | 'getAll' | 'changeAll'>, () => Promise<unknown>>
> {
  return {
    setIfAbsent: () => store.setIfAbsent(key, 'value', LONG),
    get: () => store.get(key),
    set: () => store.set(key, 'value', LONG),
    take: () => store.take(key),
    increment: () => store.increment(key, LONG),
    compareAndSet: () => store.compareAndSet(key, 'expected', 'value', LONG),
    compareAndDelete: () => store.compareAndDelete(key, 'expected'),
    delete: () => store.delete(key),
  };
}

/** Every verb that takes a value, with this value in each position. */
function everyValue(store: TtlStore, key: string, value: string): Readonly<Record<string, () => Promise<unknown>>> {
  return {
    setIfAbsent: () => store.setIfAbsent(`${key}:absent`, value, LONG),
    set: () => store.set(key, value, LONG),
    compareAndSet: () => store.compareAndSet(key, 'present', value, LONG),
    'compareAndSet of an absent key': () => store.compareAndSet(`${key}:absent`, null, value, LONG),
    'compareAndSet that expects it': () => store.compareAndSet(key, value, 'other', LONG),
    'compareAndDelete that expects it': () => store.compareAndDelete(key, value),
  };
}

function everyTtl(store: TtlStore, key: string, ttlMillis: number): Readonly<Record<string, () => Promise<unknown>>> {
  return {
    setIfAbsent: () => store.setIfAbsent(`${key}:absent`, 'other', ttlMillis),
    set: () => store.set(key, 'other', ttlMillis),
    increment: () => store.increment(`${key}:absent`, ttlMillis),
    compareAndSet: () => store.compareAndSet(key, 'present', 'other', ttlMillis),
    'compareAndSet of an absent key': () => store.compareAndSet(`${key}:absent`, null, 'other', ttlMillis),
  };
}

async function assertAllRefused(
  store: TtlStore,
  key: string,
  calls: Readonly<Record<string, () => Promise<unknown>>>,
  what: string,
): Promise<void> {
  await store.set(key, 'present', LONG);
  for (const [verb, call] of Object.entries(calls)) await assertRefused(call, `${verb} with ${what}`);
  assert.equal(await store.get(key), 'present', `${what}: a refused call must change nothing`);
  assert.equal(await store.get(`${key}:absent`), null, `${what}: a refused call must create nothing`);
}

export const limitScenarios: Scenarios = {
  async 'hostile keys and values come back as they went in, each under its own key'({ store, key }) {
    for (const text of HOSTILE_TEXTS) assert.equal(await store.setIfAbsent(key + text, text, LONG), true, text);
    for (const text of HOSTILE_TEXTS) assert.equal(await store.get(key + text), text);
    for (const text of HOSTILE_TEXTS) assert.equal(await store.compareAndSet(key + text, text, `${text}!`, LONG), true);
    for (const text of HOSTILE_TEXTS) assert.equal(await store.compareAndDelete(key + text, `${text}!`), true);
    assert.equal(await store.get(key), null);
  },

  async 'the longest key and the longest value fit'({ store }) {
    await store.set(LONGEST_KEY, LONGEST_VALUE, LONG);
    assert.equal(await store.get(LONGEST_KEY), LONGEST_VALUE);
    assert.equal(await store.compareAndSet(LONGEST_KEY, LONGEST_VALUE, 'short', LONG), true);
    assert.equal(await store.take(LONGEST_KEY), 'short');
  },

  async 'the longest key fits even if it cannot be compressed'({ store, key }) {
    const noise = Array.from({ length: MAX_KEY_BYTES }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90)));
    const longest = (key + noise.join('')).slice(0, MAX_KEY_BYTES);
    assert.equal(await store.setIfAbsent(longest, 'value', LONG), true);
    assert.equal(await store.take(longest), 'value');
  },

  async 'every verb refuses a key that is empty, too long or not a string'({ store }) {
    const keys = { 'an empty key': '', 'a key one byte too long': `${LONGEST_KEY}a` };
    for (const [what, key] of Object.entries(keys)) {
      for (const [verb, call] of Object.entries(everyVerb(store, key)))
        await assertRefused(call, `${verb} with ${what}`);
    }
    for (const key of [undefined, null, 1, {}, ['a']]) {
      const calls = everyVerb(store, key as unknown as string);
      for (const [verb, call] of Object.entries(calls)) await assertRefused(call, `${verb} with the key ${key}`);
    }
  },

  async 'every verb refuses a key with U+0000 or a lone surrogate'({ store, key }) {
    for (const [what, text] of Object.entries(UNSTORABLE_TEXTS)) {
      const calls = everyVerb(store, key + text);
      for (const [verb, call] of Object.entries(calls)) await assertRefused(call, `${verb} with ${what}`);
    }
  },

  async 'a value too long, malformed or not a string is refused and changes nothing'({ store, key }) {
    const values = { 'a value one byte too long': `${LONGEST_VALUE}a`, ...UNSTORABLE_TEXTS };
    for (const [what, value] of Object.entries(values)) {
      await assertAllRefused(store, key, everyValue(store, key, value), what);
    }
    for (const value of [undefined, 1, {}]) {
      await assertAllRefused(store, key, everyValue(store, key, value as unknown as string), `the value ${value}`);
    }
  },

  async 'a TTL that is not a whole number of milliseconds in its range is refused and changes nothing'({ store, key }) {
    const notTtls = [
      0,
      -1,
      0.5,
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      MAX_TTL_MILLIS + 1,
      -MAX_TTL_MILLIS,
      2 ** 63,
    ];
    for (const ttlMillis of [...notTtls, undefined, null, '1000'] as number[]) {
      await assertAllRefused(store, key, everyTtl(store, key, ttlMillis), `the TTL ${ttlMillis}`);
    }
  },

  async 'the shortest and the longest TTL are accepted'({ store, key }) {
    await store.set(`${key}:shortest`, 'value', 1);
    await store.set(`${key}:longest`, 'value', MAX_TTL_MILLIS);
    const { remainingMillis } = await store.increment(`${key}:counter`, MAX_TTL_MILLIS);
    assert.ok(remainingMillis > MAX_TTL_MILLIS - LONG && remainingMillis <= MAX_TTL_MILLIS, `${remainingMillis}`);
    assert.equal(await store.get(`${key}:longest`), 'value');
    assert.ok((await store.increment(`${key}:tick`, 1)).remainingMillis === 1);
  },

  async 'increment refuses an amount that is not a safe integer'({ store, key }) {
    for (const by of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53), '1', null] as number[]) {
      await assertRefused(() => store.increment(key, LONG, by), `the amount ${by}`);
    }
    assert.equal(await store.get(key), null);
  },
};
