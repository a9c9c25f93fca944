export { type AskWithSession, findKnownSession, type KnownSession, knownForIssue } from './known-session.js';
export {
  type AudienceLifetime,
  audiencesRule,
  createLifetimeReader,
  type LifetimeReader,
  type Lifetimes,
  MAX_LIFETIME_SECONDS,
} from './lifetimes.js';
export {
  describeClient,
  describePrincipal,
  type Principal,
  type Session,
  type SessionClient,
} from './principal.js';
export {
  type EndStore,
  endsInStore,
  type FoundEnd,
  type OwnerEnd,
  type SessionEnd,
  type SessionEnds,
} from './session-ends.js';
export { createMarkedEntries, createTexts, type SessionEntry, type StoredTexts } from './session-entries.js';
export {
  AUDIENCE,
  createJti,
  formatSessionId,
  isSubject,
  MAX_SUBJECT_BYTES,
  parseSessionId,
  type SessionName,
  type SubjectKey,
} from './session-id.js';
export { createSessionLists, type SessionLists } from './session-lists.js';
export {
  assertPurpose,
  purposeLifetimeMillis,
  type SessionPurpose,
  type SessionPurposes,
  sessionPurposesRule,
} from './session-purposes.js';
export { type Changed, createSessionRecords, type RecordSnapshot, type SessionRecords } from './session-records.js';
export { createSessionSearch, describeSession, type SessionPage, type SessionQuery } from './session-search.js';
export { isEndedByAll, noteSight, withProofOf } from './session-sights.js';
export {
  expire,
  hasExpired,
  issue,
  type LifetimeMillis,
  type LiveSession,
  prove,
  revoke,
  revokeAll,
  type SessionProof,
  type SessionRecord,
  stateOf,
  touch,
} from './session-state.js';
export { createSessionTime, type SessionTime } from './session-time.js';
