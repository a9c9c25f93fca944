import type { EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';
import { type Base64urlEncoder, encodeBase64url } from './base64url.js';

/** What stands in the additional authenticated data for a header that isn't there. */
const ABSENT = '-';

/** A request target in origin form, cut at the first `?`; `query` is null without one. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string | null;
}

/**
 * Cuts a request target, exactly as it stands on the request line: nothing is decoded or normalised. Null for anything
 * but the origin form in visible ASCII without `#`.
 */
export function splitTarget(target: string): RequestTarget | null {
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(target)) return null;
  const mark = target.indexOf('?');
  return mark === -1 ? { path: target, query: null } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/**
 * What binds an envelope to the session it is sent under: the hash of the bearer token. Any other credentials, and none,
 * bind alike: who may do what is decided elsewhere, and before.
 */
export function bindAuthorization(
  value: string | null,
  suite: Pick<EnvelopeSuite, 'hashToken'>,
  encode: Base64urlEncoder = encodeBase64url,
): string {
  // RFC 6750, section 2.1: credentials = "Bearer" 1*SP b64token; RFC 9110, section 11.1: the scheme in any case.
  const token = value === null ? null : /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(value);
  return token === null ? ABSENT : encode(suite.hashToken(token[1]!));
}

/** What binds an envelope to its `Idempotency-Key`; null for a value that no key may have. */
export function bindIdempotencyKey(value: string | null): string | null {
  if (value === null) return ABSENT;
  return value !== ABSENT && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null;
}
