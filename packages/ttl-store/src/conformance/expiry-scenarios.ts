import assert from 'node:assert/strict';
import { LONG, PAST_SHORT, type Scenarios, SHORT, type Stage } from './scenario.js';

/** Writes an entry and lets its TTL run out. */
async function writeExpired({ store, key, advance }: Stage, value = 'expired'): Promise<void> {
  await store.set(key, value, SHORT);
  await advance(PAST_SHORT);
}

/**
 * TTLs for a scenario that must act before one runs out, which a busy machine may delay: the next one is for the next
 * attempt.
 */
const ATTEMPTED_TTLS = [SHORT, 2 * SHORT, 4 * SHORT, 8 * SHORT];

/** A store that counts seconds, or milliseconds since its start, returns a smaller number. */
const YEAR_2020 = Date.UTC(2020);

/** @param attempt gets the TTL, and a wait that is longer than it */
async function inTime(attempt: (ttl: number, past: number) => Promise<'in time' | 'late'>): Promise<void> {
  for (const ttl of ATTEMPTED_TTLS) if ((await attempt(ttl, 2 * ttl)) === 'in time') return;
  assert.fail(`the store took longer than ${ATTEMPTED_TTLS.at(-1)} ms for a few verbs`);
}

export const expiryScenarios: Scenarios = {
  async 'an entry is absent from get once its TTL has run out, whichever verb wrote it'({ store, key, advance }) {
    await store.set(`${key}:set`, '1', SHORT);
    await store.setIfAbsent(`${key}:setIfAbsent`, '1', SHORT);
    await store.increment(`${key}:increment`, SHORT);
    await store.compareAndSet(`${key}:compareAndSet`, null, '1', SHORT);
    await store.set(`${key}:replaced`, '0', LONG);
    await store.compareAndSet(`${key}:replaced`, '0', '1', SHORT);
    await store.set(`${key}:shortened`, '0', LONG);
    await store.set(`${key}:shortened`, '1', SHORT);
    await advance(PAST_SHORT);
    for (const name of ['set', 'setIfAbsent', 'increment', 'compareAndSet', 'replaced', 'shortened']) {
      assert.equal(await store.get(`${key}:${name}`), null, `written by ${name}`);
    }
  },

  async 'setIfAbsent writes over an expired entry'(stage) {
    await writeExpired(stage);
    assert.equal(await stage.store.setIfAbsent(stage.key, 'new', LONG), true);
    assert.equal(await stage.store.get(stage.key), 'new');
  },

  async 'take yields null for an expired entry'(stage) {
    await writeExpired(stage);
    assert.equal(await stage.store.take(stage.key), null);
  },

  async 'increment starts anew from 0 after an expired entry, whatever that was, with a TTL of its own'(stage) {
    for (const value of ['41', 'not a counter']) {
      await writeExpired(stage, value);
      const { value: counted, remainingMillis } = await stage.store.increment(stage.key, LONG, 2);
      assert.equal(counted, 2);
      assert.ok(remainingMillis > LONG / 2 && remainingMillis <= LONG, `${remainingMillis}`);
    }
  },

  async 'compareAndSet finds an expired entry absent'(stage) {
    await writeExpired(stage);
    assert.equal(await stage.store.compareAndSet(stage.key, 'expired', 'new', LONG), false);
    assert.equal(await stage.store.get(stage.key), null);
    assert.equal(await stage.store.compareAndSet(stage.key, null, 'new', LONG), true);
    assert.equal(await stage.store.get(stage.key), 'new');
  },

  async 'compareAndDelete finds an expired entry absent'(stage) {
    await writeExpired(stage);
    assert.equal(await stage.store.compareAndDelete(stage.key, 'expired'), false);
  },

  async 'delete finds an expired entry absent'(stage) {
    await writeExpired(stage);
    assert.equal(await stage.store.delete(stage.key), false);
  },

  async 'set and compareAndSet give a new TTL, also over one about to run out'({ store, key, advance }) {
    await store.set(`${key}:set`, 'old', SHORT);
    await store.set(`${key}:set`, 'new', LONG);
    await inTime(async (ttl, past) => {
      const name = `${key}:compareAndSet:${ttl}`;
      await store.set(name, 'old', ttl);
      if (!(await store.compareAndSet(name, 'old', 'new', LONG))) return 'late';
      await advance(past);
      assert.equal(await store.get(name), 'new');
      return 'in time';
    });
    assert.equal(await store.get(`${key}:set`), 'new');
  },

  async 'a deleted or taken entry takes its TTL with it'({ store, key, advance }) {
    for (const verb of ['delete', 'take'] as const) {
      await store.set(`${key}:${verb}`, 'old', SHORT);
      await store[verb](`${key}:${verb}`);
      await store.set(`${key}:${verb}`, 'new', LONG);
    }
    await advance(PAST_SHORT);
    for (const verb of ['delete', 'take']) assert.equal(await store.get(`${key}:${verb}`), 'new', verb);
  },

  async 'what writes nothing leaves the TTL alone: get, and setIfAbsent and comparisons that fail'(stage) {
    const { store, key, advance } = stage;
    await inTime(async (ttl, past) => {
      const name = `${key}:${ttl}`;
      await store.set(name, 'value', ttl);
      await store.compareAndSet(name, 'other', 'new', LONG);
      await store.compareAndDelete(name, 'other');
      if ((await store.get(name)) === null || (await store.setIfAbsent(name, 'new', LONG))) return 'late';
      await advance(past);
      assert.equal(await store.get(name), null);
      return 'in time';
    });
  },

  async 'increment leaves the TTL of a counter alone'({ store, key, advance }) {
    await inTime(async (ttl, past) => {
      const name = `${key}:${ttl}`;
      await store.increment(name, ttl);
      const { value, remainingMillis } = await store.increment(name, LONG);
      if (value === 1) return 'late';
      assert.ok(remainingMillis >= 1 && remainingMillis <= ttl, `${remainingMillis}`);
      await advance(past);
      assert.equal(await store.get(name), null);
      return 'in time';
    });
  },

  async 'time is whole milliseconds since 1970, and goes on with the clock that lets entries expire'(stage) {
    const { store, key, advance } = stage;
    const before = await store.time();
    assert.ok(Number.isSafeInteger(before) && before > YEAR_2020, `${before}`);
    await store.set(key, 'value', SHORT);
    await advance(PAST_SHORT);
    assert.equal(await store.get(key), null);
    const after = await store.time();
    assert.ok(Number.isSafeInteger(after) && after - before >= SHORT, `${before}, then ${after}`);
    assert.ok(after - before < LONG, `${before}, then ${after}`);
  },
};
