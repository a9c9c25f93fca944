import { AUDIENCE, isSubject } from '../sessions/index.js';

/** The claims of an access token. No permission is among them: those live in server state (TOK-6). */
export interface TokenClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly jti: string;
  /** Whole seconds since 1970, like the next two. */
  readonly iat: number;
  readonly exp: number;
  /** We write none, but honour what another holder of the key wrote. */
  readonly nbf?: number;
}

/** RFC 9068, 2.1: the type that keeps other JWTs of the same key from passing as access tokens. */
export const TOKEN_TYPE = 'at+jwt';

const JTI = /^[A-Za-z0-9_-]{24}$/;

/** Whether the payload of a token, its signature verified, has the claims that we write, each of its type. */
export function isTokenClaims(payload: unknown): payload is TokenClaims {
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
