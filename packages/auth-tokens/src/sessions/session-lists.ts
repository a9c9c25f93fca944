import { createHash } from 'node:crypto';
import type { ListPage, StoreLists } from '@sallyport/ttl-store';
import { formatSessionId, parseSessionId, type SessionName, type SubjectKey } from './session-id.js';
import type { LiveSession } from './session-state.js';

/**
 * Lists of the sessions of all subjects, in addition to their records: by audience, and within it by the client's
 * address. An item names a session. Only the record shows whether it is live, so every item that is read is looked up.
 *
 * An item is put together with the record of its session, before the token of the session is made, and removed after
 * the record is written without it. A crash between two writes can therefore leave a surplus item, which the reader
 * ignores, or a session without an item that nobody can use; every session with a token has its item. The item is put
 * again with each write of activity, which also lists sessions that an earlier release opened.
 */
export interface SessionLists {
  /** Rejects if they can't be listed. */
  enter(owner: SubjectKey, sessions: readonly LiveSession[], moment: number): Promise<void>;
  /** Never rejects. The reader ignores an item that stays. */
  leave(owner: SubjectKey, sessions: readonly Pick<LiveSession, 'id' | 'issuedAt' | 'clientIp'>[]): Promise<void>;
  /** The items of one list after this one, the newest session first. */
  read(list: ListName, after: string | null, limit: number): Promise<ListPage>;
  /** Never rejects. */
  forget(list: ListName, item: string): Promise<void>;
}

/** All sessions of an audience, or those from an address. */
export interface ListName {
  readonly audience: string;
  readonly clientIp?: string | undefined;
}

/** Beyond every time of a session. The complement sorts the newest first. */
const LATEST = 99_999_999_999_999;
const TIME_DIGITS = 14;

const PRINTABLE = /^[ -~]*$/;

/** The item of a session, and its cursor: the complement of its time, and its id. Not a secret. */
export function itemOf(name: SessionName, issuedAt: number): string {
  return `${String(LATEST - issuedAt).padStart(TIME_DIGITS, '0')}.${formatSessionId(name)}`;
}

/** Null for a text that {@link itemOf} never returns. */
export function readItem(item: string): (SessionName & { readonly issuedAt: number }) | null {
  const time = item.slice(0, TIME_DIGITS);
  const name = item[TIME_DIGITS] === '.' && /^[0-9]+$/.test(time) ? parseSessionId(item.slice(TIME_DIGITS + 1)) : null;
  return name === null ? null : { ...name, issuedAt: LATEST - Number(time) };
}

export function createSessionLists(lists: StoreLists, keyPrefix: string): SessionLists {
  // The names of lists are ASCII, but a key prefix may be any text.
  const prefix = PRINTABLE.test(keyPrefix) ? keyPrefix : `${createHash('sha256').update(keyPrefix).digest('hex')}:`;
  const listOf = ({ audience, clientIp }: ListName) =>
    clientIp === undefined ? `${prefix}sessions:${audience}` : `${prefix}sessions-from:${audience}:${clientIp}`;

  /** Both lists of a session. A text that is not ASCII is not an address. */
  function listsOf({ audience }: SubjectKey, { clientIp = '' }: Pick<LiveSession, 'clientIp'>): string[] {
    const byAddress = clientIp !== '' && PRINTABLE.test(clientIp) ? [listOf({ audience, clientIp })] : [];
    return [listOf({ audience }), ...byAddress];
  }

  return {
    async enter(owner, sessions, moment) {
      await Promise.all(
        sessions.flatMap((session) => {
          const item = itemOf({ ...owner, jti: session.id }, session.issuedAt);
          const ttlMillis = Math.max(1, Math.ceil(session.expiresAt - moment));
          return listsOf(owner, session).map((list) => lists.put(list, item, ttlMillis));
        }),
      );
    },

    async leave(owner, sessions) {
      await Promise.allSettled(
        sessions.flatMap((session) => {
          const item = itemOf({ ...owner, jti: session.id }, session.issuedAt);
          return listsOf(owner, session).map((list) => lists.remove(list, item));
        }),
      );
    },

    read: (list, after, limit) => lists.read(listOf(list), after, limit),

    async forget(list, item) {
      await lists.remove(listOf(list), item).catch(() => {});
    },
  };
}
