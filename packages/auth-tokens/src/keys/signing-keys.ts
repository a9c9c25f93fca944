import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  KeyObject,
  randomBytes,
} from 'node:crypto';
import { AuthTokensSetupError } from '../errors.js';
import { MIN_SECRET_BYTES, secretWeakness } from './weak-secrets.js';

/** The algorithms of signing keys. Each key is pinned to one; a token can't select another. */
export type KeyAlgorithm = 'EdDSA' | 'ES256' | 'HS256';

/**
 * A JSON Web Key (RFC 7517), as `KeyObject.export({ format: 'jwk' })`, WebCrypto and others yield it. It is declared
 * here because `@types/node` has it in another place in each of its major releases.
 */
export type Jwk = {
  readonly kty?: string;
  readonly crv?: string;
  readonly d?: string;
  readonly x?: string;
  readonly y?: string;
  readonly alg?: unknown;
  readonly ext?: unknown;
  readonly key_ops?: unknown;
  readonly kid?: unknown;
  readonly use?: unknown;
};

/** A key as PEM text, JWK or `KeyObject`. */
export type KeyMaterial = string | Jwk | KeyObject;

/** Ed25519 for EdDSA, P-256 for ES256. */
export interface PrivateSigningKey {
  readonly algorithm: 'EdDSA' | 'ES256';
  readonly privateKey: KeyMaterial;
  /**
   * The `kid` of its tokens, 1 to 64 characters of `A-Z a-z 0-9 . _ ~ -`. Default: the JWK's `kid`, or else the key's
   * thumbprint (RFC 7638).
   */
  readonly keyId?: string;
}

/** The public half of an earlier signing key. */
export interface PublicVerificationKey {
  readonly algorithm: 'EdDSA' | 'ES256';
  readonly publicKey: KeyMaterial;
  /** As in {@link PrivateSigningKey}. The default is the same for both halves of a key. */
  readonly keyId?: string;
}

/** At least 32 random bytes. A text is not decoded: its UTF-8 bytes are used. */
export interface SharedSecret {
  readonly algorithm: 'HS256';
  readonly secret: string | Uint8Array;
  /** As in {@link PrivateSigningKey}. Default: derived from the secret by HMAC. */
  readonly keyId?: string;
}

export type SigningKey = PrivateSigningKey | SharedSecret;
export type VerificationKey = PublicVerificationKey | SharedSecret;

/** A validated key, in the form that @fastify/jwt takes. */
export interface PreparedKey {
  readonly keyId: string;
  readonly algorithm: KeyAlgorithm;
  /** PEM or secret; null for a key that only verifies. */
  readonly signWith: string | Buffer | null;
  readonly verifyWith: string | Buffer;
}

/** The fault of a key. The message contains nothing of the key. */
export class KeyFault extends Error {}

const KEY_ID = /^[A-Za-z0-9._~-]{1,64}$/;
const CURVES = { EdDSA: 'ed25519', ES256: 'prime256v1' } as const;
const CURVE_NAMES = { EdDSA: 'Ed25519', ES256: 'P-256' } as const;

const ALGORITHM_FAULT = "algorithm must be 'EdDSA', 'ES256' or 'HS256'";
const HOW_TO_MAKE_A_SECRET = 'make one with `openssl rand -base64 32`';

/** Thumbprints (RFC 7638) of keys that specifications and tutorials print with their private halves. */
const SAMPLE_KEYS = new Set([
  'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', // RFC 8037, A.1
  'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U', // RFC 7515, A.3
  'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s', // RFC 7517, A.2
  '19J8y7Zprt2-QKLjF2I5pVk0OELX6cY2AfaAv1LC_w8', // the ES256 example of jwt.io
]);

/**
 * A new key for `signingKey`, as an object that can be stored as JSON. For EdDSA and ES256 it includes `publicKey`, the
 * half for `verificationKeys`.
 *
 * @example
 * ```ts
 * const signingKey = generateSigningKey(); // create it once and store it: a new key ends every token
 *
 * await app.register(authTokens, { store: createMemoryStore(), issuer: 'https://example.com', signingKey });
 * ```
 *
 * @throws AuthTokensSetupError for an unknown algorithm
 */
export function generateSigningKey(algorithm: 'HS256'): SharedSecret & { readonly secret: string };
export function generateSigningKey(
  algorithm?: 'EdDSA' | 'ES256',
): PrivateSigningKey & { readonly privateKey: string; readonly publicKey: string; readonly keyId: string };
export function generateSigningKey(algorithm: KeyAlgorithm = 'EdDSA'): SigningKey {
  if (algorithm !== 'HS256' && !Object.hasOwn(CURVES, algorithm)) {
    throw new AuthTokensSetupError('generateSigningKey', [ALGORITHM_FAULT]);
  }
  if (algorithm === 'HS256') return { algorithm, secret: randomBytes(MIN_SECRET_BYTES).toString('base64url') };
  const pair =
    algorithm === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: CURVES.ES256 });
  const { keyId, signWith, verifyWith } = prepareSigningKey({ algorithm, privateKey: pair.privateKey });
  return { algorithm, keyId, privateKey: String(signWith), publicKey: String(verifyWith) } as PrivateSigningKey;
}

