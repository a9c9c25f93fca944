import type { FastifyReply, FastifyRequest } from 'fastify';
import { TokenInvalidError, TokenMissingError } from '../errors.js';
import { QUERY_TOKEN_PARAMETER } from './query-token.js';

/** The credentials in a request's Authorization header or query. */
type BearerCredentials =
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed'; readonly why: string }
  | { readonly kind: 'token'; readonly token: string };

const ABSENT: BearerCredentials = { kind: 'absent' };

// RFC 6750, 2.1 and RFC 9110, 11.4: the scheme in any case, one or more spaces, one token68 and nothing after it.
const BEARER_SCHEME = /^bearer(?: +|$)/i;
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Tokens of this package have about 400 bytes. Longer ones are refused before any expensive work. */
const MAX_TOKEN_LENGTH = 4096;

/**
 * The one token of a request.
 *
 * @throws TokenMissingError without a token, TokenInvalidError for several or malformed ones
 */
export function presentedToken(request: FastifyRequest, reply: FastifyReply, takesQueryToken: boolean): string {
  // The requests of `injectWS` of @fastify/websocket have no raw headers, and come from no client.
  const inHeader = readAuthorization(request.headers.authorization, request.raw.rawHeaders ?? []);
  const inQuery = takesQueryToken ? takeQueryToken(request, reply) : ABSENT;
  if (inHeader.kind !== 'absent' && inQuery.kind !== 'absent') throw invalid('A token in the header and in the query');
  const presented = inQuery.kind === 'absent' ? inHeader : inQuery;
  if (presented.kind === 'absent') throw new TokenMissingError();
  if (presented.kind === 'malformed') throw invalid(presented.why);
  return presented.token;
}

/** @param rawHeaders names and values alternately, as in Node.js: `headers` hides a second Authorization header */
function readAuthorization(authorization: string | undefined, rawHeaders: readonly string[]): BearerCredentials {
  if (authorization === undefined) return ABSENT;
  if (countHeader(rawHeaders, 'authorization') > 1) {
    return { kind: 'malformed', why: 'More than one Authorization header' };
  }
  const scheme = BEARER_SCHEME.exec(authorization)?.[0];
  if (scheme === undefined) return ABSENT;
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

function takeQueryToken(request: FastifyRequest, reply: FastifyReply): BearerCredentials {
  const query = request.query as Record<string, unknown>;
  if (request.method !== 'GET' || !Object.hasOwn(query, QUERY_TOKEN_PARAMETER)) return ABSENT;
  // RFC 6750, 5.3: neither caches nor the operator of the next page may learn the URL.
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  const value = query[QUERY_TOKEN_PARAMETER];
  // Handlers, schemas and audit records must not see it.
  delete query[QUERY_TOKEN_PARAMETER];
  return isBearerToken(value) ? { kind: 'token', token: value } : { kind: 'malformed', why: 'Not one token68' };
}

function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TOKEN_LENGTH && TOKEN68.test(value);
}

function invalid(why: string): Error {
  return new TokenInvalidError({ cause: new Error(why) });
}
