import { LoginPolicyUnavailableError } from '../errors.js';

/**
 * The state of one counter, after the table 'Login lock' of the interface document. The record's TTL is the rest of its
 * window or lock; when it has expired, the absent key means: counting, zero.
 */
export type CounterRecord =
  | {
      readonly state: 'counting';
      readonly generation: string;
      /** A unique id, which names the tally of this window. */
      readonly windowId: string;
      readonly windowMillis: number;
      readonly endsAt: number;
    }
  | { readonly state: 'locked'; readonly generation: string; readonly endsAt: number };

/** A window in which attempts are counted. */
export type CountingRecord = Extract<CounterRecord, { state: 'counting' }>;

export function writeRecord(record: CounterRecord): string {
  return JSON.stringify(record);
}

/** @throws LoginPolicyUnavailableError for a record of an unknown kind: its state is not guessed. */
export function readRecord(text: string): CounterRecord {
  try {
    const record = JSON.parse(text) as CounterRecord;
    if (record.state === 'counting' || record.state === 'locked') return record;
    throw new TypeError('The record of a login counter has an unknown kind');
  } catch (cause) {
    throw new LoginPolicyUnavailableError({ cause });
  }
}

/**
 * The attempts of one window: those that failed, and those that hold a place. An attempt holds its place while its
 * password is being verified, and for a while longer if the verification failed with an error.
 */
export interface Tally {
  readonly failures: number;
  readonly inFlight: number;
}

/** The state of a window in the store. */
export interface WindowReading {
  /** It still includes places of broken verifications that have ended: see `KeptPlaces`. */
  readonly tally: Tally;
  /** How old the window is, by the store's clock. */
  readonly elapsedMillis: number;
}

/*
 * The store holds both numbers as one integer, failures × 2^32 + in flight. One atomic `increment` changes both, and no
 * reader sees an attempt twice or not at all. No service verifies 2^32 passwords within one window, and no limit is
 * near 2^21 failures.
 */
const FAILURE = 2 ** 32;

/** The increment for each step of an attempt. */
export const TALLY_STEP = {
  reserve: 1,
  /** An attempt in flight becomes a failure. */
  fail: FAILURE - 1,
  release: -1,
  /** Changes nothing. It reads the present numbers and the store's time. */
  read: 0,
} as const;

/** The largest value of a tally with so many failures that stays within the limit. */
export function largestTally(failures: number, limit: number): number {
  return failures * FAILURE + limit - failures;
}

export function readTally(value: number): Tally {
  const failures = Math.floor(value / FAILURE);
  return { failures, inFlight: value - failures * FAILURE };
}
