import type { SessionClient } from './session-client.js';
import type { SubjectKey } from './session-records.js';

/** Who a request comes from. */
export interface Principal extends SubjectKey {
  /** Names the session everywhere: for `revoke`, logs and audit. Not a secret. */
  readonly sessionId: string;
  readonly terminal?: string;
}

/** A live session as an administrator sees it. Times are milliseconds since 1970. */
export interface Session extends Principal, SessionClient {
  readonly issuedAt: number;
  /** Exact to a minute, or to a tenth of the idle lifetime where that is less. */
  readonly lastSeenAt: number;
  /** The end of the absolute lifetime. */
  readonly expiresAt: number;
}
