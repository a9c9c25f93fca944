import { randomUUID } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import { LoginPolicyUnavailableError } from '../errors.js';
import type { LoginAccount } from '../login-account.js';
import type { LoginPolicy } from '../policy/index.js';
import { type AccountGenerations, isVoid, NO_GENERATION } from './account-generations.js';
import {
  type CounterRecord,
  type CountingRecord,
  readRecord,
  readTally,
  TALLY_STEP,
  type Tally,
  writeRecord,
} from './counter-record.js';
import type { LockedAddresses } from './locked-addresses.js';
import type { LoginCounter } from './login-counters.js';

/** The verbs that counting needs. */
export type CounterStore = Pick<TtlStore, 'get' | 'set' | 'increment' | 'compareAndSet' | 'compareAndDelete'>;

/** What a counter was seen in. */
export interface Sighting {
  readonly counter: LoginCounter;
  /** The account's generation, after which a new record is made. */
  readonly generation: string;
  /** What stands under the key, void or not; null: nothing. */
  readonly text: string | null;
  /** Null: counting, zero. */
  readonly record: CounterRecord | null;
}

/** An attempt's place in a window. */
export interface Reservation {
  readonly counter: LoginCounter;
  readonly text: string;
  readonly record: CountingRecord;
}

/** A place that was taken, and what its window then counted. */
interface Counted {
  readonly place: Reservation;
  readonly tally: Tally;
}

/** A lock begins only by the one call that wrote it. */
export interface Refusal {
  readonly counter: LoginCounter;
  readonly endsAt: number;
  readonly beganLock: boolean;
}

export type Verdict = { readonly reserved: Reservation } | { readonly refused: Refusal };

/**
 * A tally outlives the record that names it. While the record stands, taking an attempt back never meets an absent key
 * and leaves minus one there, which would be one more guess; what comes later meets a window id that nobody reads.
 */
const TALLY_EXTRA_MILLIS = 60_000;

/**
 * When to come back if the window is full of attempts that are being verified, none of them decided: after any
 * verification.
 */
const IN_FLIGHT_RETRY_MILLIS = 5000;

/** A race lost means that another caller has made the record which this one needs; twice is rare. */
const MAX_ROUNDS = 10;

interface Parts {
  readonly store: CounterStore;
  readonly keyPrefix: string;
  readonly generations: AccountGenerations;
  readonly lockedAddresses: LockedAddresses;
  readonly now: () => number;
}

