import { SessionExpiredError, TokenInvalidError } from '../errors.js';
import type { SubjectKey } from '../sessions/index.js';
import { formatSessionId } from '../sessions/index.js';
import type { JwtCodec } from './jwt-codec.js';
import { isTokenClaims, type TokenClaims } from './token-claims.js';
import { rememberVerified } from './verified-tokens.js';

/** What a token says that is rightly signed, and what follows from it for good. */
export interface VerifiedToken {
  readonly claims: TokenClaims;
  readonly owner: SubjectKey;
  readonly sessionId: string;
}

/**
 * What the token itself says (TOK-2): the signature first, then the form of its claims, then its times. Whether its
 * session lives is another question.
 */
export function createTokenVerifier(jwt: JwtCodec): (token: string, now: number) => VerifiedToken {
  // The keys are what they are for as long as the codec is, so what was rightly signed once is so for good.
  const verifyOnce = rememberVerified(function verify(token): VerifiedToken {
    const claims = verifySignature(jwt, token);
    if (!isTokenClaims(claims)) throw new TokenInvalidError({ cause: new Error('Not the claims of an access token') });
    const owner = { audience: claims.aud, subject: claims.sub };
    const sessionId = formatSessionId({ jti: claims.jti, ...owner });
    return { claims: Object.freeze(claims), owner: Object.freeze(owner), sessionId };
  });

  return function verifyToken(token, now) {
    const verified = verifyOnce(token);
    const { nbf, exp } = verified.claims;
    if (nbf !== undefined && now < nbf * 1000) throw new TokenInvalidError({ cause: new Error('Not valid yet') });
    if (now >= exp * 1000) throw new SessionExpiredError();
    return verified;
  };
}

function verifySignature(jwt: JwtCodec, token: string): unknown {
  try {
    return jwt.verify(token);
  } catch (cause) {
    throw new TokenInvalidError({ cause });
  }
}
