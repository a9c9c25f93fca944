import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { TtlStore } from '@sallyport/ttl-store';

/** What a page shows, and the key that it returns with the answer. */
export interface Captcha {
  readonly key: string;
  /** A data URI. */
  readonly image: string;
  readonly expiresInSeconds: number;
}

/** Draws a text for people to read. The engine chooses the text, because a renderer might choose a guessable one. */
export type CaptchaRenderer = (text: string) => { readonly image: string };

export interface CaptchaOptions {
  /** Where answers are stored. Several processes need a shared store. */
  readonly store: Pick<TtlStore, 'set' | 'take'>;
  readonly render: CaptchaRenderer;
  /** Prefix of all keys in the store. Default `captcha:`. */
  readonly keyPrefix?: string;
  /** How long an answer is accepted, in seconds. Default 120 (ADM-1). */
  readonly validSeconds?: number;
  /** Characters per text. Default 5: a guess succeeds once in four million. */
  readonly length?: number;
}

/** The engine, for use without Fastify. */
export interface Captchas {
  issue(): Promise<Captcha>;
  /**
   * Whether the answer is right. Any answer, right or wrong, uses the captcha up. Of parallel answers at most one is
   * accepted.
   */
  redeem(key: string, answer: string): Promise<boolean>;
  /** Whether the captcha of a request for this purpose was answered right. Uses it up. */
  isAnswered(purpose: string, answer: CaptchaAnswer, clientIp: string): Promise<boolean>;
}

/** The members of a request that answer a captcha. */
export interface CaptchaAnswer {
  readonly key?: string | undefined;
  readonly code?: string | undefined;
  readonly proof?: string | undefined;
}

const defaults = { keyPrefix: 'captcha:', validSeconds: 120, length: 5 } as const satisfies Partial<CaptchaOptions>;

/** Capitals and digits, without those that look alike: 0 O D Q, 1 I L, 2 Z, 5 S, 8 B, U V. */
const LETTERS = 'ACEFGHJKMNPRTWXY34679';

const KEY_BYTES = 16;
const KEY = /^[A-Za-z0-9_-]{22}$/;

/** Accepts any letter case, full-width letters and surrounding blanks. */
function normalize(answer: string): string {
  return answer.normalize('NFKC').trim().toUpperCase();
}

export function createCaptchas(options: CaptchaOptions): Captchas {
  const { store, render, keyPrefix, validSeconds, length } = { ...defaults, ...options };
  const captchas: Captchas = {
    isAnswered: (_purpose, { key = '', code = '' }) => captchas.redeem(key, code),

    async issue() {
      const key = randomBytes(KEY_BYTES).toString('base64url');
      const text = Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
      // Stored as plain text: a hash of so short a text can be guessed, and a reader of the store also has the
      // sessions.
      await store.set(keyPrefix + key, text, validSeconds * 1000);
      return { key, image: render(text).image, expiresInSeconds: validSeconds };
    },

    async redeem(key, answer) {
      if (!KEY.test(key)) return false;
      const text = await store.take(keyPrefix + key);
      return text !== null && isSame(text, normalize(answer));
    },
  };
  return captchas;
}

/** Compares in constant time. Digests make both inputs the same length. */
function isSame(expected: string, given: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}
