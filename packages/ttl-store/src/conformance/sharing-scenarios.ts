import assert from 'node:assert/strict';
import { LONG, type Scenarios } from './scenario.js';

export const sharingScenarios: Scenarios = {
  async 'the store says how long its entries live, and a shared one has been opened twice'({ store, openings }) {
    assert.ok(store.lifetime === 'process' || store.lifetime === 'shared', `lifetime is ${store.lifetime}`);
    for (const opening of openings) assert.equal(opening.lifetime, store.lifetime);
    if (store.lifetime === 'shared') assert.equal(openings.length, 2, 'the opener of a shared store needs `openAgain`');
  },

  async 'every opening sees at once what another one did'({ openings, key }) {
    const one = openings[0] as (typeof openings)[0];
    const other = openings.at(-1) as (typeof openings)[0];
    await one.set(key, '1', LONG);
    assert.equal(await other.get(key), '1');
    assert.equal(await other.setIfAbsent(key, '2', LONG), false);
    assert.equal((await other.increment(key, LONG)).value, 2);
    assert.equal(await one.compareAndSet(key, '2', '3', LONG), true);
    assert.equal(await other.compareAndDelete(key, '2'), false);
    assert.equal(await other.take(key), '3');
    assert.equal(await one.get(key), null);
    assert.equal(await one.setIfAbsent(key, '4', LONG), true);
    assert.equal(await other.delete(key), true);
    assert.equal(await one.compareAndSet(key, null, '5', LONG), true);
    assert.equal(await other.compareAndDelete(key, '5'), true);
  },

  async 'every opening returns the time of one clock, which does not go back'({ openings }) {
    const times: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (const opening of openings) times.push(await opening.time());
    }
    assert.deepEqual(
      times,
      [...times].sort((one, other) => one - other),
    );
  },
};
