import { randomUUID } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import { LoginPolicyUnavailableError } from '../errors.js';
import type { LoginAccount } from '../login-account.js';
import type { LoginPolicy } from '../policy/index.js';
import { type AccountGenerations, isVoid, NO_GENERATION } from './account-generations.js';
import {
  type CountingRecord,
  readRecord,
  readTally,
  TALLY_STEP,
  type Tally,
  type WindowReading,
  writeRecord,
} from './counter-record.js';
import { createJointReservations } from './joint-reservations.js';
import { createKeptPlaces, NO_PLACES_KEPT } from './kept-places.js';
import type { LockedAddresses } from './locked-addresses.js';
import type { CounterSnapshot, LoginCounter, Reservation } from './login-counters.js';

/** The methods of a store that counting needs. */
export type CounterStore = Pick<
  TtlStore,
  'get' | 'set' | 'increment' | 'compareAndSet' | 'compareAndDelete' | 'changeAll'
>;

/** A reserved place, and the state of its window after that. */
interface Counted extends WindowReading {
  readonly place: Reservation;
}

export interface Refusal {
  readonly counter: LoginCounter;
  readonly endsAt: number;
  /** True for exactly one call, which is the one that wrote the lock. */
  readonly beganLock: boolean;
}

export type Verdict = { readonly reserved: Reservation } | { readonly refused: Refusal };

/**
 * A tally outlives its record. If it expired first, releasing an attempt would write minus one, which allows one more
 * guess. After the record has expired, the tally is not read.
 */
const TALLY_EXTRA_MILLIS = 60_000;

/** When to retry if the window is full of attempts in flight: longer than a verification takes. */
const IN_FLIGHT_RETRY_MILLIS = 5000;

/**
 * How long an attempt keeps its place if its verification failed with an error. A client that can cause such errors
 * gets one guess for each place in that time, and keeps an owner out no longer than that. Requirement ADP-6.
 */
const KEPT_MILLIS = 60_000;

/** A race is lost only if another caller has written the record. Two lost races in a row are rare. */
const MAX_ROUNDS = 10;

interface CounterDependencies {
  readonly store: CounterStore;
  readonly keyPrefix: string;
  readonly generations: AccountGenerations;
  readonly lockedAddresses: LockedAddresses;
  readonly now: () => number;
  /** How long the place of a broken verification stays taken. Tests shorten it. */
  readonly keptMillis?: number;
}

