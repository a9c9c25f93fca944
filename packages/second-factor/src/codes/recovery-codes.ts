import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CROCKFORD_ALPHABET, toBase32 } from './base32.js';

export const RECOVERY_CODE_COUNT = 10;

/** 120 bits, so that a fast hash at rest suffices (OWASP ASVS 5.0.0, V6.5.2: 112): nobody can try them all. */
const RANDOM_BYTES = 15;

/** A new code, such as `7Q2M-0KXA-93TD-WJ5E-C8RV-1HNF`. */
export function createRecoveryCode(): string {
  return toBase32(randomBytes(RANDOM_BYTES), CROCKFORD_ALPHABET).replace(/(....)(?=.)/g, '$1-');
}

/** The hash under which a code is kept. It is of no use for another account. */
export function hashRecoveryCode(principal: string, code: string): string {
  const text = JSON.stringify(['sallyport second-factor recovery code', principal, code]);
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * The code as typed, in its normal form. Crockford: O is read as 0, I and L as 1. Null: it can't be a code. Codes of
 * earlier builds had 16 letters.
 */
export function readRecoveryCode(given: unknown): string | null {
  if (typeof given !== 'string' || given.length > 128) return null;
  const letters = given.normalize('NFKC').toUpperCase().replace(/[\s-]/g, '');
  const code = letters.replace(/O/g, '0').replace(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{16}(?:[0-9A-HJKMNP-TV-Z]{8})?$/.test(code) ? code.replace(/(....)(?=.)/g, '$1-') : null;
}

/** The hashes without that of the code; null if it is none of them. Compares with each, in the same time. */
export function withoutCode(hashes: readonly string[], hash: string): readonly string[] | null {
  const given = Buffer.from(hash);
  const left = hashes.filter((each) => {
    const kept = Buffer.alloc(given.length);
    kept.write(each);
    return !timingSafeEqual(kept, given);
  });
  return left.length < hashes.length ? left : null;
}
