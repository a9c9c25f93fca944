import assert from 'node:assert/strict';
import type { MarkedEntry, MarkTerms, StoreMarks } from '../contract/index.js';
import {
  assertOneWinner,
  assertRefused,
  LONG,
  PAST_SHORT,
  race,
  type Scenarios,
  SHORT,
  type Stage,
} from './scenario.js';

/** The tolerance for the expiry that a store reports, in milliseconds. */
const EXPIRY_ERROR = 10;

const ANY_TIME = { keepUntil: 0, notBefore: 0, notAfter: 1e14 } as const;

function entryOf(key: string, more: Partial<MarkedEntry> = {}): MarkedEntry {
  return { key: `${key}:entry`, value: '1', ttlMillis: LONG, ...ANY_TIME, ...more };
}

/** Writes a mark in each part of a store that has marks, and plays the scenario on the first and the last. */
function onEachEnd(
  play: (stage: Stage & { marks: StoreMarks; part: number; mark: MarkTerms }) => Promise<void>,
): (stage: Stage) => Promise<void> {
  return async (stage) => {
    const { marks } = stage.store;
    if (marks === undefined) return;
    assert.ok(Number.isSafeInteger(marks.parts) && marks.parts >= 1, `parts is ${marks.parts}`);
    for (const part of new Set([0, marks.parts - 1])) {
      const key = `${stage.key}:${part}`;
      assert.equal(await marks.replace(part, key, null, 'mark', LONG), true);
      const { run } = await marks.keep(part, { key, value: '', run: '', minExpiresAt: 0 }, LONG);
      await play({ ...stage, key, marks, part, mark: { key, value: 'mark', run, minExpiresAt: 0 } });
    }
  };
}

