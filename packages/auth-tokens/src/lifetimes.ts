import { LifetimeUnavailableError } from './errors.js';
import { failClosed } from './fail-closed.js';
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

export async function readLifetime(audience: AudienceLifetime): Promise<LifetimeMillis> {
  const { idleSeconds, absoluteSeconds } = audience;
  if (typeof idleSeconds === 'number' && typeof absoluteSeconds === 'number') {
    return { idle: idleSeconds * 1000, absolute: absoluteSeconds * 1000 };
  }
  const [idle, absolute] = await Promise.all([readSeconds(idleSeconds), readSeconds(absoluteSeconds)]);
  return { idle: idle * 1000, absolute: absolute * 1000 };
}

async function readSeconds(seconds: Seconds): Promise<number> {
  if (typeof seconds === 'number') return seconds;
  const value: unknown = await failClosed(seconds, LifetimeUnavailableError);
  if (isLifetimeSeconds(value)) return value;
  throw new LifetimeUnavailableError({ cause: new Error('A lifetime must be a whole number of seconds in range') });
}
