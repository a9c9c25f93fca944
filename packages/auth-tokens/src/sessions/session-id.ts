import { randomBytes } from 'node:crypto';

/** The owner of sessions. The same subject in another audience is another owner. */
export interface SubjectKey {
  readonly audience: string;
  readonly subject: string;
}

/**
 * A session id identifies a session without an index in the store: `<jti>.<base64url of audience:subject>`. It is not a
 * secret (the token's signature is), and it is safe in a URL path.
 */
export interface SessionName extends SubjectKey {
  readonly jti: string;
}

/** 144 random bits. ASVS requires 128; 18 bytes have no spare bits in base64url. */
const JTI_BYTES = 18;
const SESSION_ID = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]+)$/;

/** Percent-encoded and with its prefix, the key of a record stays below 1024 bytes. */
export const MAX_SUBJECT_BYTES = 200;

/** The form of an audience's name. It excludes the separators of store keys and session ids. */
export const AUDIENCE = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

export function createJti(): string {
  return randomBytes(JTI_BYTES).toString('base64url');
}

export function formatSessionId({ jti, audience, subject }: SessionName): string {
  return `${jti}.${Buffer.from(`${audience}:${subject}`).toString('base64url')}`;
}

/** Null for any text that {@link formatSessionId} never returns. */
export function parseSessionId(sessionId: string): SessionName | null {
  const [, jti, encoded] = SESSION_ID.exec(sessionId) ?? [];
  if (jti === undefined || encoded === undefined) return null;
  const owner = Buffer.from(encoded, 'base64url').toString();
  const separator = owner.indexOf(':');
  const name = { jti, audience: owner.slice(0, Math.max(0, separator)), subject: owner.slice(separator + 1) };
  const isOurs = AUDIENCE.test(name.audience) && isSubject(name.subject) && formatSessionId(name) === sessionId;
  return isOurs ? name : null;
}

/** Well-formed text of 1 to {@link MAX_SUBJECT_BYTES} bytes without U+0000, which every store can hold. */
export function isSubject(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= MAX_SUBJECT_BYTES &&
    !/[\0\p{Surrogate}]/u.test(value)
  );
}
