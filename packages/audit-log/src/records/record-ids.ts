import { randomInt } from 'node:crypto';
import { callback, readOptions } from '@sallyport/options';
import { v7 as uuidv7 } from 'uuid';
import { AuditSetupError } from '../errors.js';

/** Half of the range of a UUIDv7 counter at most: 2^31 ids fit in the millisecond that drew it. */
const COUNTER_START = 2 ** 31;

/**
 * Returns the ids of one process. Each is greater than the one before, even when the clock stands still or goes back.
 *
 * @param now the clock, in milliseconds since 1970
 * @throws AuditSetupError where `now` is not a function
 */
export function createRecordIds(now: () => number): () => string {
  readOptions(
    { subject: 'createRecordIds', SetupError: AuditSetupError },
    { now },
    { now: callback({ that: 'returns milliseconds since 1970, such as Date.now' }) },
  );
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
