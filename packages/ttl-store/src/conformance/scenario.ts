import assert from 'node:assert/strict';
import type { TtlStore } from '../contract/index.js';

/** A store that is open for one scenario. */
export interface OpenedTtlStore {
  readonly store: TtlStore;
  /** Lets time pass for the store: moves its clock, or waits. The suite asks for less than a second. */
  advance(millis: number): void | Promise<void>;
  /** Opens the same entries again, as another process would. Required if `store.lifetime` is 'shared'. */
  openAgain?(): TtlStore | Promise<TtlStore>;
  /** Called when the scenario is over. */
  close?(): void | Promise<void>;
}

/** The arguments of a scenario. */
export interface Stage {
  readonly store: TtlStore;
  readonly advance: OpenedTtlStore['advance'];
  /** An unused key. */
  readonly key: string;
  /** The openings of the same entries: two of a shared store, one of a store in the process. Races use all of them. */
  readonly openings: readonly TtlStore[];
}

/** Scenarios by the sentence that each proves. */
export type Scenarios = Readonly<Record<string, (stage: Stage) => Promise<void>>>;

/** A TTL that doesn't run out while a scenario runs. */
export const LONG = 60_000;

/** A TTL that runs out during a scenario, and a wait that is longer than it. */
export const SHORT = 50;
export const PAST_SHORT = 2 * SHORT;

/** Enough callers to catch an implementation that isn't atomic, and few enough for every connection pool. */
export const CALLERS = 50;

/** Starts the call `CALLERS` times at once, across all openings of the store. */
export function race<Result>(
  openings: readonly TtlStore[],
  call: (store: TtlStore, caller: number) => Promise<Result>,
): Promise<Result[]> {
  const callers = Array.from({ length: CALLERS }, (_, caller) => caller);
  return Promise.all(callers.map((caller) => call(openings[caller % openings.length] as TtlStore, caller)));
}

export function assertOneWinner(results: readonly boolean[]): void {
  assert.equal(results.filter((won) => won).length, 1, 'of all concurrent callers exactly one must win');
}

/** The call must reject, not throw, with a `TypeError`. */
export async function assertRefused(call: () => Promise<unknown>, what: string): Promise<void> {
  const outcome = await call().then(
    () => 'accepted',
    (error: unknown) => (error instanceof TypeError ? 'refused' : `rejected with ${error}`),
  );
  assert.equal(outcome, 'refused', `${what} must reject with a TypeError`);
}
