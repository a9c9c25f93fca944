import type { FastifyReply, FastifyRequest } from 'fastify';
import { TokenInvalidError, TokenMissingError } from '../errors.js';
import { type BearerCredentials, isBearerToken, readBearerToken } from './bearer-token.js';
import { QUERY_TOKEN_PARAMETER } from './query-token.js';

/**
 * The one token that a request presents.
 * @throws where there is none, or more than one, or something else in its place
 */
export function presentedToken(request: FastifyRequest, reply: FastifyReply, takesQueryToken: boolean): string {
  const inHeader = readBearerToken(request.headers.authorization, request.raw.rawHeaders);
  const inQuery = takesQueryToken ? takeQueryToken(request, reply) : ABSENT;
  if (inHeader.kind !== 'absent' && inQuery.kind !== 'absent') throw invalid('A token in the header and in the query');
  const presented = inQuery.kind === 'absent' ? inHeader : inQuery;
  if (presented.kind === 'absent') throw new TokenMissingError();
  if (presented.kind === 'malformed') throw invalid(presented.why);
  return presented.token;
}

const ABSENT: BearerCredentials = { kind: 'absent' };

function takeQueryToken(request: FastifyRequest, reply: FastifyReply): BearerCredentials {
  const query = request.query as Record<string, unknown>;
  if (request.method !== 'GET' || !Object.hasOwn(query, QUERY_TOKEN_PARAMETER)) return ABSENT;
  // RFC 6750, 5.3: neither caches nor the next page's operator may come to know the URL.
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  const value = query[QUERY_TOKEN_PARAMETER];
  // Handlers, schemas and audit records never see it.
  delete query[QUERY_TOKEN_PARAMETER];
  return isBearerToken(value) ? { kind: 'token', token: value } : { kind: 'malformed', why: 'Not one token68' };
}

function invalid(why: string): Error {
  return new TokenInvalidError({ cause: new Error(why) });
}
