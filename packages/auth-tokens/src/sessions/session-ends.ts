import type { TtlStore } from '@sallyport/ttl-store';
import type { EndReason } from '../errors.js';
import type { SubjectKey } from './session-id.js';
import { valuesOf } from './store-values.js';

/** A session that is about to be ended. */
export interface SessionEnd {
  readonly sessionId: string;
  readonly reason: EndReason;
  /** When its token expires, in milliseconds since 1970, by the store's clock: then its end may be forgotten. */
  readonly expiresAt: number;
}

/** Keeps ends of sessions outside of their store. */
export interface SessionEnds {
  /**
   * Called by `revoke` and `revokeAll` before the store is changed, and again where another write came between.
   * Resolves when the ends would survive a crash, and when no transaction that looks for them afterwards can miss
   * them. If it rejects, no session is ended (503). An end that is written already is no error.
   */
  write(owner: SubjectKey, ends: readonly SessionEnd[]): Promise<void>;
  /**
   * The ends of these sessions, at most 100, that were written. Called when an account is first seen after the session
   * store lost data: what it has forgotten is ended again. If it rejects, the request is refused with 503. Without it,
   * such ends are lost.
   */
  find?(sessionIds: readonly string[]): Promise<readonly FoundEnd[]>;
}

export type FoundEnd = Pick<SessionEnd, 'sessionId' | 'reason'>;

/** A store for ends. */
export type EndStore = Pick<TtlStore, 'get' | 'getAll' | 'set' | 'time'>;

/** Ends in a store that does not lose its data together with the sessions. */
export function endsInStore(store: EndStore, keyPrefix: string): SessionEnds {
  const keyOf = (sessionId: string) => `${keyPrefix}ended:${sessionId}`;
  return {
    async write(_owner, ends) {
      const time = await store.time();
      await Promise.all(
        ends.map(({ sessionId, reason, expiresAt }) => {
          return store.set(keyOf(sessionId), reason, Math.max(expiresAt - time, 0) + KEPT_AFTER_EXPIRY_MILLIS);
        }),
      );
    },
    async find(sessionIds) {
      const reasons = await valuesOf(store, sessionIds.map(keyOf));
      return sessionIds.flatMap((sessionId, at) => {
        const reason = reasons[at];
        return reason == null ? [] : [{ sessionId, reason: reason as EndReason }];
      });
    },
  };
}

/** The clocks of the two stores may differ by as much. */
const KEPT_AFTER_EXPIRY_MILLIS = 3600_000;