/** Scenarios for stores with `marks`. Other stores pass them. */
export const markScenarios: Scenarios = {
  'a mark holds with its value, its run and its expiry, and with no other': onEachEnd(async (stage) => {
    const { marks, part, mark } = stage;
    const sight = await marks.keep(part, mark, LONG);
    assert.deepEqual([sight.holds, sight.value, sight.run], [true, 'mark', mark.run]);
    const left = sight.expiresAt - sight.time;
    assert.ok(left > LONG - 10_000 && left <= LONG + EXPIRY_ERROR, `the mark expires in ${left} ms`);
    const others = [{ value: 'other' }, { run: `${mark.run}x` }, { minExpiresAt: sight.expiresAt + 10_000 }];
    for (const other of others) {
      assert.equal((await marks.keep(part, { ...mark, ...other }, LONG)).holds, false);
      const written = await marks.setIfAbsent(part, { ...mark, ...other }, entryOf(stage.key));
      assert.deepEqual([written.outcome, written.value, written.run], ['unmarked', 'mark', mark.run]);
    }
    assert.equal((await marks.setIfAbsent(part, mark, entryOf(stage.key))).outcome, 'written');
  }),

  'an absent mark and an expired one do not hold, and are seen as absent': onEachEnd(async (stage) => {
    const { marks, part, mark, key, advance } = stage;
    assert.equal(await marks.replace(part, key, 'mark', 'short', SHORT), true);
    await advance(PAST_SHORT);
    const sight = await marks.keep(part, { ...mark, value: 'short' }, LONG);
    assert.deepEqual([sight.holds, sight.value, sight.expiresAt], [false, null, 0]);
    const written = await marks.setIfAbsent(part, { ...mark, value: 'short' }, entryOf(key));
    assert.deepEqual([written.outcome, written.value], ['unmarked', null]);
    assert.equal(await marks.replace(part, key, null, 'new', LONG), true);
  }),

  'replace writes over the expected mark alone': onEachEnd(async ({ marks, part, key }) => {
    assert.equal(await marks.replace(part, key, null, 'other', LONG), false);
    assert.equal(await marks.replace(part, key, 'other', 'third', LONG), false);
    assert.equal(await marks.replace(part, key, 'mark', 'other', LONG), true);
    assert.equal(await marks.replace(part, key, 'mark', 'third', LONG), false);
  }),

  'replace writes over no older copy of the mark, and not too late': onEachEnd(async ({ marks, part, mark, key }) => {
    const { time, expiresAt } = await marks.keep(part, mark, LONG);
    const bounds = { minExpiresAt: expiresAt - EXPIRY_ERROR, notAfter: time + LONG };
    const others = [{ minExpiresAt: expiresAt + 10_000 }, { notAfter: time - 1 }];
    for (const other of others) {
      assert.equal(await marks.replace(part, key, 'mark', 'other', LONG, { ...bounds, ...other }), false);
    }
    assert.equal(await marks.replace(part, key, 'mark', 'other', LONG, bounds), true);
  }),

  'keep moves the expiry of a mark further, and never back': onEachEnd(async ({ marks, part, mark }) => {
    const further = await marks.keep(part, mark, 2 * LONG);
    assert.ok(further.expiresAt - further.time > LONG, 'the expiry was not moved');
    const same = await marks.keep(part, mark, LONG);
    assert.ok(same.expiresAt >= further.expiresAt - EXPIRY_ERROR, 'the expiry was moved back');
  }),

  'an entry is written once, and is absent again after its lifetime': onEachEnd(async (stage) => {
    const { marks, part, mark, advance } = stage;
    const entry = entryOf(stage.key, { ttlMillis: SHORT });
    const lasting = entryOf(`${stage.key}:lasting`, { ttlMillis: LONG });
    assert.equal((await marks.setIfAbsent(part, mark, entry)).outcome, 'written');
    assert.equal((await marks.setIfAbsent(part, mark, lasting)).outcome, 'written');
    assert.equal((await marks.setIfAbsent(part, mark, lasting)).outcome, 'present');
    await advance(PAST_SHORT);
    assert.equal((await marks.setIfAbsent(part, mark, entry)).outcome, 'written');
  }),

  'an entry lives until the time it is to be kept until, if that is later': onEachEnd(async (stage) => {
    const { marks, part, mark, advance } = stage;
    const { time } = await marks.keep(part, mark, LONG);
    const entry = entryOf(stage.key, { ttlMillis: SHORT, keepUntil: time + LONG });
    assert.equal((await marks.setIfAbsent(part, mark, entry)).outcome, 'written');
    await advance(PAST_SHORT);
    assert.equal((await marks.setIfAbsent(part, mark, entry)).outcome, 'present');
  }),

  'an entry is written between its two times alone, by the clock of the store': onEachEnd(async (stage) => {
    const { marks, part, mark, key, store } = stage;
    const { time } = await marks.keep(part, mark, LONG);
    assert.ok(Math.abs((await store.time()) - time) < LONG, 'the marks have another clock than `time`');
    const early = await marks.setIfAbsent(part, mark, entryOf(key, { notBefore: time + LONG }));
    const late = await marks.setIfAbsent(part, mark, entryOf(key, { notAfter: time - 1 }));
    assert.deepEqual([early.outcome, late.outcome], ['early', 'late']);
    const both = entryOf(key, { notBefore: time - LONG, notAfter: time + LONG });
    assert.equal((await marks.setIfAbsent(part, mark, both)).outcome, 'written');
  }),

  'an entry is read under a mark that holds, and under no other': onEachEnd(async (stage) => {
    const { marks, part, mark, key, advance } = stage;
    const entry = entryOf(key, { value: 'read me' });
    const brief = entryOf(`${key}:brief`, { ttlMillis: SHORT });
    assert.equal((await marks.setIfAbsent(part, mark, brief)).outcome, 'written');
    assert.deepEqual(await marks.get(part, mark, entry.key), { holds: true, value: null });
    assert.equal((await marks.setIfAbsent(part, mark, entry)).outcome, 'written');
    assert.deepEqual(await marks.get(part, mark, entry.key), { holds: true, value: 'read me' });
    const { expiresAt } = await marks.keep(part, mark, LONG);
    for (const other of [{ value: 'other' }, { run: `${mark.run}x` }, { minExpiresAt: expiresAt + 10_000 }]) {
      assert.deepEqual(await marks.get(part, { ...mark, ...other }, entry.key), { holds: false, value: null });
    }
    await advance(PAST_SHORT);
    assert.deepEqual(await marks.get(part, mark, brief.key), { holds: true, value: null });
  }),

  'the verbs of the store reach the entries of a part': onEachEnd(async ({ store, marks, part, mark, key }) => {
    const entry = entryOf(key);
    await store.set(marks.keyIn(part, entry.key), '', LONG);
    assert.deepEqual(await marks.get(part, mark, entry.key), { holds: true, value: '' });
    assert.equal(await store.compareAndSet(marks.keyIn(part, entry.key), '', 'other', LONG), true);
    assert.equal((await marks.setIfAbsent(part, mark, entry)).outcome, 'present');
    assert.equal((await marks.get(part, mark, entry.key)).value, 'other');
  }),

  async 'entries of all parts are read at once, each under the mark of its part'({ store, key }) {
    const { marks } = store;
    if (marks === undefined) return;
    const places = Array.from({ length: marks.parts * 3 }, (_, place) => ({ part: place % marks.parts, place }));
    const terms = await Promise.all(
      Array.from({ length: marks.parts }, async (_, part) => {
        const mark = { key: `${key}:${part}`, value: 'mark', run: '', minExpiresAt: 0 };
        assert.equal(await marks.replace(part, mark.key, null, 'mark', LONG), true);
        return { ...mark, run: (await marks.keep(part, mark, LONG)).run };
      }),
    );
    const entryAt = (place: number) => `${key}:${place}:entry`;
    await Promise.all(places.map(({ part, place }) => store.set(marks.keyIn(part, entryAt(place)), `${place}`, LONG)));
    const read = await Promise.all(places.map(({ part, place }) => marks.get(part, terms[part]!, entryAt(place))));
    assert.deepEqual(
      read,
      places.map(({ place }) => ({ holds: true, value: `${place}` })),
    );
  },

  'of concurrent writers of a marked entry exactly one wins': onEachEnd(async ({ openings, part, mark, key }) => {
    const results = await race(openings, (store) => (store.marks as StoreMarks).setIfAbsent(part, mark, entryOf(key)));
    assertOneWinner(results.map(({ outcome }) => outcome === 'written'));
  }),

  'every opening sees the same marks, of the same run': onEachEnd(async ({ openings, part, mark, key }) => {
    for (const { marks } of openings) assert.equal((await (marks as StoreMarks).keep(part, mark, LONG)).holds, true);
    const other = openings.at(-1)?.marks as StoreMarks;
    assert.equal((await other.setIfAbsent(part, mark, entryOf(key))).outcome, 'written');
  }),

  'a part, a lifetime or a time that is none is refused': onEachEnd(async ({ marks, part, mark, key }) => {
    for (const wrong of [-1, marks.parts, 0.5, Number.NaN]) {
      await assertRefused(() => marks.keep(wrong, mark, LONG), `part ${wrong}`);
      await assertRefused(() => marks.replace(wrong, key, 'mark', 'other', LONG), `part ${wrong}`);
      await assertRefused(() => marks.setIfAbsent(wrong, mark, entryOf(key)), `part ${wrong}`);
      await assertRefused(() => marks.get(wrong, mark, key), `part ${wrong}`);
      await assertRefused(async () => marks.keyIn(wrong, key), `part ${wrong}`);
    }
    for (const wrong of [Number.NaN, 0.5, Number.POSITIVE_INFINITY]) {
      await assertRefused(() => marks.keep(part, { ...mark, minExpiresAt: wrong }, LONG), `minExpiresAt ${wrong}`);
      for (const name of ['ttlMillis', 'keepUntil', 'notBefore', 'notAfter']) {
        await assertRefused(() => marks.setIfAbsent(part, mark, entryOf(key, { [name]: wrong })), `${name} ${wrong}`);
      }
    }
    assert.equal((await marks.setIfAbsent(part, mark, entryOf(key))).outcome, 'written');
  }),
};
