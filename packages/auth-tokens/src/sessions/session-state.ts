import { networkKey, parseIp } from '@sallyport/plugin-kit/addresses';
import type { EndReason } from '../refusals.js';

/**
 * The sessions of one subject in one audience. The record is replaced as a whole by compare-and-set, so every
 * transition below is atomic, and a check is one read.
 */
export interface SessionRecord {
  /** The version of the layout. A record with another version is refused. */
  readonly version: 1;
  readonly live: readonly LiveSession[];
  /**
   * The most recently ended sessions, oldest first, from which a refused client learns the reason. Their number is
   * bounded.
   */
  readonly ended: readonly EndedSession[];
  /** The last time at which all sessions were ended together. */
  readonly allEnded: AllEnded | null;
  /** The mark of the store when the ends that it might have lost were looked up. Absent if they never were. */
  readonly mark?: string;
}

/** The last time at which the owner of a session proved to be there. */
export interface SessionProof {
  /** The kind of the proof, as the application named it, such as `password` or `factor`. */
  readonly method: string;
  /** In milliseconds since 1970, by the store's clock. */
  readonly at: number;
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
  /** Absent: a full session. */
  readonly purpose?: string;
  readonly proof?: SessionProof;
}

export interface EndedSession {
  readonly id: string;
  readonly reason: EndReason;
  /** From this time on the token is refused because of its `exp`, so this entry is no longer needed. */
  readonly expiresAt: number;
}

export interface AllEnded {
  readonly reason: EndReason;
  readonly at: number;
  /** The time at which the last of the sessions that it ended would have expired. */
  readonly expiresAt: number;
}

/** The current lifetimes of an audience. */
export interface LifetimeMillis {
  readonly idle: number;
  readonly absolute: number;
}

/** The state of one session. */
export type SessionState =
  | { readonly state: 'live'; readonly session: LiveSession }
  | { readonly state: 'expired'; readonly session: LiveSession }
  | { readonly state: 'ended'; readonly reason: EndReason };

/** More than a subject usually has live sessions. The entries take 3 KB of the record. */
const MAX_ENDED_SESSIONS = 32;

/** The number of sessions with a purpose, in addition to full ones. They live for minutes. */
const MAX_SESSIONS_WITH_PURPOSE = 20;

export const emptyRecord: SessionRecord = { version: 1, live: [], ended: [], allEnded: null };

/** @param issuedAt of the token, in whole seconds: decides whether `allEnded` included this session */
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
  // Forgotten long after its expiry, or lost by the store.
  return { state: 'ended', reason: 'SESSION_EXPIRED' };
}

/**
 * A shortened lifetime applies at once. A prolonged one can't outlive the token's `exp`. A session with a purpose has a
 * lifetime of its own.
 */
export function hasExpired(session: LiveSession, lifetime: LifetimeMillis, now: number): boolean {
  if (now >= session.expiresAt) return true;
  if (session.purpose !== undefined) return false;
  return now >= session.issuedAt + lifetime.absolute || now >= session.lastSeenAt + lifetime.idle;
}

/**
 * Sign-in. Ends the least recently seen full session if the subject has its maximum. A session with a purpose never
 * ends a full one.
 *
 * @param replaced the session that ends with this write. If it is not live, nothing is issued
 */
export function issue(
  record: SessionRecord,
  session: LiveSession,
  maxSessions: number,
  lifetime: LifetimeMillis,
  replaced?: string,
): SessionRecord {
  const present = expire(record, lifetime, session.issuedAt);
  if (replaced !== undefined && !present.live.some(({ id }) => id === replaced)) return present;
  const current = replaced === undefined ? present : revoke(present, replaced, 'SESSION_REVOKED', session.issuedAt);
  const alike = current.live.filter(({ purpose }) => (purpose === undefined) === (session.purpose === undefined));
  const superseded =
    session.purpose === undefined ? leastRecentlySeen(alike, maxSessions - 1) : displacedFor(session, alike);
  const rest = end(current, superseded, 'SESSION_SUPERSEDED', session.issuedAt);
  return { ...rest, live: [...rest.live, session] };
}

function leastRecentlySeen(sessions: readonly LiveSession[], kept: number): LiveSession[] {
  const byLastSeen = [...sessions].sort((one, other) => one.lastSeenAt - other.lastSeenAt);
  return byLastSeen.slice(0, Math.max(0, byLastSeen.length - kept));
}

/**
 * The oldest session of the network that has most of them. A guessed password is enough for such a session, so a flood
 * from one network displaces its own, and not the owner's.
 */
