import type { EndReason } from '../errors.js';
import type { SubjectKey } from './session-id.js';

/** A session that is about to be ended. */
export interface SessionEnd {
  readonly sessionId: string;
  readonly reason: EndReason;
  /** When its token expires, in milliseconds since 1970, by the store's clock: then its end may be forgotten. */
  readonly expiresAt: number;
}

/** Keeps ends of sessions outside of their store. Requirement TOK-13. */
export interface SessionEnds {
  /**
   * Called by `revoke` and `revokeAll` before the store is changed, and again where another write came between.
   * Resolves when the ends would survive a crash, and when no transaction that looks for them afterwards can miss
   * them. If it rejects, no session is ended (503). An end that is written already is no error.
   */
  write(owner: SubjectKey, ends: readonly SessionEnd[]): Promise<void>;
}
