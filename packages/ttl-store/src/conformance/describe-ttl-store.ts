import { randomUUID } from 'node:crypto';
import * as nodeTest from 'node:test';
import { changeScenarios } from './change-scenarios.js';
import { expiryScenarios } from './expiry-scenarios.js';
import { limitScenarios } from './limit-scenarios.js';
import { listScenarios } from './list-scenarios.js';
import { markScenarios } from './mark-scenarios.js';
import { raceScenarios } from './race-scenarios.js';
import type { OpenedTtlStore, Scenarios, Stage } from './scenario.js';
import { sharingScenarios } from './sharing-scenarios.js';
import { verbScenarios } from './verb-scenarios.js';

/** The part of a test runner that the suite uses. Vitest, Jest and `node:test` have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

const GROUPS: Readonly<Record<string, Scenarios>> = {
  verbs: verbScenarios,
  changes: changeScenarios,
  expiry: expiryScenarios,
  races: raceScenarios,
  limits: limitScenarios,
  sharing: sharingScenarios,
  marks: markScenarios,
  lists: listScenarios,
};

/**
 * Proves a store: one test for every sentence of the contract, races included. Each test calls `open` and uses keys of
 * its own, so that `open` may return the same store, or one on the same database, each time.
 *
 * @param name the name of the group of tests
 * @param open opens the store
 * @param runner declares the tests, such as `{ describe, it }` of Vitest. Default: `node:test`
 *
 * @example
 * ```ts
 * describeTtlStore('my store', () => {
 *   let now = Date.now();
 *   const store = createMemoryStore({ now: () => now }); // your store here
 *   return {
 *     store,
 *     // openAgain: () => …, if store.lifetime is 'shared': opens it as another process would
 *     advance: async (millis) => void (now += millis), // or waits, if the clock of the store can't be moved
 *     // close: () => …
 *   };
 * });
 * ```
 */
export function describeTtlStore(
  name: string,
  open: () => OpenedTtlStore | Promise<OpenedTtlStore>,
  runner: TestRunner = nodeTest,
): void {
  const { describe, it } = runner;
  describe(name, () => {
    for (const [group, scenarios] of Object.entries(GROUPS)) {
      describe(group, () => {
        for (const [sentence, play] of Object.entries(scenarios)) {
          it(sentence, async () => {
            const opened = await open();
            try {
              await play(await prepareStage(opened));
            } finally {
              await opened.close?.();
            }
          });
        }
      });
    }
  });
}

async function prepareStage(opened: OpenedTtlStore): Promise<Stage> {
  const { store } = opened;
  const again = store.lifetime === 'shared' ? await opened.openAgain?.() : undefined;
  return {
    store,
    advance: (millis) => opened.advance(millis),
    key: `conformance:${randomUUID()}`,
    openings: again === undefined ? [store] : [store, again],
  };
}
