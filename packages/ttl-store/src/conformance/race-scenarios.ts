import assert from 'node:assert/strict';
import type { TtlStore } from '../contract/index.js';
import { assertOneWinner, CALLERS, LONG, PAST_SHORT, race, type Scenarios, SHORT } from './scenario.js';

const ONE_TO_CALLERS = Array.from({ length: CALLERS }, (_, index) => index + 1);

const WORKERS = 12;

async function addByCompareAndSet(store: TtlStore, key: string): Promise<void> {
  // An attempt fails only if another worker has succeeded.
  for (let attempt = 0; attempt < WORKERS; attempt += 1) {
    const present = await store.get(key);
    if (await store.compareAndSet(key, present, String(Number(present ?? '0') + 1), LONG)) return;
  }
  assert.fail('compareAndSet refused a value that get had just returned and nobody had changed');
}

export const raceScenarios: Scenarios = {
  async 'of concurrent setIfAbsent exactly one wins, and its value stays'({ store, openings, key }) {
    const results = await race(openings, (opening, caller) => opening.setIfAbsent(key, `${caller}`, LONG));
    assertOneWinner(results);
    assert.equal(await store.get(key), `${results.indexOf(true)}`);
  },

  async 'of concurrent setIfAbsent over an expired entry exactly one wins'({ store, openings, key, advance }) {
    await store.set(key, 'expired', SHORT);
    await advance(PAST_SHORT);
    const results = await race(openings, (opening, caller) => opening.setIfAbsent(key, `${caller}`, LONG));
    assertOneWinner(results);
    assert.equal(await store.get(key), `${results.indexOf(true)}`);
  },

  async 'of concurrent take exactly one receives the value'({ store, openings, key }) {
    await store.set(key, 'value', LONG);
    const results = await race(openings, (opening) => opening.take(key));
    assertOneWinner(results.map((value) => value === 'value'));
    assert.equal(results.filter((value) => value === null).length, CALLERS - 1);
  },

  async 'concurrent increment loses no call: every sum occurs once'({ openings, key }) {
    const counters = await race(openings, (opening) => opening.increment(key, LONG));
    assert.deepEqual(
      counters.map(({ value }) => value).sort((a, b) => a - b),
      ONE_TO_CALLERS,
    );
  },

  async 'concurrent increment over an expired counter starts anew once'({ store, openings, key, advance }) {
    await store.increment(key, SHORT, 1000);
    await advance(PAST_SHORT);
    const counters = await race(openings, (opening) => opening.increment(key, LONG));
    assert.deepEqual(
      counters.map(({ value }) => value).sort((a, b) => a - b),
      ONE_TO_CALLERS,
    );
    for (const { remainingMillis } of counters) assert.ok(remainingMillis > LONG / 2, `${remainingMillis}`);
  },

  async 'of concurrent compareAndSet from one value exactly one wins'({ store, openings, key }) {
    for (const expected of [null, 'first']) {
      const name = `${key}:${expected}`;
      if (expected !== null) await store.set(name, expected, LONG);
      const results = await race(openings, (opening, caller) =>
        opening.compareAndSet(name, expected, `${caller}`, LONG),
      );
      assertOneWinner(results);
      assert.equal(await store.get(name), `${results.indexOf(true)}`);
    }
  },

  async 'loops of read, change and compareAndSet lose no change'({ store, openings, key }) {
    await Promise.all(
      ONE_TO_CALLERS.slice(0, WORKERS).map((worker) =>
        addByCompareAndSet(openings[worker % openings.length] as TtlStore, key),
      ),
    );
    assert.equal(await store.get(key), String(WORKERS));
  },

  async 'of concurrent compareAndDelete exactly one wins'({ store, openings, key }) {
    await store.set(key, 'value', LONG);
    assertOneWinner(await race(openings, (opening) => opening.compareAndDelete(key, 'value')));
    assert.equal(await store.get(key), null);
  },

  async 'of concurrent delete exactly one finds the key'({ store, openings, key }) {
    await store.set(key, 'value', LONG);
    assertOneWinner(await race(openings, (opening) => opening.delete(key)));
  },

  async 'of take, delete, compareAndDelete and compareAndSet at once exactly one has the value'({
    store,
    openings,
    key,
  }) {
    const verbs = [
      async (opening: TtlStore) => (await opening.take(key)) === 'value',
      (opening: TtlStore) => opening.compareAndDelete(key, 'value'),
      (opening: TtlStore) => opening.compareAndSet(key, 'value', 'other', LONG),
    ];
    await store.set(key, 'value', LONG);
    const results = await race(openings, (opening, caller) =>
      (verbs[caller % verbs.length] as (typeof verbs)[0])(opening),
    );
    assertOneWinner(results);
  },

  async 'setIfAbsent and compareAndDelete make a lock that one caller holds at a time'({ openings, key }) {
    let holders = 0;
    let maxHolders = 0;
    let turns = 0;
    await race(openings, async (opening, caller) => {
      if (!(await opening.setIfAbsent(key, `${caller}`, LONG))) return;
      holders += 1;
      turns += 1;
      maxHolders = Math.max(maxHolders, holders);
      await new Promise(setImmediate);
      holders -= 1;
      assert.equal(await opening.compareAndDelete(key, `${caller}`), true, 'only its owner may end a lock');
    });
    assert.equal(maxHolders, 1);
    assert.ok(turns >= 1);
  },
};
