import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { RateLimitedError } from '../../http/errors.js';

/** Three times as many as one session may send: a thief of one session cannot use up those of the owner. */
const MAX_CHANGES = 30;
const WINDOW_MILLIS = 15 * 60_000;

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