/** The transitions of the table 'Login lock', each an atomic operation on one key. */
export function createFailureCounters(dependencies: CounterDependencies) {
  const { store, keyPrefix, generations, lockedAddresses, now, keptMillis = KEPT_MILLIS } = dependencies;
  const keyOf = (counter: LoginCounter) => keyPrefix + counter.key;
  const tallyKeyOf = (counter: LoginCounter, { windowId }: CountingRecord) => `${keyOf(counter)}:${windowId}`;
  const tallyMillisOf = ({ windowMillis }: CountingRecord) => windowMillis + TALLY_EXTRA_MILLIS;
  const keptPlaces = createKeptPlaces({ store, keptMillis, ttlMillisOf: tallyMillisOf });
  const reserveTogether = createJointReservations({
    store,
    keyOf: ({ counter }) => keyOf(counter),
    tallyKeyOf: ({ counter, record }) => tallyKeyOf(counter, record),
    tallyMillisOf,
    newWindow,
  });

  async function observe(counters: readonly LoginCounter[], account: LoginAccount): Promise<CounterSnapshot[]> {
    const [generation, ...texts] = await Promise.all([
      generations.read(account),
      ...counters.map((counter) => store.get(keyOf(counter))),
    ]);
    return Promise.all(counters.map((counter, index) => judge(counter, account, texts[index] ?? null, generation)));
  }

  /**
   * Clearing an account does not affect the counter of an address. It ends the device tokens, so their counters need no
   * generation. With the generations of several terminals, one token would have several counts.
   */
  async function judge(
    counter: LoginCounter,
    account: LoginAccount,
    text: string | null,
    seenGeneration: string,
  ): Promise<CounterSnapshot> {
    const record = text === null ? null : readRecord(text);
    if (counter.kind === 'ip' || counter.kind === 'device') return { counter, generation: NO_GENERATION, text, record };
    if (record === null || !isVoid(record.generation, seenGeneration)) {
      return { counter, generation: seenGeneration, text, record };
    }
    // Both were read in parallel, so the record may be newer than the generation. A generation that is read now
    // includes all earlier clears.
    const generation = await generations.read(account);
    return { counter, generation, text, record: isVoid(record.generation, generation) ? null : record };
  }

  async function step(counter: LoginCounter, record: CountingRecord, by: number): Promise<WindowReading> {
    const ttlMillis = tallyMillisOf(record);
    const { value, remainingMillis } = await store.increment(tallyKeyOf(counter, record), ttlMillis, by);
    return { tally: readTally(value), elapsedMillis: ttlMillis - remainingMillis };
  }

  function newWindow({ counter, generation }: CounterSnapshot, { failureWindowSeconds }: LoginPolicy): Reservation {
    const windowMillis = failureWindowSeconds * 1000;
    const record: CountingRecord = {
      state: 'counting',
      generation,
      windowId: randomUUID(),
      windowMillis,
      endsAt: now() + windowMillis,
    };
    return { counter, record, text: writeRecord(record) };
  }

  /**
   * absent (or void) → counting, with the first place reserved in the same round trip. Null if another caller was
   * first. The tally of the window that was not written then expires.
   */
  async function openWindow(snapshot: CounterSnapshot, policy: LoginPolicy): Promise<Counted | null> {
    const place = newWindow(snapshot, policy);
    const { counter, record, text } = place;
    const [isOurs, reading] = await Promise.all([
      store.compareAndSet(keyOf(counter), snapshot.text, text, record.windowMillis),
      step(counter, record, TALLY_STEP.reserve),
    ]);
    return isOurs ? { place, ...reading } : null;
  }

  /** Reserves a place in an open window. */
  async function countIn(counter: LoginCounter, record: CountingRecord, text: string): Promise<Counted> {
    return { place: { counter, text, record }, ...(await step(counter, record, TALLY_STEP.reserve)) };
  }

  /**
   * Whether more places of the window are taken than the limit, and if so, when to try again. The reserved place is
   * included. A place that ended before the reservation is also in the tally, so only counted places are subtracted.
   */
  async function findRetry({ place, tally, elapsedMillis }: Counted): Promise<{ readonly retryMillis: number } | null> {
    const { counter, record } = place;
    if (tally.failures + tally.inFlight <= counter.limit) return null;
    if (tally.failures >= counter.limit) return { retryMillis: IN_FLIGHT_RETRY_MILLIS };
    const kept = (await keptPlaces.read(tallyKeyOf(counter, record)))?.(elapsedMillis) ?? NO_PLACES_KEPT;
    const held = tally.inFlight - kept.ended;
    if (tally.failures + held <= counter.limit) return null;
    const untilNextEnd = kept.nextEndMillis - elapsedMillis;
    const isVerifying = held - 1 > kept.taken;
    return { retryMillis: isVerifying ? Math.min(IN_FLIGHT_RETRY_MILLIS, untilNextEnd) : untilNextEnd };
  }

  /** counting → locked, for this window only. Null if it has ended, was cleared, or is already locked. */
  async function lock(place: Reservation, account: LoginAccount, policy: LoginPolicy): Promise<Refusal | null> {
    const { counter, text, record } = place;
    const lockMillis = policy.lockSeconds * 1000;
    const endsAt = now() + lockMillis;
    const locked = writeRecord({ state: 'locked', generation: record.generation, endsAt });
    if (!(await store.compareAndSet(keyOf(counter), text, locked, lockMillis))) return null;
    if (counter.kind === 'subject' && counter.address !== null) await lockedAddresses.note(account, counter.address);
    return { counter, endsAt, beganLock: true };
  }

  return {
    observe,
    reserveTogether,

    /** Reserves a place in the window before the password is verified, or refuses and reserves none. */
    async reserve(first: CounterSnapshot, account: LoginAccount, policy: LoginPolicy): Promise<Verdict> {
      let snapshot = first;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const { counter, record } = snapshot;
        if (record?.state === 'locked') return { refused: { counter, endsAt: record.endsAt, beganLock: false } };
        const counted =
          record === null
            ? await openWindow(snapshot, policy)
            : await countIn(counter, record, snapshot.text as string);
        if (counted !== null) {
          const { place, tally } = counted;
          const retry = await findRetry(counted).catch(async (error) => {
            await step(counter, place.record, TALLY_STEP.release).catch(() => {});
            throw error;
          });
          if (retry === null) return { reserved: place };
          await step(counter, place.record, TALLY_STEP.release);
          if (tally.failures < counter.limit) {
            const endsAt = Math.min(now() + retry.retryMillis, place.record.endsAt);
            return { refused: { counter, endsAt, beganLock: false } };
          }
          // The window is full without a lock if the limit was lowered, or if the process that should have locked
          // crashed.
          const refused = await lock(place, account, policy);
          if (refused !== null) return { refused };
        }
        snapshot = (await observe([counter], account))[0] as CounterSnapshot;
      }
      throw new LoginPolicyUnavailableError({ cause: new Error('A login counter changes faster than it can be read') });
    },

    /** Counts a failure. The failure that fills the window begins the lock. */
    async fail(
      place: Reservation,
      account: LoginAccount,
      policy: LoginPolicy,
    ): Promise<{ tally: Tally; lock: Refusal | null }> {
      const { tally } = await step(place.counter, place.record, TALLY_STEP.fail);
      return { tally, lock: tally.failures < place.counter.limit ? null : await lock(place, account, policy) };
    },

    /** Releases the place without a failure of this counter. */
    async release({ counter, record }: Reservation): Promise<void> {
      await step(counter, record, TALLY_STEP.release);
    },

    /** Keeps the place for a minute after a verification that failed with an error, at most until the window ends. */
    async keep({ counter, record }: Reservation): Promise<void> {
      await keptPlaces.keep(tallyKeyOf(counter, record), record, () => step(counter, record, TALLY_STEP.read));
    },

    /** Ends the window with all its failures. Does not affect a lock or a later window. */
    async endWindow({ counter, text }: Reservation): Promise<void> {
      await store.compareAndDelete(keyOf(counter), text);
    },

    /**
     * Ends the window or the lock, regardless of its age. Attempts in flight count in the window that has ended, and
     * can't lock the next one.
     */
    async end(counter: LoginCounter): Promise<void> {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const text = await store.get(keyOf(counter));
        if (text === null || (await store.compareAndDelete(keyOf(counter), text))) return;
      }
      throw new LoginPolicyUnavailableError({ cause: new Error('A login counter changes faster than it can be read') });
    },

    async readTally({ counter, record }: CounterSnapshot): Promise<Tally> {
      if (record?.state !== 'counting') return readTally(0);
      const tallyKey = tallyKeyOf(counter, record);
      const [text, kept] = await Promise.all([store.get(tallyKey), keptPlaces.read(tallyKey)]);
      if (kept === null) return readTally(Number(text ?? 0));
      const { tally, elapsedMillis } = await step(counter, record, TALLY_STEP.read);
      return { ...tally, inFlight: tally.inFlight - kept(elapsedMillis).ended };
    },
  };
}

export type FailureCounters = ReturnType<typeof createFailureCounters>;
