import type { AddedCount, Change, TtlStore } from '@sallyport/ttl-store';
import type { LoginPolicy } from '../policy/index.js';
import { type CountingRecord, largestTally, readTally, TALLY_STEP } from './counter-record.js';
import type { CounterSnapshot, Reservation } from './login-counters.js';

/**
 * The first call takes every window to be without failures. One that refuses shows how many there are, so the second
 * one is exact unless a failure comes in between.
 */
const MAX_ROUNDS = 3;

interface JointReservationDependencies {
  readonly store: Pick<TtlStore, 'changeAll'>;
  readonly keyOf: (place: Pick<Reservation, 'counter'>) => string;
  readonly tallyKeyOf: (place: Pick<Reservation, 'counter' | 'record'>) => string;
  readonly tallyMillisOf: (record: CountingRecord) => number;
  /** The window that a counter without one begins. */
  readonly newWindow: (snapshot: CounterSnapshot, policy: LoginPolicy) => Reservation;
}

/** A place that is about to be taken. */
interface Wanted {
  readonly place: Reservation;
  /** The text that the record of a new window replaces. Undefined: the window is open. */
  readonly replaces?: string | null;
  /** The known failures of the window. */
  failures: number;
}

/**
 * Takes a place in every one of several counters, or in none, in one call of the store. Null: it can't, because the
 * store has no `changeAll`, or a counter has no place or has changed. The caller then takes them one after the other,
 * which also decides about the refusal.
 */
export function createJointReservations(dependencies: JointReservationDependencies) {
  const { store, keyOf, tallyKeyOf, tallyMillisOf, newWindow } = dependencies;

  function want(snapshot: CounterSnapshot, policy: LoginPolicy): Wanted | null {
    const { counter, record, text } = snapshot;
    if (record === null) return { place: newWindow(snapshot, policy), replaces: text, failures: 0 };
    return record.state === 'locked' ? null : { place: { counter, text: text as string, record }, failures: 0 };
  }

  function countOf({ place, replaces, failures }: Wanted): AddedCount {
    const { counter, record } = place;
    const count = { key: tallyKeyOf(place), by: TALLY_STEP.reserve, ttlMillis: tallyMillisOf(record) };
    return replaces === undefined ? { ...count, most: largestTally(failures, counter.limit) } : count;
  }

  function recordOf({ place, replaces }: Wanted): Change[] {
    if (replaces === undefined) return [];
    const { record, text } = place;
    return [{ key: keyOf(place), expected: replaces, value: text, ttlMillis: record.windowMillis }];
  }

  /** Whether another call can succeed: the counters have places, and one had more failures than was known. */
  function learn(wanted: readonly Wanted[], tallies: readonly (string | null)[]): boolean {
    let hasLearned = false;
    for (const [index, each] of wanted.entries()) {
      if (each.replaces !== undefined) continue;
      const { failures, inFlight } = readTally(Number(tallies[index] ?? 0));
      if (failures + inFlight >= each.place.counter.limit) return false;
      hasLearned ||= failures > each.failures;
      each.failures = failures;
    }
    return hasLearned;
  }

  return async function reserveTogether(
    snapshots: readonly CounterSnapshot[],
    policy: LoginPolicy,
  ): Promise<Reservation[] | null> {
    if (store.changeAll === undefined || snapshots.length === 1) return null;
    const wanted = snapshots.flatMap((snapshot) => want(snapshot, policy) ?? []);
    if (wanted.length < snapshots.length) return null;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // The tallies come first, so that their values have the same places as the counters.
      const changed = await store.changeAll([...wanted.map(countOf), ...wanted.flatMap(recordOf)]);
      if (changed.done) return wanted.map(({ place }) => place);
      if (!learn(wanted, changed.values)) return null;
    }
    return null;
  };
}
