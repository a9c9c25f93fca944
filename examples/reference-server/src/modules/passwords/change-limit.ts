import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { RateLimitedError } from '../../http/errors.js';

const WINDOW_MILLIS = 15 * 60_000;

/**
 * The limit of the routes that change the own password, for one session. A limit of the account alone would let the
 * thief of a session shut the owner out. Guesses are bounded by the login policy, by the name or number of the account,
 * over all sessions.
 */
export const passwordChangeLimit = { max: 10, timeWindow: WINDOW_MILLIS } as const;

/** Three times as many as one session may send: a thief of one session cannot use up those of the owner. */
const MAX_CHANGES = 30;

/**
 * Counts a change of the own password, over all sessions of the account. Each compares hashes, also where it is refused
 * and the session stays, and an account may open many sessions.
 *
 * @throws {RateLimitedError}
 */
export async function countPasswordChange(
  store: Pick<TtlStore, 'increment'>,
  { principal }: Pick<FastifyRequest, 'principal'>,
): Promise<void> {
  const { audience, subject } = principal!;
  const { value, remainingMillis } = await store.increment(`password-changes:${audience}:${subject}`, WINDOW_MILLIS);
  if (value > MAX_CHANGES) throw new RateLimitedError(remainingMillis / 1000);
}
