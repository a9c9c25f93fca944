import type { CounterRecord, CountingRecord } from './counter-record.js';
import type { LoginCounter } from './login-counters.js';

/** The state of a counter at the time of a read. */
export interface CounterSnapshot {
  readonly counter: LoginCounter;
  /** The account's generation, for a new record. */
  readonly generation: string;
  /** The text in the store, even if it is void. Null if the key is absent. */
  readonly text: string | null;
  /** Null if the record is absent or void, which means counting with zero failures. */
  readonly record: CounterRecord | null;
}

/** The place of an attempt in a window. */
export interface Reservation {
  readonly counter: LoginCounter;
  readonly text: string;
  readonly record: CountingRecord;
}
