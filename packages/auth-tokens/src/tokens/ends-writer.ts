import { failClosed, SessionStoreUnavailableError } from '../errors.js';
import type { EndReason } from '../refusals.js';
import {
  formatSessionId,
  type LifetimeReader,
  type LiveSession,
  MAX_LIFETIME_SECONDS,
  type OwnerEnd,
  type SessionEnds,
  type SessionRecord,
  type SubjectKey,
} from '../sessions/index.js';

type Ended = Pick<LiveSession, 'id' | 'expiresAt'> & { readonly reason: EndReason };

/** Writes the ends of one owner's sessions. Every failure is a 503. */
export function createEndsWriter(ends: SessionEnds, { audience, subject }: SubjectKey) {
  const owner = { audience, subject };
  return async function writeEnds(ended: readonly Ended[], all?: OwnerEnd): Promise<void> {
    if (ended.length === 0 && all === undefined) return;
    const written = ended.map(({ id, reason, expiresAt }) => {
      return { sessionId: formatSessionId({ jti: id, ...owner }), reason, expiresAt };
    });
    await failClosed(async () => ends.write(owner, written, all), SessionStoreUnavailableError);
  };
}

/**
 * The sessions that a sign-in ends: the one that it replaces, and others because the subject has its maximum. Expired
 * sessions need no further end, and neither do superseded ones with a purpose, which live for minutes.
 */
export function supersededOf(
  ended: readonly LiveSession[],
  after: SessionRecord,
  replaced: string | undefined,
): readonly Ended[] {
  const expired = new Set(after.ended.filter(({ reason }) => reason === 'SESSION_EXPIRED').map(({ id }) => id));
  return ended
    .filter(({ id, purpose }) => id === replaced || (purpose === undefined && !expired.has(id)))
    .map((session) => ({ ...session, reason: session.id === replaced ? 'SESSION_REVOKED' : 'SESSION_SUPERSEDED' }));
}

/** The latest expiry of a session of the audience. An end doesn't fail because of an unknown lifetime. */
export async function latestExpiry(readLifetime: LifetimeReader, audience: string, moment: number): Promise<number> {
  try {
    return moment + (await readLifetime(audience)).absolute;
  } catch {
    return moment + MAX_LIFETIME_SECONDS * 1000;
  }
}
