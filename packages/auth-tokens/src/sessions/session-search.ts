import { failClosed, SessionStoreUnavailableError } from '../errors.js';
import { type LifetimeReader, onceForAudience } from './lifetimes.js';
import type { Session } from './principal.js';
import { formatSessionId, type SessionName, type SubjectKey } from './session-id.js';
import { itemOf, type ListName, readItem, type SessionLists } from './session-lists.js';
import { MAX_READS_AT_ONCE, type SessionRecords } from './session-records.js';
import { hasExpired, type LiveSession, type SessionRecord } from './session-state.js';
import type { SessionTime } from './session-time.js';

/** The query: the sessions, and the start of the page. */
export interface SessionQuery {
  /** Default: every audience. */
  readonly audience?: string | undefined;
  /** Only sessions of these owners, at most 100. It does not need lists of the store. */
  readonly owners?: readonly SubjectKey[] | undefined;
  /** Only sessions that were opened from this address. */
  readonly clientIp?: string | undefined;
  /** `next` of the previous page. Default: start with the newest session. */
  readonly after?: string | null | undefined;
  /** The maximum number of sessions, 1 to 200. Default 20. */
  readonly limit?: number | undefined;
}

export interface SessionPage {
  /** The newest first. */
  readonly sessions: readonly Session[];
  /** `after` of the next page. Null if there is none. A page may be short, or empty, although others follow. */
  readonly next: string | null;
}

export interface SessionSearchDependencies {
  /** Null if the store has no lists. */
  readonly lists: SessionLists | null;
  readonly records: Pick<SessionRecords, 'read'>;
  readonly audiences: ReadonlySet<string>;
  readonly readLifetime: LifetimeReader;
  readonly readTime: SessionTime;
}

/** The maximum size of a page. It stays small because a request waits for the records of a page. */
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 20;

/** The maximum number of owners. All of their records are read for a page. */
const MAX_OWNERS = 100;

/**
 * The number of times that lists are read for a page if their items are not live sessions. After that, the page is
 * short.
 */
const MAX_ROUNDS = 5;

/**
 * An item without a session is kept for a minute, because its sign-in may be between its two writes. A sign-in that
 * takes longer is listed with its first activity.
 */
const KEPT_ITEM_MILLIS = 60_000;

/** An item, and the lists that have it. */
interface FoundItem extends SessionName {
  readonly item: string;
  readonly issuedAt: number;
}

