import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';

/** OTC-1: at most three codes per recipient are valid at once. Each has its own place, so that no code ends another. */
const PLACES = [0, 1, 2] as const;

/**
 * The codes of one purpose leave a place for another purpose. Strangers who request codes for the recovery of a
 * password must not keep the owner from a code for sign-in. Requirement OTC-2.
 */
const MAX_OF_PURPOSE = PLACES.length - 1;

/** OTC-1: 128 random bits. */
const HANDLE_BYTES = 16;
const ID_BYTES = 16;

/** A handle for every live code, because its send needed no new message. */
export const EVERY_CODE = '*';

/** The stored record of a code. It reveals neither code nor recipient. */
export interface CodeEntry {
  readonly id: string;
  /** The hash of recipient, id and code. */
  readonly digest: string;
  readonly digits: number;
  /** Whether the code is longer than usual, because guesses were in progress. */
  readonly isLong: boolean;
  /** Null: the code serves every purpose. */
  readonly purpose: string | null;
  /** The times at which the code was sent and until which it is valid, in milliseconds since the Unix epoch. */
  readonly sentAt: number;
  readonly expiresAt: number;
  /** The networks for which the send was counted. A sign-in reverts these counts. */
  readonly networks: readonly string[];
  /** Whether the recipient had never signed in. It decides the share of the budgets in which the send was counted. */
  readonly isNewRecipient: boolean;
}

/** A code in the store. */
export interface LiveCode {
  readonly entry: CodeEntry;
  /** Uses the code up. Of all calls, on any number of nodes, exactly one resolves to true. */
  take(): Promise<boolean>;
}

export interface LiveCodesOptions {
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'get' | 'set' | 'compareAndDelete'>;
  readonly key: Uint8Array;
  readonly keyPrefix: string;
}

/** The properties of a code before it is made. */
export type NewCode = Omit<CodeEntry, 'id' | 'digest'>;

/** The codes of recipients, and the handles of sends. */
export interface LiveCodes {
  /** The name under which a recipient is counted. A keyed hash. */
  tagOf(recipient: string): string;
  /**
   * Makes a code. Null if three codes are live, or two of its purpose.
   *
   * @param isLongOnly whether shorter codes are no longer accepted: one of them then gives its place to a long one
   */
  add(
    recipient: string,
    plan: NewCode,
    isLongOnly: boolean,
  ): Promise<{ readonly code: string; readonly live: LiveCode } | null>;
  list(recipient: string): Promise<readonly LiveCode[]>;
  /** Ends the oldest codes until one of every purpose finds a place. Resolves to how many it ended. */
  makePlace(recipient: string): Promise<number>;
  /** Makes a handle for the code with this id, or for {@link EVERY_CODE}. */
  bind(recipient: string, target: string, ttlMillis: number): Promise<string>;
  /** The name under which a handle is counted, and its target; null if it is unknown or of another recipient. */
  resolve(recipient: string, handle: string): Promise<{ readonly tag: string; readonly target: string } | null>;
  /** Whether the code matches the entry. Takes the same time for every code and without an entry. */
  isRight(recipient: string, entry: CodeEntry | null, code: string): boolean;
}

/** The entry of an empty place. Comparing with it takes the same work and always fails. */
const NO_CODE = { id: 'none', digest: '' };

export function createLiveCodes({ store, key, keyPrefix }: LiveCodesOptions): LiveCodes {
  // The parts are joined by a byte that a validated part does not contain. The first part is the purpose of the hash.
  const hash = (...parts: readonly string[]) => createHmac('sha256', key).update(parts.join('\0')).digest('base64url');
  const tagOf = (recipient: string) => hash('recipient', recipient);
  const placeKey = (recipient: string, place: number) => `${keyPrefix}code:${tagOf(recipient)}:${place}`;
  const handleTagOf = (recipient: string, handle: string) => hash('handle', recipient, handle);

  function liveCode(placeOfCode: string, text: string): LiveCode {
    // Deletes exactly this entry, so that a later code in the same place is not used up.
    return { entry: JSON.parse(text) as CodeEntry, take: () => store.compareAndDelete(placeOfCode, text) };
  }

  async function list(recipient: string): Promise<LiveCode[]> {
    const keys = PLACES.map((place) => placeKey(recipient, place));
    const texts = await Promise.all(keys.map((each) => store.get(each)));
    return texts.flatMap((text, index) => (text === null ? [] : [liveCode(keys[index] as string, text)]));
  }

  /** Whether there is a place for a code of this purpose. */
  async function makeRoom(recipient: string, purpose: string | null, isLongOnly: boolean): Promise<boolean> {
    const present = await list(recipient);
    const dead = isLongOnly ? present.filter(({ entry }) => !entry.isLong) : [];
    const live = present.filter((each) => !dead.includes(each));
    if (purpose !== null && live.filter(({ entry }) => entry.purpose === purpose).length >= MAX_OF_PURPOSE)
      return false;
    if (present.length === PLACES.length) await dead[0]?.take();
    return true;
  }

  /** The oldest code without which a code finds a place; undefined: there is a place for every purpose. */
  function inTheWay(oldestFirst: readonly LiveCode[]): LiveCode | undefined {
    const countOf = (purpose: string | null) => oldestFirst.filter(({ entry }) => entry.purpose === purpose).length;
    const ofPurpose = oldestFirst.find(
      ({ entry: { purpose } }) => purpose !== null && countOf(purpose) >= MAX_OF_PURPOSE,
    );
    return ofPurpose ?? (oldestFirst.length >= PLACES.length ? oldestFirst[0] : undefined);
  }

  async function makePlace(recipient: string): Promise<number> {
    let live = (await list(recipient)).sort((a, b) => a.entry.sentAt - b.entry.sentAt);
    let ended = 0;
    for (let old = inTheWay(live); old !== undefined; old = inTheWay(live)) {
      if (await old.take()) ended += 1;
      live = live.filter((each) => each !== old);
    }
    return ended;
  }

  return {
    tagOf,
    list,
    makePlace,

    async add(recipient, plan, isLongOnly) {
      if (!(await makeRoom(recipient, plan.purpose, isLongOnly))) return null;
      const id = randomBytes(ID_BYTES).toString('base64url');
      const code = Array.from({ length: plan.digits }, () => randomInt(10)).join('');
      const text = JSON.stringify({ ...plan, id, digest: hash('code', recipient, id, code) } satisfies CodeEntry);
      for (const place of PLACES) {
        const ttlMillis = plan.expiresAt - plan.sentAt;
        const chosen = placeKey(recipient, place);
        if (await store.setIfAbsent(chosen, text, ttlMillis)) return { code, live: liveCode(chosen, text) };
      }
      return null;
    },

    async bind(recipient, target, ttlMillis) {
      const handle = randomBytes(HANDLE_BYTES).toString('base64url');
      await store.set(`${keyPrefix}handle:${handleTagOf(recipient, handle)}`, target, ttlMillis);
      return handle;
    },

    async resolve(recipient, handle) {
      const tag = handleTagOf(recipient, handle);
      const target = await store.get(`${keyPrefix}handle:${tag}`);
      return target === null ? null : { tag, target };
    },

    isRight(recipient, entry, code) {
      const { id, digest } = entry ?? NO_CODE;
      const given = Buffer.from(hash('code', recipient, id, code));
      const expected = Buffer.alloc(given.length);
      expected.write(digest);
      return timingSafeEqual(expected, given);
    },
  };
}
