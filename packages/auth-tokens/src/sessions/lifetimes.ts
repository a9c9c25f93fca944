import { LifetimeUnavailableError } from '../errors.js';
import { failClosed } from '../fail-closed.js';
import type { LifetimeMillis } from './session-record.js';

/** A whole number of seconds, or a function that yields it: read again for every check, so a dynamic parameter takes effect at once. */
export type Seconds = number | (() => number | Promise<number>);

/** How long the sessions of an audience last. Requirement TOK-5. */
export interface AudienceLifetime {
  /** A session without a request for so long has expired, in seconds. 1 to 31 536 000. */
  readonly idleSeconds: Seconds;
  /** A session so old has expired, whatever it does, in seconds. 1 to 31 536 000. A longer value holds for new sessions only, a shorter one for all. */
  readonly absoluteSeconds: Seconds;
}

/** One year: within every store's longest TTL, and longer than any session should live. */
export const MAX_LIFETIME_SECONDS = 365 * 24 * 3600;

/** A number of seconds and nothing else: a text such as `1 month` or `1,5h` has meant "no expiry" to others. */
export function isLifetimeSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_LIFETIME_SECONDS;
}

/** At once where both are at hand, since every request of a session asks. */
export function readLifetime(audience: AudienceLifetime): LifetimeMillis | Promise<LifetimeMillis> {
  const idle = readSeconds(audience.idleSeconds);
  const absolute = readSeconds(audience.absoluteSeconds);
  if (typeof idle === 'number' && typeof absolute === 'number') return inMillis(idle, absolute);
  return Promise.all([idle, absolute]).then(([idle, absolute]) => inMillis(idle, absolute));
}

function inMillis(idle: number, absolute: number): LifetimeMillis {
  return { idle: idle * 1000, absolute: absolute * 1000 };
}

function readSeconds(seconds: Seconds): number | Promise<number> {
  if (typeof seconds === 'number') return seconds;
  try {
    const value: unknown = seconds();
    return isLifetimeSeconds(value) ? value : settleSeconds(value);
  } catch (cause) {
    return Promise.reject(new LifetimeUnavailableError({ cause }));
  }
}

async function settleSeconds(given: unknown): Promise<number> {
  const value = await failClosed(() => given, LifetimeUnavailableError);
  if (isLifetimeSeconds(value)) return value;
  throw new LifetimeUnavailableError({ cause: new Error('A lifetime must be a whole number of seconds in range') });
}
