import type { TtlStore } from '@sallyport/ttl-store';
import { failClosed, SessionStoreUnavailableError } from '../errors.js';
import { memoizeParser } from './parsed-records.js';
import type { FoundEnd, OwnerEnd, SessionEnds } from './session-ends.js';
import { type SessionEntries, type SessionEntry, sessionKey } from './session-entries.js';
import { formatSessionId, type SubjectKey } from './session-id.js';
import type { SessionLists } from './session-lists.js';
import {
  emptyRecord,
  type LiveSession,
  reviseAllEnded,
  revoke,
  type SessionRecord,
  ttlMillisOf,
} from './session-state.js';
import type { SessionTime } from './session-time.js';
import { valuesOf } from './store-values.js';

/** The records in the store, read and replaced as a whole. Every failure of the store is a 503. */
export interface SessionRecords {
  read(key: SubjectKey): Promise<RecordSnapshot>;
  /** The last record that was read, with its key in the store, if it is cached. It may be out of date. */
  last(key: SubjectKey): { readonly key: string; readonly text: string; readonly record: SessionRecord } | null;
  /**
   * Reads several records in one call of the store, in the order of the keys. Null: the record is unreadable. It does
   * not use the cache of `read`. `known` are earlier snapshots, which are returned again if the text is the same.
   */
  readAll(
    keys: readonly SubjectKey[],
    known?: readonly (RecordSnapshot | undefined)[],
  ): Promise<readonly (RecordSnapshot | null)[]>;
  /**
   * Atomic: reads, applies the transition and writes. Repeats if another write came in between. `transition` must be
   * pure. A record that it returns unchanged is not written. Resolves to the record before and after.
   *
   * @param moment the time of the change, by the store's clock
   */
  change(
    key: SubjectKey,
    moment: number,
    transition: (record: SessionRecord) => SessionRecord,
    more?: ChangeOptions,
  ): Promise<Changed>;
}

interface ChangeOptions {
  /** A recent snapshot, with which the change needs no first read. */
  readonly snapshot?: RecordSnapshot;
  /** A snapshot that may be old. The write finds out, and a store with `changeAll` then returns the present record. */
  readonly presumed?: RecordSnapshot | undefined;
  /**
   * Called with the sessions that are about to be ended, before each attempt to write. If it rejects, none is ended.
   */
  readonly beforeEnd?: (ended: readonly LiveSession[], after: SessionRecord) => Promise<void>;
  /** Whether `beforeEnd` is also called without such sessions, because the store may have lost them. */
  readonly endsUnseen?: boolean;
}

/** A record as it was read at some moment. */
export interface RecordSnapshot {
  readonly record: SessionRecord;
  /** Null if the store had no record. */
  readonly text: string | null;
  /** See `SessionEntry`. */
  readonly mark?: string;
}

export interface Changed {
  readonly before: SessionRecord;
  readonly after: SessionRecord;
}

/**
 * A round is lost only if another writer on the same subject succeeded, so this many concurrent writers all succeed.
 */
const MAX_ROUNDS = 128;

/** The number of records that are read at once, few enough for every pool of connections. */
export const MAX_READS_AT_ONCE = 20;

/** Present for a store that may lose data. */
export interface LossRecovery {
  readonly entries: SessionEntries;
  readonly findEnds: NonNullable<SessionEnds['find']>;
  readonly findAllEnded: NonNullable<SessionEnds['findAll']>;
  readonly readTime: SessionTime;
}

export interface SessionRecordsOptions {
  readonly store: Pick<TtlStore, 'get' | 'getAll' | 'compareAndSet' | 'changeAll'>;
  readonly keyPrefix: string;
  readonly lists?: Pick<SessionLists, 'enter' | 'leave'> | null;
  /** Null if the store is trusted to lose nothing. */
  readonly recovery?: LossRecovery | null;
}