function displacedFor(session: LiveSession, pending: readonly LiveSession[]): LiveSession[] {
  if (pending.length < MAX_SESSIONS_WITH_PURPOSE) return [];
  const oldestFirst = [...pending, session].sort((one, other) => one.issuedAt - other.issuedAt);
  const byNetwork = new Map<string, LiveSession[]>();
  for (const each of oldestFirst) byNetwork.set(networkOf(each), [...(byNetwork.get(networkOf(each)) ?? []), each]);
  const most = Math.max(...[...byNetwork.values()].map(({ length }) => length));
  const [oldest] = oldestFirst.filter((each) => each !== session && byNetwork.get(networkOf(each))?.length === most);
  return oldest === undefined ? [] : [oldest];
}

function networkOf({ clientIp = '' }: LiveSession): string {
  const address = parseIp(clientIp);
  // A site has 65 536 networks of a subscriber.
  return address === null ? clientIp : networkKey(address, 48);
}

/** Records activity of a live session. An ended session stays ended. */
export function touch(record: SessionRecord, id: string, now: number): SessionRecord {
  if (!record.live.some((session) => session.id === id && session.lastSeenAt < now)) return record;
  return {
    ...record,
    live: record.live.map((session) => (session.id === id ? { ...session, lastSeenAt: now } : session)),
  };
}

/** Records a proof of a live session, or that it has none. An ended or expired session stays as it is. */
export function prove(
  record: SessionRecord,
  id: string,
  method: string | null,
  lifetime: LifetimeMillis,
  at: number,
): SessionRecord {
  const renewed = ({ proof: _, ...session }: LiveSession): LiveSession =>
    method === null ? session : { ...session, proof: { method, at } };
  if (!record.live.some((session) => session.id === id && !hasExpired(session, lifetime, at))) return record;
  return { ...record, live: record.live.map((session) => (session.id === id ? renewed(session) : session)) };
}

/** Ends one session: logout, or by force. */
export function revoke(record: SessionRecord, id: string, reason: EndReason, now: number): SessionRecord {
  return end(
    record,
    record.live.filter((session) => session.id === id),
    reason,
    now,
  );
}

/**
 * Ends all sessions: password change, reset, disabling, or by force.
 *
 * @param unseenExpireAt the latest expiry of sessions that the store has lost: their end is recorded, even if none is
 *   live. Absent: the store is trusted to lose nothing
 */
export function revokeAll(
  record: SessionRecord,
  reason: EndReason,
  now: number,
  unseenExpireAt?: number,
): SessionRecord {
  const { live, allEnded } = record;
  if (live.length === 0 && unseenExpireAt === undefined) return record;
  const expiresAt = Math.max(
    allEnded?.expiresAt ?? 0,
    unseenExpireAt ?? 0,
    ...live.map((session) => session.expiresAt),
  );
  // Never earlier than the sessions that it ends, because the clock of the node that issued them may be ahead. It is
  // also later than the previous end, so that a reader which has seen that one can distinguish the two.
  const at = Math.max(now, (allEnded?.at ?? 0) + 1, ...live.map((session) => session.issuedAt));
  return { ...record, live: [], allEnded: { reason, at, expiresAt } };
}

/**
 * Applies an end of all sessions that the store may have lost. If the record knows this end, its sessions were all
 * opened after it. Otherwise, the time of issue decides.
 */
export function reviseAllEnded(record: SessionRecord, end: AllEnded): SessionRecord {
  if (record.allEnded !== null && record.allEnded.at >= end.at) return record;
  return { ...record, live: record.live.filter(({ issuedAt }) => issuedAt > end.at), allEnded: end };
}

/** Ends expired sessions. A recorded expiry is final, even if the lifetime is prolonged later. */
export function expire(record: SessionRecord, lifetime: LifetimeMillis, now: number): SessionRecord {
  return end(
    record,
    record.live.filter((session) => hasExpired(session, lifetime, now)),
    'SESSION_EXPIRED',
    now,
  );
}

/** The time for which the store has to keep the record, which is until the `exp` of the last token in it. */
export function ttlMillisOf(record: SessionRecord, now: number): number {
  const ends = [...record.live, ...record.ended, ...(record.allEnded === null ? [] : [record.allEnded])];
  return Math.max(1, ...ends.map(({ expiresAt }) => expiresAt - now));
}

function end(record: SessionRecord, sessions: readonly LiveSession[], reason: EndReason, now: number): SessionRecord {
  if (sessions.length === 0) return record;
  // Sessions with a purpose come and go in numbers, and must not displace what clients of full ones are told.
  const isTold = reason !== 'SESSION_EXPIRED' && reason !== 'SESSION_SUPERSEDED';
  const entries = sessions
    .filter(({ purpose }) => isTold || purpose === undefined)
    .map(({ id, expiresAt }) => ({ id, reason, expiresAt }));
  return {
    ...record,
    live: record.live.filter((session) => !sessions.includes(session)),
    ended: [...record.ended, ...entries].filter(({ expiresAt }) => expiresAt > now).slice(-MAX_ENDED_SESSIONS),
  };
}
