import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { LruCache } from '@sallyport/plugin-kit/lru-cache';
import type { TtlStore } from '@sallyport/ttl-store';
import { devicesKey } from '../counters/index.js';
import { LoginPolicyUnavailableError } from '../errors.js';

/** Requirement LGN-12: a token lives 90 days, in milliseconds. */
const TOKEN_MILLIS = 90 * 86_400_000;

/** Requirement LGN-12. The bound keeps the record of an account below 1 KB. Beyond it, the oldest device is removed. */
const MAX_DEVICES = 10;

/** 256 random bits can't be guessed, so a plain digest may be stored. */
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The lifetime of the empty record that replaces a forgotten one. It means the same as an absent record. */
const FORGOTTEN_MILLIS = 60_000;

/**
 * How long a token that was replaced stays valid, in milliseconds. A reply with a new token may be lost, and two pages
 * may sign in at once with the same token. The owner must remain known in both cases.
 */
const REPLACED_MILLIS = 600_000;

/**
 * A race is lost only if another sign-in to the same account succeeded. This many concurrent sign-ins all get a token.
 */
const MAX_ROUNDS = 128;

/**
 * The minimum number of names of which this process knows the record that it saw last, each of at most 1 KB. The
 * maximum is twice as many.
 */
const MIN_KNOWN_RECORDS = 1024;

/** The token of one device, as it is stored. */
interface Device {
  /** SHA-256 of the token, in base64url. */
  readonly digest: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** Present if the device has a newer token. */
  readonly replaced?: true;
}

/**
 * The devices from which the owner of a name has signed in before, after OWASP's device cookies. One record per name
 * holds them all, so one write forgets them all.
 */
export interface KnownDevices {
  /** The digest of a well-formed token; null for anything else. */
  digestOf(token: unknown): string | null;
  /** Whether a token of this name has the digest. */
  has(username: string, digest: string): Promise<boolean>;
  /** The digests of all live tokens of the name, without those that were replaced. */
  list(username: string): Promise<readonly string[]>;
  /**
   * Makes a token. The replaced token ends a while later. Beyond the limit, replaced tokens end first, and then the
   * oldest one.
   */
  issue(username: string, replaces: string | null): Promise<string>;
  /** Ends all tokens of the name, by one write. */
  forget(username: string): Promise<void>;
}

interface DeviceDependencies {
  readonly store: Pick<TtlStore, 'get' | 'set' | 'compareAndSet' | 'changeAll'>;
  readonly keyPrefix: string;
  /** Tokens of another audience are unknown. */
  readonly audience: string;
  readonly now: () => number;
}

export function createKnownDevices({ store, keyPrefix, audience, now }: DeviceDependencies): KnownDevices {
  const keyOf = (username: string) => keyPrefix + devicesKey(username, audience);
  const live = (text: string | null) => parse(text).filter(({ expiresAt }) => expiresAt > now());
  /** The records as they were seen last. A write is made only over the record that it is based on. */
  const seen = new LruCache<string>(MIN_KNOWN_RECORDS);

  async function read(key: string): Promise<string | null> {
    const text = await store.get(key);
    if (text !== null) seen.set(key, text);
    return text;
  }

  /** Writes over the expected record. Resolves to null, or to the present record, over which nothing was written. */
  async function write(key: string, expected: string | null, value: string): Promise<{ text: string | null } | null> {
    if (store.changeAll === undefined) {
      const isWritten = await store.compareAndSet(key, expected, value, TOKEN_MILLIS);
      return isWritten ? null : { text: await store.get(key) };
    }
    const changes = await store.changeAll([{ key, expected, value, ttlMillis: TOKEN_MILLIS }]);
    return changes.done ? null : { text: changes.values[0] ?? null };
  }

  return {
    digestOf: (token) => (typeof token === 'string' && TOKEN.test(token) ? digestOf(token) : null),

    async has(username, digest) {
      // All digests are compared, each in constant time.
      return live(await read(keyOf(username))).filter((device) => isSame(device.digest, digest)).length > 0;
    },

    async list(username) {
      return live(await read(keyOf(username))).flatMap(({ digest, replaced }) => (replaced ? [] : digest));
    },

    async issue(username, replaces) {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const key = keyOf(username);
      // A failed `changeAll` returns the present record, so a read before it saves nothing.
      let text = store.changeAll === undefined ? await store.get(key) : (seen.get(key) ?? null);
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const others = live(text).map((device) => (device.digest === replaces ? endSoon(device, now()) : device));
        const devices = [
          { digest: digestOf(token), expiresAt: now() + TOKEN_MILLIS },
          ...others.filter(({ replaced }) => !replaced),
          ...others.filter(({ replaced }) => replaced),
        ].slice(0, MAX_DEVICES);
        const written = JSON.stringify(devices);
        const present = await write(key, text, written);
        if (present === null) {
          seen.set(key, written);
          return token;
        }
        text = present.text;
      }
      throw new LoginPolicyUnavailableError({
        cause: new Error('A list of devices changes faster than it can be read'),
      });
    },

    async forget(username) {
      await store.set(keyOf(username), JSON.stringify([]), FORGOTTEN_MILLIS);
    },
  };
}

/** A token that was replaced before gets no more time. */
function endSoon({ digest, expiresAt }: Device, now: number): Device {
  return { digest, expiresAt: Math.min(expiresAt, now + REPLACED_MILLIS), replaced: true };
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Both are digests, so they have the same length. */
function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** A record of an unknown kind holds no device: its owner is counted like everybody else. */
function parse(text: string | null): readonly Device[] {
  try {
    const devices = JSON.parse(text ?? '[]') as Device[];
    const isDevice = ({ digest, expiresAt }: Device) => typeof digest === 'string' && typeof expiresAt === 'number';
    return Array.isArray(devices) && devices.every(isDevice) ? devices : [];
  } catch {
    return [];
  }
}
