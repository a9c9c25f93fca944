import type { TtlStore } from '@sallyport/ttl-store';
import { failClosed, SessionStoreUnavailableError } from '../errors.js';
import { LruCache } from '../lru-cache.js';
import type { SubjectKey } from './session-id.js';
import { emptyRecord, type SessionRecord, ttlMillisOf } from './session-state.js';

/** The records in the store, read and replaced as a whole. Every failure of the store is a 503 (TOK-11). */
export interface SessionRecords {
  read(key: SubjectKey): Promise<RecordSnapshot>;
  /**
   * Atomic: reads, applies the transition and writes; repeats if another write came between. `transition` must be pure.
   * A record that it returns unchanged is not written. Resolves to the record before and after.
   *
   * @param moment the time of the change, by the store's clock
   * @param snapshot a recent read, which saves the first one
   */
  change(
    key: SubjectKey,
    moment: number,
    transition: (record: SessionRecord) => SessionRecord,
    snapshot?: RecordSnapshot,
  ): Promise<Changed>;
}

/** A record as it was read at some moment. */
export interface RecordSnapshot {
  readonly record: SessionRecord;
  /** Null if the store had none. */
  readonly text: string | null;
}

export interface Changed {
  readonly before: SessionRecord;
  readonly after: SessionRecord;
}

/** Each lost round is a success of another writer on the same subject: this many concurrent writers all succeed. */
const MAX_ROUNDS = 128;

/** Subjects in the cache, at least; at most twice as many: typically 4 MB. */
const MIN_CACHED_RECORDS = 2048;

/** In characters. Longer texts are not cached, so the cache never exceeds 64 MB. */
const MAX_CACHED_LENGTH = 8192;

export function createSessionRecords(
  store: Pick<TtlStore, 'get' | 'compareAndSet'>,
  keyPrefix: string,
): SessionRecords {
  const storeKey = ({ audience, subject }: SubjectKey) =>
    `${keyPrefix}session:${audience}:${encodeURIComponent(subject)}`;

  const parseOnce = memoizeParser(parseRecord);

  // Every request reads. `failClosed` would add a promise.
  async function readFrom(name: string): Promise<RecordSnapshot> {
    let text: string | null;
    try {
      text = await store.get(name);
    } catch (cause) {
      throw new SessionStoreUnavailableError({ cause });
    }
    return { record: text === null ? emptyRecord : parseOnce(name, text), text };
  }

  return {
    read: (key) => readFrom(storeKey(key)),
    async change(key, moment, transition, snapshot) {
      const name = storeKey(key);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const { record: before, text } = (round === 0 ? snapshot : undefined) ?? (await readFrom(name));
        const after = transition(before);
        if (after === before) return { before, after };
        const ttlMillis = ttlMillisOf(after, moment);
        const isWritten = await failClosed(
          () => store.compareAndSet(name, text, JSON.stringify(after), ttlMillis),
          SessionStoreUnavailableError,
        );
        if (isWritten) return { before, after };
      }
      throw new SessionStoreUnavailableError({ cause: new Error(`Lost ${MAX_ROUNDS} races against other writers`) });
    },
  };
}

/**
 * Caches parsed records by name. The store is still read on every request, and a cached record is used only if the text
 * is the same, so it is never out of date.
 */
export function memoizeParser(parse: (text: string) => SessionRecord): (name: string, text: string) => SessionRecord {
  const cache = new LruCache<{ readonly text: string; readonly record: SessionRecord }>(MIN_CACHED_RECORDS);
  return function parseOnce(name, text) {
    const cached = cache.get(name);
    if (cached?.text === text) return cached.record;
    const record = deepFreeze(parse(text));
    if (text.length <= MAX_CACHED_LENGTH) cache.set(name, { text, record });
    return record;
  };
}

/** Many requests share the record. */
function deepFreeze(record: SessionRecord): SessionRecord {
  for (const part of [...record.live, ...record.ended, record.live, record.ended, record.allEnded]) Object.freeze(part);
  return Object.freeze(record);
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
