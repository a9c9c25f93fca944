import type { EndReason } from '../errors.js';

/**
 * All server state of one subject in one audience. It is replaced as a whole by compare-and-set, so that every
 * transition below is atomic, and a check is one read.
 */
export interface SessionRecord {
  /** The layout; a record of another layout is refused, not guessed at. */
  readonly version: 1;
  readonly live: readonly LiveSession[];
  /** The most recently ended, oldest first: they tell a refused client why. Bounded. */
  readonly ended: readonly EndedSession[];
  /** The last time that all sessions were ended at once. */
  readonly allEnded: AllEnded | null;
}

/** Times are milliseconds since 1970. */
export interface LiveSession {
  /** The `jti` of its token. */
  readonly id: string;
  readonly issuedAt: number;
  readonly lastSeenAt: number;
  /** The end of the absolute lifetime: the `exp` of its token. */
  readonly expiresAt: number;
  /** The `kid` of the key that signed its token. */
  readonly keyId: string;
  readonly terminal?: string;
  readonly clientIp?: string;
  readonly userAgent?: string;
}

export interface EndedSession {
  readonly id: string;
  readonly reason: EndReason;
  /** From then on its token is refused for its `exp` alone, and this entry is needless. */
  readonly expiresAt: number;
}

export interface AllEnded {
  readonly reason: EndReason;
  readonly at: number;
  /** When the last of the sessions that it ended would have expired. */
  readonly expiresAt: number;
}

/** The lifetimes in force at this moment. */
export interface LifetimeMillis {
  readonly idle: number;
  readonly absolute: number;
}

/** What a record says about one session. */
export type SessionState =
  | { readonly state: 'live'; readonly session: LiveSession }
  | { readonly state: 'expired'; readonly session: LiveSession }
  | { readonly state: 'ended'; readonly reason: EndReason };

// More than any subject's live sessions as a rule, and some 3 KB of record at most.
const MAX_ENDED_REMEMBERED = 32;

export const emptyRecord: SessionRecord = { version: 1, live: [], ended: [], allEnded: null };

/** @param issuedAt of the token, in whole seconds: it says whether 'all ended' meant this session too. */
export function stateOf(
  record: SessionRecord,
  id: string,
  issuedAt: number,
  lifetime: LifetimeMillis,
  now: number,
): SessionState {
  const session = record.live.find((live) => live.id === id);
  if (session !== undefined) return { state: hasExpired(session, lifetime, now) ? 'expired' : 'live', session };
  const ended = record.ended.find((known) => known.id === id);
  if (ended !== undefined) return { state: 'ended', reason: ended.reason };
  if (record.allEnded !== null && issuedAt <= record.allEnded.at) {
    return { state: 'ended', reason: record.allEnded.reason };
  }
  // Expired so long ago that nothing is left of it, or lost by the store.
  return { state: 'ended', reason: 'SESSION_EXPIRED' };
}

/** A lifetime that was shortened meanwhile counts at once; one that was prolonged can't outlive the token's `exp`. */
export function hasExpired(session: LiveSession, lifetime: LifetimeMillis, now: number): boolean {
  return (
    now >= session.expiresAt || now >= session.issuedAt + lifetime.absolute || now >= session.lastSeenAt + lifetime.idle
  );
}

/** Sign-in. Where the subject has as many sessions as it may, the least recently seen gives way. */
export function issue(
  record: SessionRecord,
  session: LiveSession,
  maxSessions: number,
  lifetime: LifetimeMillis,
): SessionRecord {
  const current = expire(record, lifetime, session.issuedAt);
  const byLastSeen = [...current.live].sort((one, other) => one.lastSeenAt - other.lastSeenAt);
  const superseded = byLastSeen.slice(0, Math.max(0, byLastSeen.length - maxSessions + 1));
  const rest = end(current, superseded, 'SESSION_SUPERSEDED', session.issuedAt);
  return { ...rest, live: [...rest.live, session] };
}

/** A request of a live session. A session that has ended stays ended. */
export function touch(record: SessionRecord, id: string, now: number): SessionRecord {
  if (!record.live.some((session) => session.id === id && session.lastSeenAt < now)) return record;
  return {
    ...record,
    live: record.live.map((session) => (session.id === id ? { ...session, lastSeenAt: now } : session)),
  };
}

/** Logout, or one session ended by force. */
export function revoke(record: SessionRecord, id: string, reason: EndReason, now: number): SessionRecord {
  return end(
    record,
    record.live.filter((session) => session.id === id),
    reason,
    now,
  );
}

/** Password change, reset, disabling, or all sessions ended by force. */
export function revokeAll(record: SessionRecord, reason: EndReason, now: number): SessionRecord {
  if (record.live.length === 0) return record;
  const expiresAt = Math.max(record.allEnded?.expiresAt ?? 0, ...record.live.map((session) => session.expiresAt));
  // Not before the sessions that it ends, though another node's clock, which issued them, may be ahead.
  const at = Math.max(now, ...record.live.map((session) => session.issuedAt));
  return { ...record, live: [], allEnded: { reason, at, expiresAt } };
}

/** Time. Once recorded, an expiry is final: a lifetime prolonged later brings no session back. */
export function expire(record: SessionRecord, lifetime: LifetimeMillis, now: number): SessionRecord {
  return end(
    record,
    record.live.filter((session) => hasExpired(session, lifetime, now)),
    'SESSION_EXPIRED',
    now,
  );
}

/** How long the store has to keep the record: until no token that it speaks of could be valid by its `exp`. */
export function ttlMillisOf(record: SessionRecord, now: number): number {
  const ends = [...record.live, ...record.ended, ...(record.allEnded === null ? [] : [record.allEnded])];
  return Math.max(1, ...ends.map(({ expiresAt }) => expiresAt - now));
}

function end(record: SessionRecord, sessions: readonly LiveSession[], reason: EndReason, now: number): SessionRecord {
  if (sessions.length === 0) return record;
  const entries = sessions.map(({ id, expiresAt }) => ({ id, reason, expiresAt }));
  return {
    ...record,
    live: record.live.filter((session) => !sessions.includes(session)),
    ended: [...record.ended, ...entries].filter(({ expiresAt }) => expiresAt > now).slice(-MAX_ENDED_REMEMBERED),
  };
}
