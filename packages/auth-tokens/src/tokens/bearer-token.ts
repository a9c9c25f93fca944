/** What the Authorization header of a request presents. */
export type BearerCredentials =
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed'; readonly why: string }
  | { readonly kind: 'token'; readonly token: string };

// RFC 6750, 2.1 and RFC 9110, 11.4: the scheme in any case, one or more spaces, one token68 and nothing after it.
const BEARER_SCHEME = /^bearer(?: +|$)/i;
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Our tokens have some 400 bytes; what is far longer is refused before any work. */
const MAX_TOKEN_LENGTH = 4096;

export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TOKEN_LENGTH && TOKEN68.test(value);
}

/** @param rawHeaders as Node gives them, name and value in turn: `headers` hides a second Authorization header. */
export function readBearerToken(authorization: string | undefined, rawHeaders: readonly string[]): BearerCredentials {
  if (authorization === undefined) return { kind: 'absent' };
  if (countHeader(rawHeaders, 'authorization') > 1) {
    return { kind: 'malformed', why: 'More than one Authorization header' };
  }
  const scheme = BEARER_SCHEME.exec(authorization)?.[0];
  if (scheme === undefined) return { kind: 'absent' };
  const token = authorization.slice(scheme.length);
  return isBearerToken(token) ? { kind: 'token', token } : { kind: 'malformed', why: 'Not one token68 of our length' };
}

function countHeader(rawHeaders: readonly string[], lowerCaseName: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) count += 1;
  }
  return count;
}
