import { LoginPolicyUnavailableError } from '../errors.js';

/**
 * What one counter is in, of the states of the interface document's table 'Login lock'. It stands under one key of the
 * store with the TTL of its state, so that the end of a window, or of a lock, is the absence of the key: counting, zero.
 */
export type CounterRecord =
  | {
      readonly state: 'counting';
      readonly generation: string;
      /** Names the tally of this window, and no other one ever. */
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

/** @throws LoginPolicyUnavailableError if this release doesn't know the record: no state may be guessed. */
export function readRecord(text: string): CounterRecord {
  try {
    const record = JSON.parse(text) as CounterRecord;
    if (record.state === 'counting' || record.state === 'locked') return record;
    throw new TypeError('The record of a login counter is of an unknown kind');
  } catch (cause) {
    throw new LoginPolicyUnavailableError({ cause });
  }
}

/** The attempts of one window: those that failed, and those whose password is being verified at this moment. */
export interface Tally {
  readonly failures: number;
  readonly inFlight: number;
}

/*
 * Both numbers stand in one integer of the store, failures × 2^20 + in flight, so that one atomic `increment` changes
 * both: no reader ever sees an attempt twice, or not at all. 2^20 attempts in flight are more than any server has.
 */
const FAILURE = 2 ** 20;

/** What each step of an attempt adds to the integer. */
export const TALLY_STEP = {
  reserve: 1,
  /** The attempt stops being in flight and becomes a failure. */
  fail: FAILURE - 1,
  release: -1,
} as const;

export function readTally(value: number): Tally {
  const failures = Math.floor(value / FAILURE);
  return { failures, inFlight: value - failures * FAILURE };
}
