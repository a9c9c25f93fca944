import assert from 'node:assert/strict';
import { MAX_ITEM_LENGTH, MAX_LIST_LIMIT, MAX_LIST_NAME_LENGTH, type StoreLists } from '../contract/index.js';
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

/** Plays the scenario on a store that has lists. */
function onLists(play: (stage: Stage & { lists: StoreLists }) => Promise<void>): (stage: Stage) => Promise<void> {
  return async (stage) => {
    const { lists } = stage.store;
    if (lists !== undefined) await play({ ...stage, lists });
  };
}

/** All items, in pages of this size. */
async function readAll(lists: StoreLists, list: string, size: number): Promise<string[]> {
  const items: string[] = [];
  let after: string | null = null;
  do {
    const page = await lists.read(list, after, size);
    assert.ok(page.items.length <= size, `a page of ${size} has ${page.items.length} items`);
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
}

// In the order of their bytes. The order of a language differs: it ignores case or punctuation at first.
const ORDERED = [
  ' ',
  '!',
  '%',
  '(',
  '-',
  '.',
  '0',
  '00',
  '9',
  ':',
  'A',
  'B.1',
  'B1',
  'Z',
  '[',
  '_',
  'a',
  'b',
  '{',
  '}~',
  '~',
];

/** Scenarios for stores with `lists`. Other stores pass them. */
export const listScenarios: Scenarios = {
  'items are read in the order of their bytes, whatever the order in which they were put': onLists(async (stage) => {
    const { lists, key } = stage;
    for (const item of [...ORDERED].sort(() => Math.random() - 0.5)) await lists.put(key, item, LONG);
    for (const size of [1, 2, 5, ORDERED.length, MAX_LIST_LIMIT]) {
      assert.deepEqual(await readAll(lists, key, size), ORDERED, `in pages of ${size}`);
    }
  }),

  'a page begins after an item that need not be there': onLists(async ({ lists, key }) => {
    for (const item of ['b', 'd', 'f']) await lists.put(key, item, LONG);
    assert.deepEqual((await lists.read(key, 'a', 10)).items, ['b', 'd', 'f']);
    assert.deepEqual((await lists.read(key, 'b', 1)).items, ['d']);
    assert.deepEqual((await lists.read(key, 'c', 10)).items, ['d', 'f']);
    assert.deepEqual(await lists.read(key, 'f', 10), { items: [], next: null });
  }),

  'an item is there once, until it is removed': onLists(async ({ lists, key }) => {
    assert.equal(await lists.remove(key, 'a'), false);
    await lists.put(key, 'a', LONG);
    await lists.put(key, 'a', LONG);
    assert.deepEqual(await readAll(lists, key, 10), ['a']);
    assert.equal(await lists.remove(key, 'a'), true);
    assert.equal(await lists.remove(key, 'a'), false);
    assert.deepEqual(await lists.read(key, null, 10), { items: [], next: null });
  }),

  'an item is absent once its TTL has run out, and the others are not': onLists(async ({ lists, key, advance }) => {
    for (const item of ['a', 'c']) await lists.put(key, item, SHORT);
    for (const item of ['b', 'd']) await lists.put(key, item, LONG);
    await advance(PAST_SHORT);
    assert.deepEqual(await readAll(lists, key, 1), ['b', 'd']);
    assert.equal(await lists.remove(key, 'a'), false);
    await lists.put(key, 'c', LONG);
    assert.deepEqual(await readAll(lists, key, 10), ['b', 'c', 'd']);
  }),

  'put sets the TTL anew, and a longer one of another item changes none': onLists(async ({ lists, key, advance }) => {
    await lists.put(key, 'long', LONG);
    await lists.put(key, 'kept', SHORT);
    await lists.put(key, 'kept', LONG);
    await lists.put(key, 'cut', LONG);
    await lists.put(key, 'cut', SHORT);
    await advance(PAST_SHORT);
    assert.deepEqual(await readAll(lists, key, 10), ['kept', 'long']);
  }),

  'a list knows neither the items of others nor the entries': onLists(async ({ store, lists, key }) => {
    for (const list of [key, `${key}a`, `${key}:`, `${key}}`, `{${key}}`]) await lists.put(list, `of ${list}`, LONG);
    await store.set(key, 'value', LONG);
    await store.set(`${key}a`, 'value', LONG);
    for (const list of [key, `${key}a`, `${key}:`, `${key}}`, `{${key}}`]) {
      assert.deepEqual(await readAll(lists, list, 10), [`of ${list}`]);
    }
    assert.equal(await store.delete(key), true);
    assert.deepEqual(await readAll(lists, key, 10), [`of ${key}`]);
    await assertRefused(() => store.set('\u0001list:a', 'value', LONG), 'the key of a list');
  }),

  'concurrent puts lose no item, and of concurrent removals exactly one wins': onLists(async ({ openings, key }) => {
    const listsOf = (store: (typeof openings)[number]) => store.lists as StoreLists;
    await race(openings, (store, caller) => listsOf(store).put(key, `item ${String(caller).padStart(2, '0')}`, LONG));
    const items = await readAll(listsOf(openings.at(-1) as (typeof openings)[number]), key, 7);
    assert.deepEqual([items.length, items[0], items.at(-1)], [50, 'item 00', 'item 49']);
    assertOneWinner(await race(openings, (store) => listsOf(store).remove(key, 'item 07')));
  }),

  'pages do not shift while items are put and removed': onLists(async ({ lists, key }) => {
    for (const item of ['b', 'd', 'f', 'h']) await lists.put(key, item, LONG);
    const first = await lists.read(key, null, 2);
    for (const earlier of ['a', 'aa']) await lists.put(key, earlier, LONG);
    await lists.remove(key, 'd');
    assert.deepEqual((await lists.read(key, first.next, 2)).items, ['f', 'h']);
  }),

  'the longest list name and item are taken, and any other is refused': onLists(async ({ lists, key }) => {
    const list = key.padEnd(MAX_LIST_NAME_LENGTH, '}');
    const item = '~'.repeat(MAX_ITEM_LENGTH);
    await lists.put(list, item, LONG);
    assert.deepEqual(await readAll(lists, list, 1), [item]);
    for (const wrong of ['', `${list}a`, 'é', 'a\nb', '\u0001', undefined as unknown as string]) {
      await assertRefused(() => lists.put(wrong, 'a', LONG), `the list ${wrong}`);
      await assertRefused(() => lists.read(wrong, null, 10), `the list ${wrong}`);
    }
    for (const wrong of ['', `${item}a`, 'é', 'a\nb', '\u007f', undefined as unknown as string]) {
      await assertRefused(() => lists.put(key, wrong, LONG), `the item ${wrong}`);
      await assertRefused(() => lists.remove(key, wrong), `the item ${wrong}`);
      if (wrong !== undefined) await assertRefused(() => lists.read(key, wrong, 10), `after ${wrong}`);
    }
    for (const wrong of [0, 1.5, MAX_LIST_LIMIT + 1, Number.NaN]) {
      await assertRefused(() => lists.read(key, null, wrong), `the limit ${wrong}`);
    }
    for (const wrong of [0, 1.5, Number.NaN]) await assertRefused(() => lists.put(key, 'a', wrong), `the TTL ${wrong}`);
    assert.deepEqual(await readAll(lists, key, 10), []);
  }),
};
