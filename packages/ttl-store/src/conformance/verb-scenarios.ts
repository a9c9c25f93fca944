import assert from 'node:assert/strict';
import { MAX_KEYS_AT_ONCE } from '../contract/index.js';
import { assertRefused, LONG, PAST_SHORT, type Scenarios, SHORT } from './scenario.js';

// Texts that some parser takes for an integer, but that are not plain decimal or not safe.
const NOT_COUNTERS = [
  ...['', ' ', 'one', '1.5', ' 1', '1 ', '1\n', '+1', '01', '-0', '--1', '-', '1e3', '0x1F', '0b1', '1_000', '1,000'],
  ...['NaN', 'Infinity', '١', '１', 'true', '9007199254740992', '-9007199254740992', '9'.repeat(16), '9'.repeat(19)],
  ...['9'.repeat(400), '{"a":1}'],
];

// Texts that a collation, a case fold, a trim or a Unicode normalisation would confuse.
const LOOKALIKES = ['cafe', 'Cafe', 'cafe ', ' cafe', 'café', 'cafe\u0301', 'ｃａｆｅ', 'cafe\u200b', 'cafe\n'];

export const verbScenarios: Scenarios = {
  async 'setIfAbsent writes an absent key, and leaves a present value as it is'({ store, key }) {
    assert.equal(await store.setIfAbsent(key, 'first', LONG), true);
    assert.equal(await store.setIfAbsent(key, 'second', LONG), false);
    assert.equal(await store.get(key), 'first');
  },

  async 'get yields the value as often as it is asked, and null for an absent key'({ store, key }) {
    assert.equal(await store.get(key), null);
    await store.set(key, 'value', LONG);
    assert.deepEqual([await store.get(key), await store.get(key)], ['value', 'value']);
  },

  async 'getAll yields what get yields for each key, in their order'({ store, key, advance }) {
    if (store.getAll === undefined) return;
    assert.deepEqual(await store.getAll([]), []);
    const keys = [...LOOKALIKES, '\ufeff', '"', '\\', '{a}', '{b}', "'", ','].map((end) => `${key}${end}`);
    assert.deepEqual(
      await store.getAll(keys),
      keys.map(() => null),
    );
    for (const each of keys) await store.set(each, `\ufeff${each}`, LONG);
    await store.set(key, '', LONG);
    await store.set(`${key}:short`, 'value', SHORT);
    await advance(PAST_SHORT);
    const asked = [`${key}:short`, ...keys, key, `${key}:absent`, keys[0]!];
    const expected = [null, ...keys.map((each) => `\ufeff${each}`), '', null, `\ufeff${keys[0]}`];
    assert.deepEqual(await store.getAll(asked), expected);
    const bare = `\ufeff${key}`;
    await store.set(bare, 'value', LONG);
    assert.deepEqual(await store.getAll([bare, key]), ['value', '']);
  },

  async 'getAll takes its most keys, and refuses more and every key that get refuses'({ store, key }) {
    if (store.getAll === undefined) return;
    const getAll = async (keys: readonly string[]) => store.getAll?.(keys) ?? [];
    const keys = Array.from({ length: MAX_KEYS_AT_ONCE }, (_, index) => `${key}:${index}`);
    await store.set(keys.at(-1)!, 'last', LONG);
    assert.deepEqual((await getAll(keys)).slice(-2), [null, 'last']);
    await assertRefused(() => getAll([...keys, key]), 'getAll of too many keys');
    for (const bad of ['', 'a\u0000', '\ud800', undefined, 1] as string[]) {
      await assertRefused(() => getAll([key, bad]), `getAll with the key ${JSON.stringify(bad)}`);
    }
    await assertRefused(() => getAll(key as unknown as string[]), 'getAll without a list');
  },

  async 'set writes over any present value'({ store, key }) {
    assert.equal(await store.set(key, 'first', LONG), undefined);
    await store.set(key, 'second', LONG);
    assert.equal(await store.get(key), 'second');
  },

  async 'an empty value is a value, and not an absent one'({ store, key }) {
    assert.equal(await store.setIfAbsent(key, '', LONG), true);
    assert.equal(await store.setIfAbsent(key, 'other', LONG), false);
    assert.equal(await store.compareAndSet(key, null, 'other', LONG), false);
    assert.equal(await store.get(key), '');
    assert.equal(await store.take(key), '');
    assert.equal(await store.take(key), null);
  },

  async 'take yields the value once'({ store, key }) {
    assert.equal(await store.take(key), null);
    await store.set(key, 'value', LONG);
    assert.equal(await store.take(key), 'value');
    assert.equal(await store.take(key), null);
    assert.equal(await store.get(key), null);
  },

  async 'increment counts from 0, by 1 or by what is given'({ store, key }) {
    const values = [];
    for (const by of [undefined, 1, 10, 0, -15, Number.MAX_SAFE_INTEGER]) {
      values.push((await store.increment(key, LONG, by)).value);
    }
    assert.deepEqual(values, [1, 2, 12, 12, -3, Number.MAX_SAFE_INTEGER - 3]);
    assert.equal((await store.increment(`${key}:zero`, LONG, -0)).value, 0);
    assert.equal(await store.get(`${key}:zero`), '0');
  },

  async 'a counter is the text of an integer to the other verbs'({ store, key }) {
    await store.set(key, '41', LONG);
    assert.equal((await store.increment(key, LONG)).value, 42);
    assert.equal(await store.get(key), '42');
    assert.equal(await store.compareAndSet(key, '42', '-7', LONG), true);
    assert.equal((await store.increment(key, LONG)).value, -6);
    assert.equal(await store.take(key), '-6');
  },

  async 'increment says how long the counter lives, which is set at its creation and then left alone'({ store, key }) {
    const created = await store.increment(key, LONG);
    assert.ok(created.remainingMillis > LONG / 2 && created.remainingMillis <= LONG, `${created.remainingMillis}`);
    const longer = await store.increment(key, 10 * LONG);
    assert.ok(longer.remainingMillis <= created.remainingMillis, 'a later increment must not lengthen the TTL');
    const shorter = await store.increment(key, 1);
    assert.ok(shorter.remainingMillis > LONG / 2, 'a later increment must not shorten the TTL');
  },

  async 'increment refuses a value that is not an integer, and changes nothing'({ store, key }) {
    for (const text of NOT_COUNTERS) {
      await store.set(key, text, LONG);
      await assertRefused(() => store.increment(key, LONG), `increment of ${JSON.stringify(text)}`);
      assert.equal(await store.get(key), text);
    }
  },

  async 'increment refuses a sum beyond the safe integers, and changes nothing'({ store, key }) {
    const most = Number.MAX_SAFE_INTEGER;
    assert.equal((await store.increment(key, LONG, most)).value, most);
    await assertRefused(() => store.increment(key, LONG), 'a sum too large');
    await assertRefused(() => store.increment(key, LONG, most), 'a sum far too large');
    assert.equal(await store.get(key), String(most));
    assert.equal((await store.increment(key, LONG, -most)).value, 0);
    assert.equal((await store.increment(key, LONG, -most)).value, -most);
    await assertRefused(() => store.increment(key, LONG, -1), 'a sum too small');
    assert.equal(await store.get(key), String(-most));
  },

  async 'compareAndSet replaces the expected value, and nothing else'({ store, key }) {
    assert.equal(await store.compareAndSet(key, 'first', 'second', LONG), false);
    assert.equal(await store.get(key), null, 'a value that was expected but absent must not be created');
    await store.set(key, 'first', LONG);
    assert.equal(await store.compareAndSet(key, 'other', 'second', LONG), false);
    assert.equal(await store.get(key), 'first');
    assert.equal(await store.compareAndSet(key, 'first', 'second', LONG), true);
    assert.equal(await store.get(key), 'second');
  },

  async 'compareAndSet that expects null writes an absent key, and no present one'({ store, key }) {
    assert.equal(await store.compareAndSet(key, null, 'first', LONG), true);
    assert.equal(await store.compareAndSet(key, null, 'second', LONG), false);
    assert.equal(await store.get(key), 'first');
  },

  async 'compareAndDelete deletes the expected value, and nothing else'({ store, key }) {
    assert.equal(await store.compareAndDelete(key, 'value'), false);
    await store.set(key, 'value', LONG);
    assert.equal(await store.compareAndDelete(key, 'other'), false);
    assert.equal(await store.get(key), 'value');
    assert.equal(await store.compareAndDelete(key, 'value'), true);
    assert.equal(await store.get(key), null);
    assert.equal(await store.compareAndDelete(key, 'value'), false);
  },

  async 'delete resolves to whether the key was present'({ store, key }) {
    assert.equal(await store.delete(key), false);
    await store.set(key, 'value', LONG);
    assert.equal(await store.delete(key), true);
    assert.equal(await store.delete(key), false);
    assert.equal(await store.get(key), null);
  },

  async 'values that look alike are not equal'({ store, key }) {
    for (const value of LOOKALIKES) {
      await store.set(key, value, LONG);
      for (const other of LOOKALIKES.filter((candidate) => candidate !== value)) {
        assert.equal(await store.compareAndSet(key, other, 'taken', LONG), false);
        assert.equal(await store.compareAndDelete(key, other), false);
      }
      assert.equal(await store.compareAndSet(key, value, value, LONG), true);
    }
  },

  async 'keys that look alike are different keys'({ store, key }) {
    for (const end of LOOKALIKES) assert.equal(await store.setIfAbsent(`${key}${end}`, end, LONG), true);
    for (const end of LOOKALIKES) assert.equal(await store.take(`${key}${end}`), end);
    assert.equal(await store.get(key), null);
  },
};
