import type { TtlStore } from '@sallyport/ttl-store';
import type { EndReason } from '../refusals.js';
import type { SubjectKey } from './session-id.js';
import { valuesOf } from './store-values.js';

/** A session that is about to be ended. */
export interface SessionEnd {
  readonly sessionId: string;
  readonly reason: EndReason;
  /** The expiry of its token, in milliseconds since 1970, by the store's clock. After that its end may be forgotten. */
  readonly expiresAt: number;
}

/**
 * The end of everything that was issued to an owner up to a moment. It includes sessions that the store doesn't show,
 * because it has lost them, or because an earlier end was not committed. Times are milliseconds since 1970, by the
 * store's clock.
 */
export interface OwnerEnd {
  readonly reason: EndReason;
  readonly at: number;
  /** The expiry of the last of the tokens. After that this end may be forgotten. */
  readonly expiresAt: number;
}

/** Keeps ends of sessions outside of their store. */
export interface SessionEnds {
  /**
   * Called by `revoke` and `revokeAll` before the store is changed, and again if another write came in between; and by
   * `issue` if it ends a session. It must resolve only when the ends survive a crash, and when later transactions can't
   * miss them. If it rejects, no session is ended (503). Writing an existing end again is not an error. `revoke` writes
   * the given session even if the store doesn't have it.
   *
   * @param all given by `revokeAll`. Keep the one with the latest `at` of each owner
   */
  write(owner: SubjectKey, ends: readonly SessionEnd[], all?: OwnerEnd): Promise<void>;
  /**
   * The written ends of these sessions, of which there are at most 120. Called when an account is first seen after the
   * session store lost data, so that lost ends are applied again. If it rejects, the request is refused with 503.
   * Without it, such ends are lost.
   */
  find?(sessionIds: readonly string[]): Promise<readonly FoundEnd[]>;
  /** The latest `all` that was written for the owner. Null if there is none. Called together with `find`. */
  findAll?(owner: SubjectKey): Promise<OwnerEnd | null>;
}

export type FoundEnd = Pick<SessionEnd, 'sessionId' | 'reason'>;

/** A store for ends. */
export type EndStore = Pick<TtlStore, 'get' | 'getAll' | 'set' | 'time'> & Partial<Pick<TtlStore, 'compareAndSet'>>;

/** Ends in a store that does not lose its data together with the sessions. */
export function endsInStore(store: EndStore, keyPrefix: string): SessionEnds {
  const keyOf = (sessionId: string) => `${keyPrefix}ended:${sessionId}`;
  const ownerKey = ({ audience, subject }: SubjectKey) => {
    return `${keyPrefix}ended-all:${audience}:${encodeURIComponent(subject)}`;
  };

  /** If two are written at the same time, the later one stays. */
  async function writeAll(key: string, end: OwnerEnd, ttlMillis: number): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const text = await store.get(key);
      if (text !== null && (JSON.parse(text) as OwnerEnd).at >= end.at) return;
      const value = JSON.stringify(end);
      if (store.compareAndSet === undefined) return store.set(key, value, ttlMillis);
      if (await store.compareAndSet(key, text, value, ttlMillis)) return;
    }
    throw new Error(`Lost ${MAX_ROUNDS} races against other ends`);
  }

  return {
    async write(owner, ends, all) {
      const time = await store.time();
      const ttlOf = (expiresAt: number) => Math.max(expiresAt - time, 0) + KEPT_AFTER_EXPIRY_MILLIS;
      await Promise.all([
        ...ends.map(({ sessionId, reason, expiresAt }) => store.set(keyOf(sessionId), reason, ttlOf(expiresAt))),
        all && writeAll(ownerKey(owner), all, ttlOf(all.expiresAt)),
      ]);
    },
    async findAll(owner) {
      const text = await store.get(ownerKey(owner));
      return text === null ? null : JSON.parse(text);
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

/** The clocks of the two stores may differ by this much. */
const KEPT_AFTER_EXPIRY_MILLIS = 3600_000;

/** A round is lost only to another end of the same owner's sessions. */
const MAX_ROUNDS = 128;
