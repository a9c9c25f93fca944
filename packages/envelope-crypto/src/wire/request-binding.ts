import { type Base64urlEncoder, encodeBase64url } from './base64url.js';

/** Represents an absent header in the additional authenticated data. */
const ABSENT = '-';

/** A request target in origin form, split at the first `?`. `query` is null without one. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string | null;
}

/**
 * Splits a request target exactly as it was sent. Nothing is decoded or normalised. Null unless it has the origin form,
 * in visible ASCII without `#`.
 */
export function splitTarget(target: string): RequestTarget | null {
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(target)) return null;
  const mark = target.indexOf('?');
  return mark === -1 ? { path: target, query: null } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/**
 * Binds an envelope to its session: the hash of the bearer token. Other credentials count as none here. Authentication
 * decides about them before the envelope is opened.
 */
export function bindAuthorization(
  value: string | null,
  suite: { hashToken(token: string): Uint8Array },
  encode: Base64urlEncoder = encodeBase64url,
): string {
  // RFC 6750, section 2.1: credentials = "Bearer" 1*SP b64token; RFC 9110, section 11.1: the scheme in any case.
  const token = value === null ? null : /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(value);
  return token === null ? ABSENT : encode(suite.hashToken(token[1]!));
}

/** Binds an envelope to its `Idempotency-Key`. Null for an invalid key. */
export function bindIdempotencyKey(value: string | null): string | null {
  if (value === null) return ABSENT;
  return value !== ABSENT && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null;
}