/** The transitions of the table 'Login lock', each one atomic verb on one key. Requirements LGN-2, LGN-5, LGN-7. */
export function createFailureCounters({ store, keyPrefix, generations, lockedAddresses, now }: Parts) {
  const keyOf = (counter: LoginCounter) => keyPrefix + counter.key;

  async function observe(counters: readonly LoginCounter[], account: LoginAccount): Promise<Sighting[]> {
    const [generation, ...texts] = await Promise.all([
      generations.read(account),
      ...counters.map((counter) => store.get(keyOf(counter))),
    ]);
    return Promise.all(counters.map((counter, index) => judge(counter, account, texts[index] ?? null, generation)));
  }

  /** Failures of an address belong to no account, so clearing an account leaves them alone. */
  async function judge(
    counter: LoginCounter,
    account: LoginAccount,
    text: string | null,
    seenGeneration: string,
  ): Promise<Sighting> {
    const record = text === null ? null : readRecord(text);
    if (counter.kind === 'ip') return { counter, generation: NO_GENERATION, text, record };
    if (record === null || !isVoid(record.generation, seenGeneration)) {
      return { counter, generation: seenGeneration, text, record };
    }
    // The two were read side by side: the record may be younger than the generation seen. One read after it can't be older.
    const generation = await generations.read(account);
    return { counter, generation, text, record: isVoid(record.generation, generation) ? null : record };
  }

  async function step(counter: LoginCounter, record: CountingRecord, by: number): Promise<Tally> {
    const key = `${keyOf(counter)}:${record.windowId}`;
    const { value } = await store.increment(key, record.windowMillis + TALLY_EXTRA_MILLIS, by);
    return readTally(value);
  }

  /**
   * absent (or void) → counting, with the first place taken in the same round trip. Null: somebody else was first; what
   * was counted for a window that never was is forgotten by its TTL.
   */
  async function openWindow(seen: Sighting, { failureWindowSeconds }: LoginPolicy): Promise<Counted | null> {
    const { counter, generation } = seen;
    const windowMillis = failureWindowSeconds * 1000;
    const record: CountingRecord = {
      state: 'counting',
      generation,
      windowId: randomUUID(),
      windowMillis,
      endsAt: now() + windowMillis,
    };
    const text = writeRecord(record);
    const [isOurs, tally] = await Promise.all([
      store.compareAndSet(keyOf(counter), seen.text, text, windowMillis),
      step(counter, record, TALLY_STEP.reserve),
    ]);
    return isOurs ? { place: { counter, text, record }, tally } : null;
  }

  /** Takes a place in a window that is open. */
  async function countIn(counter: LoginCounter, record: CountingRecord, text: string): Promise<Counted> {
    return { place: { counter, text, record }, tally: await step(counter, record, TALLY_STEP.reserve) };
  }

  /** counting → locked, for this window only: null if it has ended, was cleared, or is locked already. */
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

    /** Takes one of the window's places, before anything is verified; or refuses, and takes none. */
    async reserve(first: Sighting, account: LoginAccount, policy: LoginPolicy): Promise<Verdict> {
      let seen = first;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const { counter, record } = seen;
        if (record?.state === 'locked') return { refused: { counter, endsAt: record.endsAt, beganLock: false } };
        const counted =
          record === null ? await openWindow(seen, policy) : await countIn(counter, record, seen.text as string);
        if (counted !== null) {
          const { place, tally } = counted;
          if (tally.failures + tally.inFlight <= counter.limit) return { reserved: place };
          await step(counter, place.record, TALLY_STEP.release);
          if (tally.failures < counter.limit) {
            const endsAt = Math.min(now() + IN_FLIGHT_RETRY_MILLIS, place.record.endsAt);
            return { refused: { counter, endsAt, beganLock: false } };
          }
          // So many have failed, and yet nobody has locked: the limit was lowered, or whoever should have has died.
          const refused = await lock(place, account, policy);
          if (refused !== null) return { refused };
        }
        seen = (await observe([counter], account))[0] as Sighting;
      }
      throw new LoginPolicyUnavailableError({ cause: new Error('A login counter changes faster than it can be read') });
    },

    /** The attempt failed: it stays counted, and the failure that fills the window begins the lock. */
    async fail(
      place: Reservation,
      account: LoginAccount,
      policy: LoginPolicy,
    ): Promise<{ tally: Tally; lock: Refusal | null }> {
      const tally = await step(place.counter, place.record, TALLY_STEP.fail);
      return { tally, lock: tally.failures < place.counter.limit ? null : await lock(place, account, policy) };
    },

    /** The attempt was none, or not one against this counter. */
    async release({ counter, record }: Reservation): Promise<void> {
      await step(counter, record, TALLY_STEP.release);
    },

    /** Ends the window with all that was counted in it. A lock, and a later window, are left alone. */
    async endWindow({ counter, text }: Reservation): Promise<void> {
      await store.compareAndDelete(keyOf(counter), text);
    },

    /** Changes nothing. */
    async readTally({ counter, record }: Sighting): Promise<Tally> {
      if (record?.state !== 'counting') return readTally(0);
      return readTally(Number((await store.get(`${keyOf(counter)}:${record.windowId}`)) ?? 0));
    },
  };
}

export type FailureCounters = ReturnType<typeof createFailureCounters>;
