import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Change, TtlStore, WrittenValue } from '@sallyport/ttl-store';

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

/** A code in its place. */
export interface PlacedCode extends LiveCode {
  readonly key: string;
  /** The text in the store. */
  readonly text: string;
}

/** A code to make, and the changes of the store that put it into its place, if no other place has changed. */
export interface PlannedCode {
  readonly code: string;
  readonly live: LiveCode;
  readonly changes: readonly Change[];
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
  /** Plans the code that `add` would make, given the present codes. Null: there is no place. */
  plan(recipient: string, plan: NewCode, isLongOnly: boolean, present: readonly PlacedCode[]): PlannedCode | null;
  list(recipient: string): Promise<readonly PlacedCode[]>;
  /** Ends the oldest codes until one of every purpose finds a place. Resolves to how many it ended. */
  makePlace(recipient: string): Promise<number>;
  /** Makes a handle for the code with this id, or for {@link EVERY_CODE}. */
  bind(recipient: string, target: string, ttlMillis: number): Promise<string>;
  /** Makes a handle as `bind` does, as a change of the store that others may come with. */
  binding(
    recipient: string,
    target: string,
    ttlMillis: number,
  ): { readonly handle: string; readonly change: WrittenValue };
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

  function liveCode(key: string, text: string): PlacedCode {
    // Deletes exactly this entry, so that a later code in the same place is not used up.
    return { key, text, entry: JSON.parse(text) as CodeEntry, take: () => store.compareAndDelete(key, text) };
  }

  async function list(recipient: string): Promise<PlacedCode[]> {
    const keys = PLACES.map((place) => placeKey(recipient, place));
    const texts = await Promise.all(keys.map((each) => store.get(each)));
    return texts.flatMap((text, index) => (text === null ? [] : [liveCode(keys[index] as string, text)]));
  }

  /** A code to make, and its text. */
  function newCode(recipient: string, plan: NewCode) {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const code = Array.from({ length: plan.digits }, () => randomInt(10)).join('');
    const text = JSON.stringify({ ...plan, id, digest: hash('code', recipient, id, code) } satisfies CodeEntry);
    return { code, text, ttlMillis: plan.expiresAt - plan.sentAt };
  }

  /** Null: there is no place for a code of this purpose. Else the code that gives its place to it, if one has to. */
  function findRoom<Code extends LiveCode>(
    present: readonly Code[],
    purpose: string | null,
    isLongOnly: boolean,
  ): { readonly gives: Code | null } | null {
    const dead = isLongOnly ? present.filter(({ entry }) => !entry.isLong) : [];
    const live = present.filter((each) => !dead.includes(each));
    if (purpose !== null && live.filter(({ entry }) => entry.purpose === purpose).length >= MAX_OF_PURPOSE) return null;
    return { gives: present.length === PLACES.length ? (dead[0] ?? null) : null };
  }

  function binding(recipient: string, target: string, ttlMillis: number) {
    const handle = randomBytes(HANDLE_BYTES).toString('base64url');
    const key = `${keyPrefix}handle:${handleTagOf(recipient, handle)}`;
    return { handle, change: { key, value: target, ttlMillis } };
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

    plan(recipient, plan, isLongOnly, present) {
      const room = findRoom(present, plan.purpose, isLongOnly);
      if (room === null) return null;
      const keys = PLACES.map((place) => placeKey(recipient, place));
      const textAt = (key: string) => present.find((each) => each.key === key)?.text ?? null;
      const chosen = room.gives?.key ?? keys.find((key) => textAt(key) === null);
      if (chosen === undefined) return null;
      const { code, text, ttlMillis } = newCode(recipient, plan);
      const changes = keys.map((key) =>
        key === chosen ? { key, expected: textAt(key), value: text, ttlMillis } : { key, expected: textAt(key) },
      );
      return { code, live: liveCode(chosen, text), changes };
    },

    async add(recipient, plan, isLongOnly) {
      const room = findRoom(await list(recipient), plan.purpose, isLongOnly);
      if (room === null) return null;
      await room.gives?.take();
      const { code, text, ttlMillis } = newCode(recipient, plan);
      for (const place of PLACES) {
        const chosen = placeKey(recipient, place);
        if (await store.setIfAbsent(chosen, text, ttlMillis)) return { code, live: liveCode(chosen, text) };
      }
      return null;
    },

    binding,

    async bind(recipient, target, ttlMillis) {
      const { handle, change } = binding(recipient, target, ttlMillis);
      await store.set(change.key, change.value, change.ttlMillis);
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
