export {
  type AudienceLifetime,
  isLifetimeSeconds,
  MAX_LIFETIME_SECONDS,
  readLifetime,
  type Seconds,
} from './lifetimes.js';
export type { Principal, Session } from './principal.js';
export { describeClient, type SessionClient } from './session-client.js';
export {
  AUDIENCE,
  createJti,
  formatSessionId,
  isSubject,
  MAX_SUBJECT_BYTES,
  parseSessionId,
  type SessionName,
} from './session-id.js';
export {
  expire,
  hasExpired,
  issue,
  type LifetimeMillis,
  type LiveSession,
  revoke,
  revokeAll,
  type SessionRecord,
  stateOf,
  touch,
} from './session-record.js';
export { type Changed, createSessionRecords, type SessionRecords, type SubjectKey } from './session-records.js';
