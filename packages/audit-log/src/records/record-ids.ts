import { randomFillSync, randomInt } from 'node:crypto';
import { callback, readOptions } from '@sallyport/plugin-kit/options';
import { v7 as uuidv7 } from 'uuid';
import { AuditSetupError } from '../errors.js';

/** The position of the version in the text of a UUID. */
const VERSION_AT = 14;

/**
 * The id of the record that completes a begun one, with version 8 instead of 7. An operation has one completion,
 * because a log keeps one record for an id, and a search finds it without another index. Use it in a command that
 * begins its record by `sink.begin` and appends the completion itself.
 *
 * @throws TypeError if the id is not a UUIDv7
 */
export function completionId(begunId: string): string {
  return withVersion(begunId, '7', '8');
}

/** The id of the record that this one completes. Null if it is not a completion. */
export function begunIdOf(id: string): string | null {
  return id[VERSION_AT] === '8' ? withVersion(id, '8', '7') : null;
}

function withVersion(id: string, from: string, to: string): string {
  if (id[VERSION_AT] !== from) throw new TypeError(`The id must be a UUID of version ${from}`);
  return `${id.slice(0, VERSION_AT)}${to}${id.slice(VERSION_AT + 1)}`;
}

/** The counter starts in the lower half of its range, so that 2^31 ids fit in a millisecond. */
const COUNTER_START = 2 ** 31;

/** The bytes that a UUID takes from the generator. */
const RANDOM_BYTES = 16;

/** Ids that share one call of the generator, which takes longer than an id. */
const IDS_PER_FILL = 256;

/** Makes a function that returns fresh random bytes, which are valid until its next call. */
function createRandomBytes(): () => Uint8Array {
  const pool = new Uint8Array(IDS_PER_FILL * RANDOM_BYTES);
  let used = pool.length;
  return function nextRandomBytes() {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += RANDOM_BYTES;
    return pool.subarray(used - RANDOM_BYTES, used);
  };
}

/**
 * Makes the ids of one process. Each is greater than the previous one, even if the clock stands still or goes back.
 *
 * @param now the clock, in milliseconds since 1970
 *
 * @example
 * ```ts
 * const nextId = createRecordIds(Date.now);
 *
 * const event = { action: 'invoice.send', actor: 'job:nightly', parameters: { password: 'hunter2' } };
 * const record = createAuditRecord(event, { id: nextId(), occurredAt: Date.now() });
 * await sink.append([record]);
 * ```
 *
 * @throws AuditSetupError if `now` is not a function
 */
export function createRecordIds(now: () => number): () => string {
  readOptions(
    { subject: 'createRecordIds', SetupError: AuditSetupError },
    { now },
    { now: callback({ that: 'returns milliseconds since 1970, such as Date.now' }) },
  );
  const nextRandomBytes = createRandomBytes();
  let last = 0;
  let counter = 0;
  return function nextRecordId() {
    const time = Math.trunc(now());
    if (time > last) {
      last = time;
      counter = randomInt(COUNTER_START);
    } else counter += 1;
    return uuidv7({ msecs: last, seq: counter, random: nextRandomBytes() });
  };
}
