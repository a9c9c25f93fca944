import { SessionExpiredError, TokenInvalidError } from './errors.js';
import type { JwtCodec } from './jwt-codec.js';
import { isTokenClaims, type TokenClaims } from './token-claims.js';

/**
 * What the token itself says (TOK-2): the signature first, then the form of its claims, then its times. Whether its
 * session lives is another question.
 */
export function verifyToken(jwt: JwtCodec, token: string, now: number): TokenClaims {
  const claims = verifySignature(jwt, token);
  if (!isTokenClaims(claims)) throw new TokenInvalidError({ cause: new Error('Not the claims of an access token') });
  if (claims.nbf !== undefined && now < claims.nbf * 1000) {
    throw new TokenInvalidError({ cause: new Error('Not valid yet') });
  }
  if (now >= claims.exp * 1000) throw new SessionExpiredError();
  return claims;
}

function verifySignature(jwt: JwtCodec, token: string): unknown {
  try {
    return jwt.verify(token);
  } catch (cause) {
    throw new TokenInvalidError({ cause });
  }
}
