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

/**
 * The end of everything that was issued to an owner up to a moment, also of what the store doesn't show: it may have
 * lost it, or an earlier end may not have been committed. Times are milliseconds since 1970, by the store's clock.
 */
export interface OwnerEnd {
  readonly reason: EndReason;
  readonly at: number;
  /** When the last of the tokens expires: then it may be forgotten. */
  readonly expiresAt: number;
}

/** Keeps ends of sessions outside of their store. */
export interface SessionEnds {
  /**
   * Called by `revoke` and `revokeAll` before the store is changed, and again where another write came between; and by
   * `issue` where it ends a session. Resolves when the ends would survive a crash, and when no transaction that looks
   * for them afterwards can miss them. If it rejects, no session is ended (503). An end that is written already is no
   * error. `revoke` writes the session that it is told, whether or not the store has it.
   *
   * @param all given by `revokeAll`. Of each owner the one with the latest `at` is kept
   */
  write(owner: SubjectKey, ends: readonly SessionEnd[], all?: OwnerEnd): Promise<void>;
  /**
   * The ends of these sessions, at most 100, that were written. Called when an account is first seen after the session
   * store lost data: what it has forgotten is ended again. If it rejects, the request is refused with 503. Without it,
   * such ends are lost.
   */
  find?(sessionIds: readonly string[]): Promise<readonly FoundEnd[]>;
  /** The latest `all` that was written for the owner; null if there is none. Called beside `find`. */
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

  /** Of two at the same time, the later one stays. */
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

/** The clocks of the two stores may differ by as much. */
const KEPT_AFTER_EXPIRY_MILLIS = 3600_000;

/** Each lost round is another end of the same owner's sessions. */
const MAX_ROUNDS = 128;
