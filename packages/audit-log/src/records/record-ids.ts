import { randomInt } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** Below the half of what the counter of a UUIDv7 holds: two thousand million ids fit in the millisecond that drew it. */
const COUNTER_START = 2 ** 31;

/** Ids of one process, each greater than the one before, also when the clock stands or goes back. */
export function createRecordIds(now: () => number): () => string {
  let last = 0;
  let counter = 0;
  return function nextRecordId() {
    const time = Math.trunc(now());
    if (time > last) {
      last = time;
      counter = randomInt(COUNTER_START);
    } else counter += 1;
    return uuidv7({ msecs: last, seq: counter });
  };
}
