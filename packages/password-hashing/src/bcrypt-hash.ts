import { randomBytes } from 'node:crypto';
import bcrypt from 'bcryptjs';

/** The costs of BCrypt: log2 of the rounds. */
export const MIN_COST = 4;
export const MAX_COST = 31;

const MAX_LENGTH = 60;

/**
 * The form of a hash: version, two digits of cost, 16 bytes of salt in 22 characters, 23 bytes of digest in 31. The
 * last character of each has two or four unused bits, which are 0 in every hash that an implementation has written.
 * bcryptjs would compare a hash with other bits there to one without them, which never matches.
 */
const FORM = /^\$(2[a-z]?|\d+)\$(\d\d)\$([./A-Za-z0-9]{21}[.Oeu])[./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

/**
 * The versions with the same computation for a password of 1 to 72 bytes without NUL. They differ in their faults with
 * other passwords. `$2$` hashes without the final NUL and has not been written since 1997; `$2x$` marks hashes of an
 * implementation that mishandled bytes above 127. Requirement PWD-3.
 */
const VERSIONS: readonly string[] = ['2a', '2b', '2y'];

/** The result of reading a stored hash. No member contains a part of the hash. */
export type ReadHash =
  | { readonly cost: number }
  /** Completes «a stored password hash …». */
  | { readonly fault: string };

/** Reads a stored hash. Never throws, for any value. */
export function readHash(stored: unknown): ReadHash {
  if (typeof stored !== 'string') return { fault: 'is not a string; an account without one has null' };
  if (stored === '') return { fault: 'is empty; an account without one has null' };
  if (stored.length > MAX_LENGTH) return { fault: `is longer than the ${MAX_LENGTH} characters of a BCrypt hash` };
  const [, version, digits] = FORM.exec(stored) ?? [];
  if (version === undefined) return { fault: 'does not have the form of a BCrypt hash' };
  if (!VERSIONS.includes(version)) return { fault: `is of another version than ${VERSIONS.join(', ')}` };
  const cost = Number(digits);
  if (cost < MIN_COST || cost > MAX_COST) return { fault: `has a cost outside of ${MIN_COST} to ${MAX_COST}` };
  return { cost };
}

/** A well-formed hash that matches no password. Comparing with it takes the same work as with a real one. */
export function randomHash(cost: number): string {
  const salt = bcrypt.encodeBase64(randomBytes(16), 16);
  const digest = bcrypt.encodeBase64(randomBytes(23), 23);
  return `$2b$${String(cost).padStart(2, '0')}$${salt}${digest}`;
}