/** Finds sessions of all subjects. Every failure of the store is a 503. */
export function createSessionSearch(
  dependencies: SessionSearchDependencies,
): (query: SessionQuery) => Promise<SessionPage> {
  const { lists, records, audiences, readLifetime, readTime } = dependencies;

  /** The items of several lists in order, up to the point to which all lists were read. */
  async function readLists(names: readonly ListName[], after: string | null, limit: number) {
    if (lists === null) throw new TypeError('The store has no lists, so sessions can be found by their owners only');
    const pages = await failClosed(
      () => Promise.all(names.map((name) => lists.read(name, after, limit))),
      SessionStoreUnavailableError,
    );
    const ends = pages.flatMap(({ next }) => (next === null ? [] : [next])).sort();
    const items = [...new Set(pages.flatMap((page) => page.items))].sort();
    const read = ends[0] === undefined ? items : items.filter((item) => item <= ends[0]!);
    const taken = read.slice(0, limit);
    return { items: taken, next: read.length > limit ? (taken.at(-1) as string) : (ends[0] ?? null) };
  }

  async function readRecords(owners: readonly SubjectKey[]): Promise<Map<string, SessionRecord>> {
    const distinct = new Map(owners.map(({ audience, subject }) => [`${audience}:${subject}`, { audience, subject }]));
    const found = new Map<string, SessionRecord>();
    const left = [...distinct];
    while (left.length > 0) {
      await Promise.all(
        left.splice(0, MAX_READS_AT_ONCE).map(async ([name, owner]) => {
          found.set(name, (await records.read(owner)).record);
        }),
      );
    }
    return found;
  }

  /** The live sessions of these items. Removes items whose session no longer exists. */
  async function lookUp(names: readonly ListName[], items: readonly string[], { audience, clientIp }: SessionQuery) {
    const named = items.flatMap((item): FoundItem[] => {
      const name = readItem(item);
      const isWanted = name !== null && audiences.has(name.audience) && (audience ?? name.audience) === name.audience;
      return isWanted ? [{ ...name, item }] : [];
    });
    const found = await readRecords(named);
    const moment = await readTime();
    const lifetimeOf = onceForAudience(readLifetime);
    const sessions: Session[] = [];
    const stale: FoundItem[] = [];
    for (const each of named) {
      const { live } = found.get(`${each.audience}:${each.subject}`) as SessionRecord;
      const session = live.find(({ id }) => id === each.jti);
      const { audience, subject } = each;
      if (session === undefined) stale.push(each);
      else if (
        (clientIp ?? session.clientIp) === session.clientIp &&
        !hasExpired(session, await lifetimeOf(audience), moment)
      ) {
        sessions.push(describeSession({ audience, subject }, session));
      }
    }
    const forgotten = stale.filter(({ issuedAt }) => issuedAt < moment - KEPT_ITEM_MILLIS);
    await Promise.all(forgotten.flatMap(({ item }) => names.map((name) => lists?.forget(name, item))));
    return sessions;
  }

  /** The record of an owner has all of its sessions. */
  async function findOfOwners(owners: readonly SubjectKey[], { clientIp, after }: SessionQuery, limit: number) {
    const found = await readRecords(owners);
    const moment = await readTime();
    const lifetimeOf = onceForAudience(readLifetime);
    const listed: { readonly item: string; readonly session: Session }[] = [];
    for (const { audience, subject } of owners) {
      const lifetime = await lifetimeOf(audience);
      for (const session of found.get(`${audience}:${subject}`)?.live ?? []) {
        if ((clientIp ?? session.clientIp) !== session.clientIp || hasExpired(session, lifetime, moment)) continue;
        const item = itemOf({ jti: session.id, audience, subject }, session.issuedAt);
        listed.push({ item, session: describeSession({ audience, subject }, session) });
      }
    }
    const rest = listed
      .filter(({ item }) => item > (after ?? ''))
      .sort((one, other) => (one.item < other.item ? -1 : 1));
    const taken = rest.slice(0, limit);
    return {
      sessions: taken.map(({ session }) => session),
      next: rest.length > limit ? (taken.at(-1)?.item ?? null) : null,
    };
  }

  return async function findSessions(query) {
    const { audience, owners, clientIp, limit = DEFAULT_LIMIT } = query;
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw new TypeError(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
    }
    const named = [...(audience === undefined ? [] : [audience]), ...(owners ?? []).map((owner) => owner.audience)];
    if (!named.every((name) => audiences.has(name))) {
      throw new TypeError(`audience must be one of ${[...audiences].join(', ')}`);
    }
    if (owners !== undefined) {
      if (owners.length > MAX_OWNERS) throw new TypeError(`owners must be at most ${MAX_OWNERS}`);
      return findOfOwners(
        owners.filter((owner) => (audience ?? owner.audience) === owner.audience),
        query,
        limit,
      );
    }
    const names = [...(audience === undefined ? audiences : [audience])].map((each) => ({ audience: each, clientIp }));
    const sessions: Session[] = [];
    let next = query.after ?? null;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const page = await readLists(names, next, limit - sessions.length);
      sessions.push(...(await lookUp(names, page.items, query)));
      next = page.next;
      if (next === null || sessions.length === limit) break;
    }
    return { sessions, next };
  };
}

/** A session as administrators see it: without the key of its token. */
export function describeSession(owner: SubjectKey, { id: jti, keyId: _keyId, ...session }: LiveSession): Session {
  return { ...owner, sessionId: formatSessionId({ jti, ...owner }), ...session };
}
