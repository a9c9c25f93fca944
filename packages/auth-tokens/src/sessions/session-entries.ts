import { randomBytes } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import { createMarkKeeper, type MarkKeeper, type StoreLoss } from '@sallyport/ttl-store/loss';
import type { SubjectKey } from './session-id.js';

/** Single texts, next to the records. */
export interface StoredTexts {
  /** The key for the verbs of the store. */
  keyOf(name: string): string;
  read(name: string): Promise<SessionEntry>;
}

/** The entries of records in a store that may lose data. */
export interface SessionEntries {
  /** The key for the verbs of the store. */
  keyOf(owner: SubjectKey): string;
  read(owner: SubjectKey): Promise<SessionEntry>;
  readonly texts: StoredTexts;
  /** The last seen mark of the owner's part. Undefined if none was seen. */
  markOf(owner: SubjectKey): string | undefined;
}

export interface SessionEntry {
  /** Null if the store has none. */
  readonly text: string | null;
  /** The mark under which the record was read. A record with another mark may predate the last loss. */
  readonly mark: string;
}

export function sessionKey(keyPrefix: string, { audience, subject }: SubjectKey): string {
  return `${keyPrefix}session:${audience}:${encodeURIComponent(subject)}`;
}

/** The mark of the sessions in one part of the store. Another one is drawn after each loss. */
interface SessionMark {
  readonly id: string;
  readonly run: string;
}

export interface MarkedEntriesOptions {
  readonly marks: NonNullable<TtlStore['marks']>;
  readonly keyPrefix: string;
  readonly monotonic: () => number;
  readonly onLoss: (loss: StoreLoss) => void;
}

/** Each attempt fails only if the store lost data, or another node noticed it. */
const MAX_ATTEMPTS = 12;

/** Every entry is read in one step with the mark of its part. */
export function createMarkedEntries(
  options: MarkedEntriesOptions,
): SessionEntries & { readonly keeper: MarkKeeper<SessionMark> } {
  const { marks, keyPrefix, monotonic, onLoss } = options;
  const keeper = createMarkKeeper<SessionMark>({
    marks,
    key: `${keyPrefix}session-mark`,
    monotonic,
    read: readMark,
    write: JSON.stringify,
    next: ({ loss, sight }) => (loss === null ? null : { id: randomBytes(9).toString('base64url'), run: sight.run }),
    onWritten: ({ loss, before }) => {
      if (loss !== null && before !== null) onLoss(loss);
    },
  });
  const partOf = marks.parts === 1 ? () => 0 : (key: string) => hash(key) % marks.parts;
  const storedKey = (key: string) => marks.keyIn(partOf(key), key);

  async function readEntry(key: string): Promise<SessionEntry> {
    const part = partOf(key);
    let known = keeper.known(part) ?? (await keeper.settle(part));
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { holds, value } = await marks.get(part, keeper.termsOf(known), key);
      if (holds) return { text: value, mark: known.mark.id };
      known = await keeper.settle(part);
    }
    throw new Error('The mark of the session store changes all the time');
  }

  return {
    keeper,
    keyOf: (owner) => storedKey(sessionKey(keyPrefix, owner)),
    markOf: (owner) => keeper.known(partOf(sessionKey(keyPrefix, owner)))?.mark.id,
    read: (owner) => readEntry(sessionKey(keyPrefix, owner)),
    texts: {
      keyOf: (name) => storedKey(keyPrefix + name),
      read: (name) => readEntry(keyPrefix + name),
    },
  };
}

/** In a store that is trusted to lose nothing. */
export function createTexts(store: Pick<TtlStore, 'get'>, keyPrefix: string): StoredTexts {
  const keyOf = (name: string) => keyPrefix + name;
  return { keyOf, read: async (name) => ({ text: await store.get(keyOf(name)), mark: '' }) };
}

function readMark(text: string): SessionMark | null {
  try {
    const { id, run } = JSON.parse(text) as Record<string, unknown>;
    return typeof id === 'string' && typeof run === 'string' ? { id, run } : null;
  } catch {
    return null;
  }
}

/** FNV-1a. It spreads the keys over the parts, and must never change, because it decides the part of an entry. */
function hash(key: string): number {
  let hashed = 0x811c9dc5;
  for (let place = 0; place < key.length; place += 1) {
    hashed = Math.imul(hashed ^ key.charCodeAt(place), 0x01000193);
  }
  return hashed >>> 0;
}
