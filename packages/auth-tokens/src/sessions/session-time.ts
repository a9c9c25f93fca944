import type { StoreClock } from '@sallyport/ttl-store';
import { failClosed, SessionStoreUnavailableError } from '../errors.js';

/**
 * The time by which sessions begin and end, which is that of their store, in milliseconds since 1970. Not a promise if
 * it is known.
 */
export type SessionTime = () => number | Promise<number>;

/** If the clock does not know the store's time, the request is refused with 503. */
export function createSessionTime(clock: Pick<StoreClock, 'read'>): SessionTime {
  return function readSessionTime() {
    let reading: number | Promise<number>;
    try {
      reading = clock.read();
    } catch (cause) {
      throw new SessionStoreUnavailableError({ cause });
    }
    return typeof reading === 'number' ? reading : failClosed(() => reading, SessionStoreUnavailableError);
  };
}
