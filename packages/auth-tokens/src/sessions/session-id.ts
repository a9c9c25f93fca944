import { randomBytes } from 'node:crypto';
import type { SubjectKey } from './session-records.js';

/**
 * A session id names one session everywhere, with no index in the store: `<jti>.<base64url of audience:subject>`.
 * It isn't secret (the token's signature is what counts), and it is safe in a URL path.
 */
export interface SessionName extends SubjectKey {
  readonly jti: string;
}

// 144 random bits: ASVS asks for 128, and 18 bytes fill their base64url text without spare bits.
const JTI_BYTES = 18;
const SESSION_ID = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]+)$/;

/** The key of a record in the store, percent-encoded and with its prefix, stays below 1024 bytes. */
export const MAX_SUBJECT_BYTES = 200;

/** An audience is part of store keys and session ids, so it has none of their separators. */
export const AUDIENCE = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

export function createJti(): string {
  return randomBytes(JTI_BYTES).toString('base64url');
}

export function formatSessionId({ jti, audience, subject }: SessionName): string {
  return `${jti}.${Buffer.from(`${audience}:${subject}`).toString('base64url')}`;
}

/** Null for everything that {@link formatSessionId} never writes. */
export function parseSessionId(sessionId: string): SessionName | null {
  const [, jti, encoded] = SESSION_ID.exec(sessionId) ?? [];
  if (jti === undefined || encoded === undefined) return null;
  const owner = Buffer.from(encoded, 'base64url').toString();
  const separator = owner.indexOf(':');
  const name = { jti, audience: owner.slice(0, Math.max(0, separator)), subject: owner.slice(separator + 1) };
  const isOurs = AUDIENCE.test(name.audience) && isSubject(name.subject) && formatSessionId(name) === sessionId;
  return isOurs ? name : null;
}

/** Well-formed text of 1 to {@link MAX_SUBJECT_BYTES} bytes without U+0000: what every store can hold. */
export function isSubject(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= MAX_SUBJECT_BYTES &&
    !/[\0\p{Surrogate}]/u.test(value)
  );
}
