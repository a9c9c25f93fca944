import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';
import type { SmsPolicy } from './parameters.js';

type CodePolicy = Pick<SmsPolicy, 'codeLength' | 'validSeconds' | 'maxAttempts'>;

export interface SmsCodesOptions {
  /** Where codes are stored. Several processes need a shared store. */
  readonly store: Pick<TtlStore, 'get' | 'set' | 'increment' | 'compareAndDelete'>;
  /** Hashes numbers and codes, so that the store reveals neither. At least 32 bytes. */
  readonly key: Uint8Array;
  /** Read for every operation, so that a changed parameter takes effect at once. */
  readonly policy: () => CodePolicy | Promise<CodePolicy>;
  /** Prefix of all keys in the store. Default `sms-code:`. */
  readonly keyPrefix?: string;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

export interface IssuedCode {
  /** Identifies this code among the codes of the number. Not secret. */
  readonly id: string;
  /** The digits to send. They are not stored. */
  readonly code: string;
  readonly expiresAt: number;
}

/** A code that was right when it was checked. */
export interface RightCode {
  /** Uses the code up. Of all calls for one code, on any number of nodes, exactly one resolves to true. */
  redeem(): Promise<boolean>;
}

/** The engine (APP-5), for use without Fastify. Numbers are in E.164. */
export interface SmsCodes {
  /** Creates a code, which replaces the number's earlier one. */
  issue(mobile: string): Promise<IssuedCode>;
  /**
   * Counts an attempt, and then checks whether this is the current code of the number. null: it is not, or it was tried
   * too often.
   */
  check(mobile: string, code: string): Promise<RightCode | null>;
  /** Whether this code is still valid: not expired, not used and not replaced. */
  isCurrent(mobile: string, id: string): Promise<boolean>;
  /** Withdraws a code that could not be sent. */
  withdraw(mobile: string, id: string): Promise<void>;
}

/** The stored form of a code. */
interface Entry {
  readonly id: string;
  readonly digest: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

const ID_BYTES = 16;
const MIN_KEY_BYTES = 32;

/** The entry of a number without a code: checking it takes the same work and always fails. */
const NO_CODE = { id: 'none', digest: '', expiresAt: 0 } satisfies Entry;

/** How long attempt counters outlive their codes, in milliseconds. Covers clock differences between nodes and store. */
const COUNTER_MARGIN_MILLIS = 600_000;

/** Accepts full-width digits and surrounding blanks. */
function normalize(code: string): string {
  return code.normalize('NFKC').trim();
}

export function createSmsCodes(options: SmsCodesOptions): SmsCodes {
  const { store, key, policy, keyPrefix = 'sms-code:', now = Date.now } = options;
  if (key.length < MIN_KEY_BYTES) throw new TypeError(`sms-codes: key must have at least ${MIN_KEY_BYTES} bytes`);

  // The parts are joined by a byte that none of them contains. The first part is the purpose of the hash.
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
      // Count before comparing, for this code only, so that parallel guesses can't exceed the limit. The counter
      // expires with the code itself: with a lowered parameter it could expire earlier and start again.
      const ttlMillis = Math.max(0, expiresAt - now()) + COUNTER_MARGIN_MILLIS;
      const attempts = await store.increment(`${storeKey(mobile)}:${id}`, ttlMillis);
      const isRight = isSame(digest, digestOf(mobile, id, normalize(code)));
      if (found === null || attempts.value > maxAttempts || !isRight) return null;
      // Delete exactly this entry, so that a newer code is not used up.
      return { redeem: () => store.compareAndDelete(storeKey(mobile), found.text) };
    },

    isCurrent: async (mobile, id) => (await read(mobile))?.entry.id === id,

    async withdraw(mobile, id) {
      const found = await read(mobile);
      if (found?.entry.id === id) await store.compareAndDelete(storeKey(mobile), found.text);
    },
  };
}

/** Compares in constant time. Digests have one length; the digest of NO_CODE is empty and matches nothing. */
function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return timingSafeEqual(one.length === other.length ? one : Buffer.alloc(other.length), other);
}
