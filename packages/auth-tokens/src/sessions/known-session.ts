import type { RequiredValue } from '@sallyport/ttl-store';
import { describePrincipal, type Principal } from './principal.js';
import type { SubjectKey } from './session-id.js';
import type { RecordSnapshot, SessionRecords } from './session-records.js';
import type { LiveSession, SessionRecord, SessionState } from './session-state.js';

/** A session as it was read last, when it was live and needed no write. */
export interface KnownSession {
  readonly principal: Principal;
  /** The text in the store under which this is current. */
  readonly unchanged: RequiredValue;
}

/**
 * Called when a token was verified, directly before its session is read: what it asks the store shares the round trip.
 * `find` returns null if the session is not known, or needs more than the read.
 */
export type AskWithSession = (find: () => KnownSession | null) => void;

export function findKnownSession(
  records: Pick<SessionRecords, 'last'>,
  owner: SubjectKey,
  sessionId: string,
  stateIn: (record: SessionRecord) => SessionState,
  isQuiet: (session: LiveSession) => boolean,
): KnownSession | null {
  const last = records.last(owner);
  const found = last === null ? null : stateIn(last.record);
  if (last === null || found?.state !== 'live') return null;
  const { session } = found;
  // A route decides about sessions with a purpose.
  if (session.purpose !== undefined || !isQuiet(session)) return null;
  const { key, text } = last;
  return { principal: describePrincipal(owner, sessionId, session), unchanged: { key, expected: text } };
}

/**
 * The record as it was read last, if opening a session in it ends no other one: ends are written before the record, and
 * it may be out of date. The write finds out.
 */
export function knownForIssue(
  records: Pick<SessionRecords, 'last'>,
  owner: SubjectKey,
  open: (record: SessionRecord) => SessionRecord,
): RecordSnapshot | undefined {
  const last = records.last(owner);
  if (last === null) return undefined;
  const { record, text } = last;
  const isEnding = open(record).live.length !== record.live.length + 1;
  return isEnding ? undefined : { record, text, ...(record.mark !== undefined && { mark: record.mark }) };
}