/** @throws {KeyFault} */
export function prepareSigningKey(key: SigningKey): PreparedKey {
  if (isSharedSecret(key)) return prepareSecret(key);
  const algorithm = checkedAlgorithm(key);
  const privateKey = readKey('privateKey', key.privateKey, createPrivateKey);
  if (privateKey.type !== 'private') throw new KeyFault('privateKey must be a private key, not its public half');
  const publicKey = createPublicKey(privateKey);
  return {
    keyId: keyIdOf(key.keyId, key.privateKey, checkedThumbprint(algorithm, publicKey)),
    algorithm,
    signWith: pem(privateKey),
    verifyWith: pem(publicKey),
  };
}

/** @throws {KeyFault} */
export function prepareVerificationKey(key: VerificationKey): PreparedKey {
  if (isSharedSecret(key)) return prepareSecret(key);
  const algorithm = checkedAlgorithm(key);
  if (holdsPrivateKey(key.publicKey)) {
    throw new KeyFault('publicKey holds a private key; give its public half, and destroy retired private keys');
  }
  const publicKey = readKey('publicKey', key.publicKey, createPublicKey);
  return {
    keyId: keyIdOf(key.keyId, key.publicKey, checkedThumbprint(algorithm, publicKey)),
    algorithm,
    signWith: null,
    verifyWith: pem(publicKey),
  };
}

function prepareSecret({ secret, keyId }: SharedSecret): PreparedKey {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw new KeyFault(`secret must be a text or bytes; ${HOW_TO_MAKE_A_SECRET}`);
  }
  const bytes = Buffer.from(secret as string);
  const weakness = secretWeakness(bytes);
  if (weakness !== null) throw new KeyFault(`secret ${weakness}; ${HOW_TO_MAKE_A_SECRET}`);
  const fingerprint = createHmac('sha256', bytes).update('auth-tokens key id').digest().subarray(0, 12);
  return {
    keyId: checkedKeyId(keyId ?? fingerprint.toString('base64url')),
    algorithm: 'HS256',
    signWith: bytes,
    verifyWith: bytes,
  };
}

function isSharedSecret(key: SigningKey | VerificationKey): key is SharedSecret {
  if (typeof key !== 'object' || key === null) throw new KeyFault('must be an object with `algorithm` and a key');
  return key.algorithm === 'HS256';
}

function checkedAlgorithm({ algorithm }: PrivateSigningKey | PublicVerificationKey): 'EdDSA' | 'ES256' {
  if (Object.hasOwn(CURVES, algorithm)) return algorithm;
  throw new KeyFault(ALGORITHM_FAULT);
}

function readKey(
  name: string,
  material: KeyMaterial,
  parse: (input: string | { key: Record<string, string>; format: 'jwk' }) => KeyObject,
): KeyObject {
  if (material instanceof KeyObject) return material;
  try {
    return parse(typeof material === 'string' ? material : { key: material as Record<string, string>, format: 'jwk' });
  } catch {
    // Node's message may quote the input.
    throw new KeyFault(`${name} can't be read; give an unencrypted PEM text, a JWK or a KeyObject`);
  }
}

function holdsPrivateKey(material: KeyMaterial): boolean {
  if (material instanceof KeyObject) return material.type === 'private';
  return typeof material === 'string' ? material.includes('PRIVATE KEY') : Boolean(material?.d);
}

function checkedThumbprint(algorithm: 'EdDSA' | 'ES256', publicKey: KeyObject): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey;
  if ((type === 'ec' ? details?.namedCurve : type) !== CURVES[algorithm]) {
    throw new KeyFault(`${algorithm} needs a key on ${CURVE_NAMES[algorithm]}`);
  }
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' });
  // RFC 7638, 3: only the required members, in lexicographic order; JSON.stringify omits the y that Ed25519 lacks.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  if (SAMPLE_KEYS.has(thumbprint)) throw new KeyFault('is a sample key from a specification or tutorial');
  return thumbprint;
}

function keyIdOf(given: string | undefined, material: KeyMaterial, thumbprint: string): string {
  const ofJwk = typeof material === 'object' && !(material instanceof KeyObject) ? material.kid : undefined;
  return checkedKeyId(given ?? ofJwk ?? thumbprint);
}

function checkedKeyId(keyId: unknown): string {
  if (typeof keyId === 'string' && KEY_ID.test(keyId)) return keyId;
  throw new KeyFault('keyId must have 1 to 64 characters of A-Z a-z 0-9 . _ ~ -');
}

function pem(key: KeyObject): string {
  return String(key.export({ format: 'pem', type: key.type === 'private' ? 'pkcs8' : 'spki' }));
}
