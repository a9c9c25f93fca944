import fastifyJwt from '@fastify/jwt';
import type { FastifyInstance } from 'fastify';
import type { PreparedKey } from '../keys/index.js';
import { TOKEN_TYPE, type TokenClaims } from './token-claims.js';

/** What the engine needs of JWTs. */
export interface JwtCodec {
  /** The key that signs. */
  readonly keyId: string;
  /** Whether tokens of the key are accepted at present. */
  knowsKey(keyId: string): boolean;
  sign(claims: TokenClaims): string;
  /**
   * The payload of a token whose signature, algorithm, type and issuer are right. Its times are not checked: that is
   * the engine's part, by its own clock.
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
 * One @fastify/jwt per key, each pinned to its key's algorithm, in a scope of their own: the application's `fastify.jwt`
 * and `request.user` stay free.
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
      // Its cache would keep tokens as they are; ours is in front of this codec.
      cache: false,
      ignoreExpiration: true,
      ignoreNotBefore: true,
    },
  };
}

/**
 * The library's errors carry header, payload and the parser's quotation of either, and what is thrown here becomes the
 * cause that servers log: its code stays, the token's text doesn't.
 */
function verifyUnquoted(jwt: JwtOfOneKey, token: string): unknown {
  try {
    return jwt.verify(token);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    throw new Error(`Refused by the verifier (${code})`);
  }
}

/** Chooses among our keys, and nothing else: no `jku`, `x5u` or `jwk` is ever read. The verifier parses the header anew. */
function readKeyId(token: string): string {
  try {
    const header = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString());
    return String(header?.kid);
  } catch {
    // The parser's message quotes the header of a token that may be another service's.
    throw new Error('The header is not JSON');
  }
}

/** The last character of a base64url text can have spare bits, which decoders ignore: one signature would have many texts. */
function isCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
