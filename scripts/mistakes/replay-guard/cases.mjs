import { equal } from 'node:assert/strict';
import { refused, works } from '../expectations.mjs';

/** Nobody is served, and no copy either. */
const refusesAll = async ({ ask }) => {
  const { first, second, text, paid } = (await ask('GET /try')).json;
  equal(`${first} ${second} ${paid}`, '503 503 0');
  equal(text.includes('hunter2'), false);
};

const NOBODY = '503, and no handler runs';

export const cases = [
  refused('no store', 'store.mjs none', /store is required/, /setIfAbsent/),
  refused('the store without await', 'store.mjs promise', /store/, /await/),
  refused('a Map as the store', 'store.mjs map', /store/, /setIfAbsent and lifetime/),
  refused('an own store without lifetime', 'store.mjs no-lifetime', /store/, /'process' or 'shared'/),
  refused('an own store without marks', 'store.mjs no-marks', /marks/, /allowUnmarkedStore: true/),
  refused("allowUnmarkedStore: 'true'", 'store.mjs allowed-as-text', /allowUnmarkedStore/, /true or false/),
  refused(
    'allowUnmarkedStore is misspelt',
    'store.mjs misspelt',
    /allowUnmarkedStores/,
    /did you mean allowUnmarkedStore/,
  ),
  refused('empty marks', 'store.mjs empty-marks', /store\.marks/, /keep, replace, setIfAbsent/),
  refused('a witness with a store without marks', 'store.mjs witness', /witness/, /no effect/),
  refused(
    'a witness with half of the verbs',
    'store.mjs half-a-witness',
    /witness/,
    /get, setIfAbsent and compareAndSet/,
  ),
  refused("isNewStore: 'yes'", 'store.mjs is-new-as-text', /isNewStore/, /true or false/),
  refused(
    'replayTtlSeconds in milliseconds',
    'store.mjs milliseconds',
    /replayTtlSeconds/,
    /seconds from 1 to 2592000/,
  ),
  works('an own store without marks, allowed', 'store.mjs allowed', 'a copy is refused', async ({ ask }) => {
    const { first, second, paid } = (await ask('GET /try')).json;
    equal(`${first} ${second} ${paid}`, '200 400 1');
  }),
  works("an own store that answers 'OK'", 'store.mjs ok', NOBODY, refusesAll),
  works('an own store that answers { changes: 0 }', 'store.mjs changes', NOBODY, refusesAll),
  works('an own store that answers 1', 'store.mjs number', NOBODY, refusesAll),
  works('an own store that answers nothing', 'store.mjs void', NOBODY, refusesAll),
  works('an own store that is away', 'store.mjs rejects', NOBODY, refusesAll),
];
