import assert from 'node:assert/strict';
import { type Change, MAX_CHANGES_AT_ONCE, type TtlStore } from '../contract/index.js';
import { assertOneWinner, assertRefused, CALLERS, LONG, PAST_SHORT, race, type Scenarios, SHORT } from './scenario.js';

/** Null: the store has no `changeAll`, and nothing to prove. */
function changerOf(store: TtlStore): NonNullable<TtlStore['changeAll']> | null {
  return store.changeAll?.bind(store) ?? null;
}

const isDone = ({ done }: { readonly done: boolean }) => done;

export const changeScenarios: Scenarios = {
  async 'changeAll carries out every change, and says what it counted'({ store, key }) {
    const changeAll = changerOf(store);
    if (changeAll === null) return;
    assert.deepEqual(await changeAll([]), { done: true, counters: [] });
    const [replaced, over, kept, counted] = ['replaced', 'over', 'kept', 'counted'].map((end) => `${key}:${end}`);
    for (const each of [replaced!, over!, kept!]) await store.set(each, 'first', LONG);
    await store.set(counted!, '41', LONG);
    const changed = await changeAll([
      { key, expected: null, value: 'new', ttlMillis: LONG },
      { key: replaced!, expected: 'first', value: '', ttlMillis: LONG },
      { key: over!, value: 'second', ttlMillis: LONG },
      { key: kept!, expected: 'first' },
      { key: `${key}:absent`, expected: null },
      { key: counted!, by: 1, ttlMillis: 10 * LONG, most: 42 },
      { key: `${key}:fresh`, by: -7, ttlMillis: LONG },
    ]);
    assert.ok(changed.done);
    assert.deepEqual(
      changed.counters.map((counter) => counter?.value ?? null),
      [null, null, null, null, null, 42, -7],
    );
    for (const counter of changed.counters.slice(5)) {
      const { remainingMillis } = counter!;
      assert.ok(remainingMillis > LONG / 2 && remainingMillis <= LONG, `${remainingMillis}`);
    }
    const all = [key, replaced!, over!, kept!, `${key}:absent`, counted!, `${key}:fresh`];
    assert.deepEqual(await Promise.all(all.map((each) => store.get(each))), [
      'new',
      '',
      'second',
      'first',
      null,
      '42',
      '-7',
    ]);
  },

  async 'changeAll changes nothing if one value is not the expected one, and says what it found'({ store, key }) {
    const changeAll = changerOf(store);
    if (changeAll === null) return;
    await store.set(key, 'value', LONG);
    await store.set(`${key}:count`, '5', LONG);
    const others: readonly Change[] = [
      { key: `${key}:absent`, expected: null, value: 'written', ttlMillis: LONG },
      { key: `${key}:count`, by: 1, ttlMillis: LONG },
    ];
    const values = [null, '5', 'value'];
    const refusing: readonly Change[] = [
      { key, expected: 'other' },
      { key, expected: '' },
      { key, expected: null },
      { key, expected: 'other', value: 'written', ttlMillis: LONG },
      { key, expected: null, value: 'written', ttlMillis: LONG },
    ];
    for (const change of refusing) {
      assert.deepEqual(await changeAll([...others, change]), { done: false, values });
    }
    const absent = { key: `${key}:none`, expected: '' };
    assert.deepEqual(await changeAll([absent, ...others]), { done: false, values: [null, null, '5'] });
    assert.deepEqual(await Promise.all([`${key}:absent`, `${key}:count`, key].map((each) => store.get(each))), values);
  },

  async 'changeAll changes nothing if one sum would exceed its most'({ store, key }) {
    const changeAll = changerOf(store);
    if (changeAll === null) return;
    await store.set(key, '5', LONG);
    const other = { key: `${key}:other`, by: 1, ttlMillis: LONG };
    const count = (by: number, most: number) => changeAll([other, { key, by, ttlMillis: LONG, most }]);
    assert.deepEqual(await count(1, 5), { done: false, values: [null, '5'] });
    assert.deepEqual(await changeAll([{ key: `${key}:none`, by: 1, ttlMillis: LONG, most: 0 }, other]), {
      done: false,
      values: [null, null],
    });
    assert.deepEqual([await store.get(key), await store.get(other.key)], ['5', null]);
    assert.deepEqual([await count(1, 6), await count(-9, -3)].map(isDone), [true, true]);
    assert.deepEqual([await store.get(key), await store.get(other.key)], ['-3', '2']);
  },

  async 'changeAll changes nothing if one sum would fall below its least, and deletes'({ store, key }) {
    const changeAll = changerOf(store);
    if (changeAll === null) return;
    await store.set(key, '2', LONG);
    await store.set(`${key}:old`, 'old', LONG);
    const deleted: readonly Change[] = [
      { key: `${key}:old`, expected: 'old', value: null },
      { key: `${key}:absent`, value: null },
    ];
    const count = (by: number, least: number) => changeAll([...deleted, { key, by, ttlMillis: LONG, least }]);
    assert.deepEqual(await count(-3, 0), { done: false, values: ['old', null, '2'] });
    assert.deepEqual([await store.get(key), await store.get(`${key}:old`)], ['2', 'old']);
    assert.equal((await count(-2, 0)).done, true);
    assert.deepEqual([await store.get(key), await store.get(`${key}:old`)], ['0', null]);
    assert.equal((await changeAll([{ key: `${key}:old`, expected: 'old', value: null }])).done, false);
    assert.equal((await changeAll([{ key: `${key}:none`, by: -1, ttlMillis: LONG, least: 0 }])).done, false);
    assert.equal(await store.get(`${key}:none`), null);
  },

  async 'changeAll takes an expired entry for an absent one, and sets a TTL as the verbs do'({ store, key, advance }) {
    const changeAll = changerOf(store);
    if (changeAll === null) return;
    await store.set(key, 'expired', SHORT);
    await store.increment(`${key}:count`, SHORT, 1000);
    await store.set(`${key}:shorter`, 'value', LONG);
    const written = await changeAll([{ key: `${key}:shorter`, expected: 'value', value: 'value', ttlMillis: SHORT }]);
    assert.equal(written.done, true);
    await advance(PAST_SHORT);
    const changed = await changeAll([
      { key, expected: null, value: 'new', ttlMillis: SHORT },
      { key: `${key}:count`, by: 1, ttlMillis: SHORT, most: 1 },
      { key: `${key}:shorter`, expected: null },
    ]);
    assert.equal(changed.done, true);
    await advance(PAST_SHORT);
    assert.deepEqual([await store.get(key), await store.get(`${key}:count`)], [null, null]);
  },

  async 'changeAll refuses what the verbs refuse, a key twice and too many changes'({ store, key }) {
    const changeAll = changerOf(store);
    if (changeAll === null) return;
    await store.set(`${key}:text`, 'one', LONG);
    const good = { key, by: 1, ttlMillis: LONG };
    const refused: Readonly<Record<string, unknown>> = {
      'a value that is no counter': [good, { key: `${key}:text`, by: 1, ttlMillis: LONG }],
      'a key twice': [good, good],
      'a bad key': [good, { key: '', expected: null }],
      'a bad value': [good, { key: `${key}:b`, value: '\u0000', ttlMillis: LONG }],
      'a bad expected value': [good, { key: `${key}:b`, expected: 1 }],
      'no condition and no change': [good, { key: `${key}:b` }],
      'a bad TTL': [good, { key: `${key}:b`, value: '', ttlMillis: 0 }],
      'a bad amount': [good, { key: `${key}:b`, by: 0.5, ttlMillis: LONG }],
      'a bad least': [good, { key: `${key}:b`, by: 1, ttlMillis: LONG, least: 0.5 }],
      'a bad most': [good, { key: `${key}:b`, by: 1, ttlMillis: LONG, most: Number.NaN }],
      'no list': 'changes',
      'too many': Array.from({ length: MAX_CHANGES_AT_ONCE + 1 }, (_, at) => ({ ...good, key: `${key}:${at}` })),
    };
    for (const [what, changes] of Object.entries(refused)) {
      await assertRefused(async () => changeAll(changes as readonly Change[]), `changeAll with ${what}`);
    }
    assert.equal(await store.get(key), null);
    const most = Array.from({ length: MAX_CHANGES_AT_ONCE }, (_, at) => ({ ...good, key: `${key}:${at}` }));
    assert.equal((await changeAll(most)).done, true);
  },

  async 'of concurrent changeAll exactly those that fit are carried out, each as a whole'({ store, openings, key }) {
    if (changerOf(store) === null) return;
    const limit = 7;
    const results = await race(openings, (opening, caller) =>
      // Half of them name the keys in the other order.
      opening.changeAll!(
        [
          { key: `${key}:narrow`, by: 1, ttlMillis: LONG, most: limit },
          { key: `${key}:wide`, by: 1, ttlMillis: LONG },
          { key: `${key}:of:${caller}`, expected: null, value: 'taken', ttlMillis: LONG },
        ].sort(() => (caller % 2 === 0 ? 1 : -1)),
      ),
    );
    assert.equal(results.filter(isDone).length, limit);
    assert.deepEqual([await store.get(`${key}:narrow`), await store.get(`${key}:wide`)], [`${limit}`, `${limit}`]);
    const own = await race(openings, (opening, caller) => opening.get(`${key}:of:${caller}`));
    assert.deepEqual(
      own.map((value) => value === 'taken'),
      results.map(isDone),
    );
  },

  async 'of concurrent changeAll from one value exactly one wins'({ store, openings, key }) {
    if (changerOf(store) === null) return;
    const results = await race(openings, (opening, caller) =>
      opening.changeAll!([
        { key, expected: null, value: `${caller}`, ttlMillis: LONG },
        { key: `${key}:count`, by: 1, ttlMillis: LONG },
      ]),
    );
    assertOneWinner(results.map(isDone));
    assert.equal(await store.get(key), `${results.findIndex(isDone)}`);
    assert.equal(await store.get(`${key}:count`), '1');
  },

  async 'concurrent changeAll that lose find what the winner wrote and counted, as a whole'({ openings, key }) {
    if (changerOf(openings[0]!) === null) return;
    const results = await race(openings, (opening, caller) =>
      opening.changeAll!([
        { key: `${key}:count`, by: 1, ttlMillis: LONG, most: 1 },
        { key, expected: null, value: `${caller}`, ttlMillis: LONG },
      ]),
    );
    assertOneWinner(results.map(isDone));
    const found = ['1', `${results.findIndex(isDone)}`];
    for (const result of results) if (!result.done) assert.deepEqual(result.values, found);
  },

  async 'changeAll and increment on one counter lose no call'({ store, openings, key }) {
    if (changerOf(store) === null) return;
    await race<unknown>(openings, (opening, caller) =>
      caller % 2 === 0 ? opening.increment(key, LONG) : opening.changeAll!([{ key, by: 1, ttlMillis: LONG }]),
    );
    assert.equal(await store.get(key), `${CALLERS}`);
  },
};