export function createSessionRecords(options: SessionRecordsOptions): SessionRecords {
  const { store, keyPrefix, lists = null, recovery = null } = options;
  const keyOf = recovery?.entries.keyOf ?? ((owner) => sessionKey(keyPrefix, owner));
  const { parse: parseOnce, last } = memoizeParser(parseRecord);

  // Not `failClosed`, which would add a promise: every request reads.
  async function readFrom(owner: SubjectKey, name: string): Promise<RecordSnapshot> {
    let text: string | null;
    try {
      if (recovery !== null) return await readMarked(owner, name, recovery);
      text = await store.get(name);
    } catch (cause) {
      if (cause instanceof SessionStoreUnavailableError) throw cause;
      throw new SessionStoreUnavailableError({ cause });
    }
    return { record: text === null ? emptyRecord : parseOnce(name, text), text };
  }

  async function readMarked(owner: SubjectKey, name: string, how: LossRecovery): Promise<RecordSnapshot> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { text, mark } = await how.entries.read(owner);
      if (text === null) return { record: emptyRecord, text, mark };
      const record = parseOnce(name, text);
      if (record.mark === mark) return { record, text, mark };
      const recovered = await recover(owner, name, { record, text, mark }, how);
      if (recovered !== null) return recovered;
    }
    throw lostRaces();
  }

  /**
   * The record may predate the last loss of the store. Applies the lost ends again, and records that in its mark. Null
   * if another write came in between.
   */
  async function recover(
    owner: SubjectKey,
    name: string,
    { record, text, mark }: SessionEntry & { readonly record: SessionRecord },
    { findEnds, findAllEnded, readTime }: LossRecovery,
  ): Promise<RecordSnapshot | null> {
    const moment = await readTime();
    const jtiOf = new Map(record.live.map(({ id }) => [formatSessionId({ jti: id, ...owner }), id]));
    const asked = jtiOf.size === 0 ? [[], null] : [findEnds([...jtiOf.keys()]), findAllEnded(owner)];
    const [ends, all] = (await Promise.all(asked)) as [readonly FoundEnd[], OwnerEnd | null];
    let after: SessionRecord = { ...record, mark };
    for (const { sessionId, reason } of ends) {
      const jti = jtiOf.get(sessionId);
      if (jti !== undefined) after = revoke(after, jti, reason, moment);
    }
    if (all !== null) after = reviseAllEnded(after, all);
    const written = JSON.stringify(after);
    if (!(await store.compareAndSet(name, text, written, ttlMillisOf(after, moment)))) return null;
    return { record: after, text: written, mark };
  }

  return {
    read: (key) => readFrom(key, keyOf(key)),
    last(owner) {
      const key = keyOf(owner);
      const parsed = last(key);
      return parsed === undefined ? null : { key, ...parsed };
    },
    async readAll(keys, known = []) {
      const names = keys.map(keyOf);
      const texts = await failClosed(() => valuesOf(store, names), SessionStoreUnavailableError);
      const snapshots = names.map((_name, place) => {
        const text = texts[place] ?? null;
        const earlier = known[place];
        return earlier?.text === text ? earlier : readSnapshot(text);
      });
      if (recovery === null) return snapshots;
      // Records that may predate the last loss are read as in `read`. The mark is read every second.
      const stale = keys.flatMap((key, place) => {
        const snapshot = snapshots[place] ?? null;
        const isKnown = snapshot === null || snapshot.text === null;
        return isKnown || snapshot.record.mark === recovery.entries.markOf(key) ? [] : [{ key, place }];
      });
      while (stale.length > 0) {
        await Promise.all(
          stale.splice(0, MAX_READS_AT_ONCE).map(async ({ key, place }) => {
            snapshots[place] = await readFrom(key, keyOf(key));
          }),
        );
      }
      return snapshots;
    },
    change,
  };

  /** Null if it was written. Otherwise the present text, if the store returns it. */
  async function replace(name: string, text: string | null, written: string, ttlMillis: number, isPresumed: boolean) {
    if (!isPresumed || store.changeAll === undefined) {
      return (await store.compareAndSet(name, text, written, ttlMillis)) ? null : { text: undefined };
    }
    const changes = await store.changeAll([{ key: name, expected: text, value: written, ttlMillis }]);
    return changes.done ? null : { text: changes.values[0] ?? null };
  }

  /** The record that a write has met, unless it has to be read, because it may predate a loss. */
  function foundInstead(name: string, text: string | null | undefined, mark?: string): RecordSnapshot | undefined {
    if (text === undefined) return undefined;
    const record = text === null ? emptyRecord : parseOnce(name, text);
    if (text !== null && recovery !== null && record.mark !== mark) return undefined;
    return { record, text, ...(mark !== undefined && { mark }) };
  }

  /** A session that could not be listed has no token yet, and nobody has seen it. */
  async function withdraw(key: SubjectKey, moment: number, opened: readonly LiveSession[]): Promise<void> {
    await change(key, moment, (record) => {
      const live = record.live.filter(({ id }) => !isIn(opened, id));
      return live.length === record.live.length ? record : { ...record, live };
    }).catch(() => {});
  }

  async function change(
    key: SubjectKey,
    moment: number,
    transition: (record: SessionRecord) => SessionRecord,
    { snapshot, presumed, beforeEnd, endsUnseen = false }: ChangeOptions = {},
  ): Promise<Changed> {
    const name = keyOf(key);
    const listed = new Set<string>();
    let found = snapshot ?? presumed;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const isPresumed = found !== undefined && found === presumed;
      const { record: before, text, mark } = found ?? (await readFrom(key, name));
      found = undefined;
      const changed = transition(before);
      const ended = before.live.filter(({ id }) => !isIn(changed.live, id));
      if (ended.length > 0 || endsUnseen) await beforeEnd?.(ended, changed);
      if (changed === before) {
        // Records that the store had lost may be restored by now, without the end that was just written.
        if (!endsUnseen || (await readFrom(key, name)).text === text) return { before, after: before };
        continue;
      }
      const after = mark === undefined ? changed : { ...changed, mark };
      const written = JSON.stringify(after);
      const ttlMillis = ttlMillisOf(after, moment);
      const { opened, touched } = toList({ before, after }, listed);
      // Items and record are written together, unless the record ends other sessions, which must not end in vain.
      // Touched sessions have an item, and are only listed again.
      const entering = lists === null || opened.length === 0 ? undefined : lists.enter(key, opened, moment);
      if (ended.length > 0 && entering !== undefined) await failClosed(() => entering, SessionStoreUnavailableError);
      const touching = touched.length === 0 ? undefined : lists?.enter(key, touched, moment);
      const [writing, entered] = await Promise.allSettled([
        failClosed(() => replace(name, text, written, ttlMillis, isPresumed), SessionStoreUnavailableError),
        entering,
        touching,
      ]);
      if (entered.status === 'rejected') {
        // A session without an item is not opened.
        if (writing.status === 'fulfilled' && writing.value === null) await withdraw(key, moment, opened);
        throw new SessionStoreUnavailableError({ cause: entered.reason });
      }
      if (writing.status === 'rejected') throw writing.reason;
      if (writing.value !== null) {
        found = foundInstead(name, writing.value.text, mark);
        continue;
      }
      // The next request of the owner needs no second round trip.
      parseOnce(name, written);
      if (ended.length > 0) await lists?.leave(key, ended);
      return { before, after };
    }
    throw new SessionStoreUnavailableError({ cause: lostRaces() });
  }
}

function lostRaces(): Error {
  return new Error(`Lost ${MAX_ROUNDS} races against other writers`);
}

/** The sessions that a change opens or touches, except those that its earlier rounds have listed. */
function toList({ before, after }: Changed, listed: Set<string>) {
  const changed = after.live.filter((session) => !before.live.includes(session) && !listed.has(session.id));
  for (const { id } of changed) listed.add(id);
  const isTouched = ({ id }: LiveSession) => isIn(before.live, id);
  return { opened: changed.filter((session) => !isTouched(session)), touched: changed.filter(isTouched) };
}

function isIn(sessions: readonly LiveSession[], id: string): boolean {
  return sessions.some((session) => session.id === id);
}

function readSnapshot(text: string | null): RecordSnapshot | null {
  try {
    return { record: text === null ? emptyRecord : parseRecord(text), text };
  } catch {
    return null;
  }
}

function parseRecord(text: string): SessionRecord {
  try {
    const record: SessionRecord = JSON.parse(text);
    if (record.version === 1 && Array.isArray(record.live) && Array.isArray(record.ended)) return record;
  } catch {
    // The parser's message quotes the text, which contains personal data.
  }
  throw new SessionStoreUnavailableError({ cause: new Error('The session record is unreadable') });
}
