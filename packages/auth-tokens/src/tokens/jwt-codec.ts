import fastifyJwt from '@fastify/jwt';
import type { FastifyInstance } from 'fastify';
import type { PreparedKey } from '../keys/index.js';

/** The claims of an access token. It contains no permissions: those are server state. */
export interface TokenClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly jti: string;
  /** Whole seconds since 1970, like the next two. */
  readonly iat: number;
  readonly exp: number;
  /** This package never writes it, but enforces it, because another holder of the key may have written it. */
  readonly nbf?: number;
}

/** RFC 9068, 2.1: distinguishes access tokens from other JWTs of the same key. */
const TOKEN_TYPE = 'at+jwt';

/** Signs and verifies JWTs for the engine. */
export interface JwtCodec {
  /** The key that signs. */
  readonly keyId: string;
  /** Whether tokens of the key are accepted. */
  knowsKey(keyId: string): boolean;
  sign(claims: TokenClaims): string;
  /**
   * The payload of a token whose signature, algorithm, type and issuer are right. The engine checks its times, with its
   * own clock.
   *
   * @throws for every other text
   */
  verify(token: string): unknown;
}

interface JwtCodecOptions {
  readonly issuer: string;
  readonly signingKey: PreparedKey;
  readonly verificationKeys: readonly PreparedKey[];
}

/**
 * One @fastify/jwt per key, each pinned to its key's algorithm, in an encapsulated scope: the application can use
 * `fastify.jwt` and `request.user` itself.
 */
export async function createJwtCodec(fastify: FastifyInstance, options: JwtCodecOptions): Promise<JwtCodec> {
  const { issuer, signingKey, verificationKeys } = options;
  const jwtByKeyId = new Map<string, JwtOfOneKey>();
  await fastify.register(async function accessTokenKeys(scope) {
    for (const key of [signingKey, ...verificationKeys]) {
      const namespace = `auth-tokens ${key.keyId}`;
      await scope.register(fastifyJwt, { ...settingsOf(key, issuer), namespace });
      jwtByKeyId.set(key.keyId, (scope.jwt as unknown as Record<string, JwtOfOneKey>)[namespace] as JwtOfOneKey);
    }
  });

  const signer = jwtByKeyId.get(signingKey.keyId) as JwtOfOneKey;
  return {
    keyId: signingKey.keyId,
    knowsKey: (keyId) => jwtByKeyId.has(keyId),
    sign: (claims) => signer.sign(claims),
    verify(token) {
      const jwt = jwtByKeyId.get(readKeyId(token));
      if (jwt === undefined) throw new Error('Unknown key');
      if (!isCanonicalSignature(token)) throw new Error('Not the canonical text of its signature');
      return verifyUnquoted(jwt, token);
    },
  };
}

type JwtOfOneKey = Pick<fastifyJwt.JWT, 'sign' | 'verify'>;

function settingsOf({ algorithm, keyId, signWith, verifyWith }: PreparedKey, issuer: string) {
  return {
    decoratorName: 'authTokensPayload',
    secret: signWith === null ? { public: verifyWith } : { private: signWith, public: verifyWith },
    sign: { algorithm, kid: keyId, typ: TOKEN_TYPE },
    verify: {
      algorithms: [algorithm],
      allowedIss: issuer,
      checkTyp: TOKEN_TYPE,
      requiredClaims: ['iss', 'aud', 'sub', 'jti', 'iat', 'exp'],
      // The cache of the library would keep whole tokens. The cache of this package keeps digests (verified-tokens.ts).
      cache: false,
      ignoreExpiration: true,
      ignoreNotBefore: true,
    },
  };
}

/**
 * The library's errors contain the token's header and payload, and servers log this error as a cause. It therefore
 * keeps only the code, and nothing of the token.
 */
function verifyUnquoted(jwt: JwtOfOneKey, token: string): unknown {
  try {
    return jwt.verify(token);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    throw new Error(`Refused by the verifier (${code})`);
  }
}

/** Selects one of our keys. `jku`, `x5u` and `jwk` are never read. The verifier parses the header again. */
function readKeyId(token: string): string {
  try {
    const header = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString());
    return String(header?.kid);
  } catch {
    // The parser's message quotes the header, and the token may belong to another service.
    throw new Error('The header is not JSON');
  }
}

/** Decoders ignore spare bits in the last base64url character, so one signature would have several texts. */
function isCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
