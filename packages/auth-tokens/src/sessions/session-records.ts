import type { TtlStore } from '@sallyport/ttl-store';
import { SessionStoreUnavailableError } from '../errors.js';
import { failClosed } from '../fail-closed.js';
import { rememberParsed } from './parsed-records.js';
import { emptyRecord, type SessionRecord, ttlMillisOf } from './session-record.js';

/** Whose sessions. The same subject in another audience is somebody else. */
export interface SubjectKey {
  readonly audience: string;
  readonly subject: string;
}

/** The records in the store: read whole, replaced whole. Every failure of the store is a 503 (TOK-11). */
export interface SessionRecords {
  read(key: SubjectKey): Promise<Sighting>;
  /**
   * Atomic: reads, applies the transition and writes, again from the start when another write came between. `transition`
   * must be pure; a record that it returns as it was isn't written. Resolves to the record as it then stands.
   *
   * @param seen what was read just now, which saves reading it again
   */
  change(key: SubjectKey, transition: (record: SessionRecord) => SessionRecord, seen?: Sighting): Promise<Changed>;
}

/** A record as it stood in the store at some moment. */
export interface Sighting {
  readonly record: SessionRecord;
  /** Null: there was none. */
  readonly text: string | null;
}

export interface Changed {
  readonly before: SessionRecord;
  readonly after: SessionRecord;
}

// Each lost round is another writer's success on the same subject, so this many writers at once all get through.
const MAX_ROUNDS = 128;

export function createSessionRecords(
  store: Pick<TtlStore, 'get' | 'compareAndSet'>,
  keyPrefix: string,
  now: () => number,
): SessionRecords {
  const storeKey = ({ audience, subject }: SubjectKey) =>
    `${keyPrefix}session:${audience}:${encodeURIComponent(subject)}`;

  const parseOnce = rememberParsed(parseRecord);

  // For every request: by `fromStore` there would be a promise more to wait for.
  async function readFrom(name: string): Promise<Sighting> {
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
    async change(key, transition, seen) {
      const name = storeKey(key);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const { record: before, text } = (round === 0 ? seen : undefined) ?? (await readFrom(name));
        const after = transition(before);
        if (after === before) return { before, after };
        const ttlMillis = ttlMillisOf(after, now());
        if (await fromStore(() => store.compareAndSet(name, text, JSON.stringify(after), ttlMillis))) {
          return { before, after };
        }
      }
      throw new SessionStoreUnavailableError({ cause: new Error(`${MAX_ROUNDS} other writers came between`) });
    },
  };
}

function fromStore<T>(ask: () => Promise<T>): Promise<T> {
  return failClosed(ask, SessionStoreUnavailableError);
}

function parseRecord(text: string): SessionRecord {
  try {
    const record: SessionRecord = JSON.parse(text);
    if (record.version === 1 && Array.isArray(record.live) && Array.isArray(record.ended)) return record;
  } catch {
    // Refused below: the text isn't quoted, it holds personal data.
  }
  throw new SessionStoreUnavailableError({ cause: new Error('The session record is unreadable') });
}
