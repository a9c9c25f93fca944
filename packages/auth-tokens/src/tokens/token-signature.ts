import { SessionExpiredError, TokenInvalidError } from '../errors.js';
import { AUDIENCE, formatSessionId, isSubject, type SubjectKey } from '../sessions/index.js';
import type { JwtCodec, TokenClaims } from './jwt-codec.js';
import { memoizeVerifier } from './verified-tokens.js';

/** The content of a token with a valid signature, and what is derived from it. */
export interface VerifiedToken {
  readonly claims: TokenClaims;
  readonly owner: SubjectKey;
  readonly sessionId: string;
}

const JTI = /^[A-Za-z0-9_-]{24}$/;

/** Checks the token itself: its signature, then the form of its claims. */
export function createTokenVerifier(jwt: JwtCodec): (token: string) => VerifiedToken {
  // The codec's keys never change, so a valid signature stays valid.
  return memoizeVerifier(function verify(token): VerifiedToken {
    const claims = verifySignature(jwt, token);
    if (!isTokenClaims(claims)) throw new TokenInvalidError({ cause: new Error('Not the claims of an access token') });
    const owner = { audience: claims.aud, subject: claims.sub };
    const sessionId = formatSessionId({ jti: claims.jti, ...owner });
    return { claims: Object.freeze(claims), owner: Object.freeze(owner), sessionId };
  });
}

/** Checks the times of a verified token. @param now by the clock that its times were written by, in milliseconds */
export function assertInTime({ nbf, exp }: TokenClaims, now: number): void {
  if (nbf !== undefined && now < nbf * 1000) throw new TokenInvalidError({ cause: new Error('Not valid yet') });
  if (now >= exp * 1000) throw new SessionExpiredError();
}

function verifySignature(jwt: JwtCodec, token: string): unknown {
  try {
    return jwt.verify(token);
  } catch (cause) {
    throw new TokenInvalidError({ cause });
  }
}

/** Whether a verified payload has the claims that we write, each with its type. */
function isTokenClaims(payload: unknown): payload is TokenClaims {
  if (typeof payload !== 'object' || payload === null) return false;
  const claims = payload as Record<keyof TokenClaims, unknown>;
  return (
    typeof claims.iss === 'string' &&
    isText(claims.aud, AUDIENCE) &&
    isSubject(claims.sub) &&
    isText(claims.jti, JTI) &&
    isSecondsSince1970(claims.iat) &&
    isSecondsSince1970(claims.exp) &&
    (claims.nbf === undefined || isSecondsSince1970(claims.nbf))
  );
}

function isText(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}

function isSecondsSince1970(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
