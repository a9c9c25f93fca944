import { createHash, randomBytes } from 'node:crypto';
import { type SecondFactorStore, tagOf } from '../shared-options.js';

/** WebAuthn Level 3, section 13.4.3: at least 16 random bytes. */
const CHALLENGE_BYTES = 32;

/** The use of a challenge. Registration has a purpose of its own, which no caller can name. */
export type ChallengeUse =
  | { readonly kind: 'registration'; readonly userHandle: string; readonly epoch: string }
  | { readonly kind: 'authentication'; readonly purpose: string };

/** Challenges of accounts, each for one use and one answer. */
export function createChallenges(store: SecondFactorStore, keyPrefix: string, ttlMillis: number) {
  const keyOf = (principal: string, challenge: string) =>
    `${keyPrefix}challenge:${tagOf(principal)}:${createHash('sha256').update(challenge).digest('base64url')}`;
  return {
    async make(principal: string, use: ChallengeUse): Promise<string> {
      const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
      await store.set(keyOf(principal, challenge), JSON.stringify(use), ttlMillis);
      return challenge;
    },
    /**
     * Uses a challenge up, also if its answer is wrong. Null: it is unknown, expired, used, or of another account.
     */
    async take(principal: string, challenge: string): Promise<ChallengeUse | null> {
      const text = await store.take(keyOf(principal, challenge));
      return text === null ? null : (JSON.parse(text) as ChallengeUse);
    },
  };
}

/** The members of `clientDataJSON` that are read before the signature is checked; null if it has none. */
export function readClientData(response: unknown): { readonly challenge: string; readonly isFramed: boolean } | null {
  const encoded: unknown = Object(Object(response).response).clientDataJSON;
  if (typeof encoded !== 'string' || encoded.length > 8192) return null;
  try {
    const { challenge, crossOrigin } = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    return typeof challenge === 'string' ? { challenge, isFramed: crossOrigin === true } : null;
  } catch {
    return null;
  }
}
