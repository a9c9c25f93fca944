import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import type { SmsPolicy } from './parameters.js';

type CodePolicy = Pick<SmsPolicy, 'codeLength' | 'validSeconds' | 'maxAttempts'>;

export interface SmsCodesOptions {
  /** Where codes wait. A shared store for more than one process. */
  readonly store: Pick<TtlStore, 'get' | 'set' | 'increment' | 'compareAndDelete'>;
  /** Hashes numbers and codes: without it the store tells neither. At least 32 bytes. */
  readonly key: Uint8Array;
  /** Asked at every use, so that a changed parameter holds at once. */
  readonly policy: () => CodePolicy | Promise<CodePolicy>;
  /** What all keys in the store begin with. Default `sms-code:`. */
  readonly keyPrefix?: string;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

export interface IssuedCode {
  /** Tells this code from others of the number; no secret. */
  readonly id: string;
  /** The digits, to be sent and then forgotten. */
  readonly code: string;
  readonly expiresAt: number;
}

/** A code that was right when it was looked at. */
export interface RightCode {
  /** Uses the code up. Of all calls for one code, on any number of nodes, exactly one resolves to true. */
  redeem(): Promise<boolean>;
}

/** The engine (APP-5), for use without Fastify. Numbers are in E.164. */
export interface SmsCodes {
  /** Makes a code, which ends the number's earlier one. */
  issue(mobile: string): Promise<IssuedCode>;
  /**
   * Counts an attempt, and then looks whether the code is the number's present one. Null: it isn't, or it was tried too
   * often.
   */
  check(mobile: string, code: string): Promise<RightCode | null>;
  /** Whether this code can still be used: not expired, not used, not followed by a newer one. */
  isCurrent(mobile: string, id: string): Promise<boolean>;
  /** Takes a code back that could not be sent. */
  withdraw(mobile: string, id: string): Promise<void>;
}

/** What the store keeps of a code. */
interface Entry {
  readonly id: string;
  readonly digest: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

const ID_BYTES = 16;
const MIN_KEY_BYTES = 32;

/** The entry of a number that has no code: trying it is the same work, and never right. */
const NO_CODE = { id: 'none', digest: '', expiresAt: 0 } satisfies Entry;

/** Tries are counted for longer than their code lives, whatever the clocks of nodes and store say, in milliseconds. */
const COUNTER_MARGIN_MILLIS = 600_000;

/** As people type it: full-width digits, blanks around it. */
function normalize(code: string): string {
  return code.normalize('NFKC').trim();
}

export function createSmsCodes(options: SmsCodesOptions): SmsCodes {
  const { store, key, policy, keyPrefix = 'sms-code:', now = Date.now } = options;
  if (key.length < MIN_KEY_BYTES) throw new TypeError(`sms-codes: key must have at least ${MIN_KEY_BYTES} bytes`);

  // The parts are joined by a byte that none of them holds, and the first says what is hashed.
  const hash = (...parts: readonly string[]) => createHmac('sha256', key).update(parts.join('\0')).digest();
  const storeKey = (mobile: string) => `${keyPrefix}code:${hash('mobile', mobile).toString('base64url')}`;
  const digestOf = (mobile: string, id: string, code: string) => hash('code', mobile, id, code).toString('base64url');

  async function read(mobile: string): Promise<{ readonly text: string; readonly entry: Entry } | null> {
    const text = await store.get(storeKey(mobile));
    return text === null ? null : { text, entry: JSON.parse(text) as Entry };
  }

  return {
    async issue(mobile) {
      const { codeLength, validSeconds } = await policy();
      const id = randomBytes(ID_BYTES).toString('base64url');
      const code = Array.from({ length: codeLength }, () => randomInt(10)).join('');
      const expiresAt = now() + validSeconds * 1000;
      const entry: Entry = { id, digest: digestOf(mobile, id, code), expiresAt };
      await store.set(storeKey(mobile), JSON.stringify(entry), validSeconds * 1000);
      return { id, code, expiresAt };
    },

    async check(mobile, code) {
      const { maxAttempts } = await policy();
      const found = await read(mobile);
      const { id, digest, expiresAt } = found?.entry ?? NO_CODE;
      // Counted for this code and no other, before anything is compared: of parallel guesses no more are looked at. By
      // the end of the code itself: a parameter that was lowered since would let the count end first, and begin anew.
      const ttlMillis = Math.max(0, expiresAt - now()) + COUNTER_MARGIN_MILLIS;
      const attempts = await store.increment(`${storeKey(mobile)}:${id}`, ttlMillis);
      const isRight = isSame(digest, digestOf(mobile, id, normalize(code)));
      if (found === null || attempts.value > maxAttempts || !isRight) return null;
      // Exactly the entry that was looked at: a newer code isn't used up in its place.
      return { redeem: () => store.compareAndDelete(storeKey(mobile), found.text) };
    },

    isCurrent: async (mobile, id) => (await read(mobile))?.entry.id === id,

    async withdraw(mobile, id) {
      const found = await read(mobile);
      if (found?.entry.id === id) await store.compareAndDelete(storeKey(mobile), found.text);
    },
  };
}

/** In constant time. Digests have one length; the entry of nobody has another, and matches nothing. */
function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return timingSafeEqual(one.length === other.length ? one : Buffer.alloc(other.length), other);
}
