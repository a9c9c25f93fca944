import { createPrivateKey, createPublicKey, hkdfSync, KeyObject } from 'node:crypto';
import { generateSigningKey, type SigningKey, type VerificationKey } from '@sallyport/auth-tokens';
import type { Config } from '../config/config.js';
import { keepSecret, openDataFolder } from '../storage/data-folder.js';

export interface TokenKeys {
  readonly signingKey: SigningKey;
  readonly verificationKeys: readonly VerificationKey[];
}

/** What says which keys there are. */
type TokenKeyConfig = Pick<Config, 'auth.token.key' | 'auth.token.algorithm' | 'auth.token.previous-keys' | 'data-dir'>;

/**
 * The keys of the access tokens (TOK-4): from the environment; in development, where none is given, made once and kept
 * in the data folder, so that sessions survive a restart.
 */
export async function loadTokenKeys(config: TokenKeyConfig): Promise<TokenKeys> {
  const given = config['auth.token.key'];
  return {
    signingKey: given === null ? await keepDevelopmentKey(config) : signingKeyOf(config['auth.token.algorithm'], given),
    verificationKeys: (config['auth.token.previous-keys'] ?? []).map(({ keyId, key }) => ({
      keyId,
      ...verificationKeyOf(key),
    })),
  };
}

async function keepDevelopmentKey(config: TokenKeyConfig): Promise<SigningKey> {
  const algorithm = config['auth.token.algorithm'];
  const folder = await openDataFolder(config['data-dir']);
  const make = () =>
    JSON.stringify(algorithm === 'HS256' ? generateSigningKey(algorithm) : generateSigningKey(algorithm));
  return JSON.parse(await keepSecret(folder, `token-key-${algorithm}.json`, make)) as SigningKey;
}

function signingKeyOf(algorithm: Config['auth.token.algorithm'], key: string): SigningKey {
  return algorithm === 'HS256' ? { algorithm, secret: key } : { algorithm, privateKey: withLineBreaks(key) };
}

/** The text says itself what it is: a PEM by its curve, anything else is a shared secret. */
function verificationKeyOf(key: string): VerificationKey {
  if (!key.includes('-----BEGIN')) return { algorithm: 'HS256', secret: key };
  const publicKey = withLineBreaks(key);
  return { algorithm: isEd25519(publicKey) ? 'EdDSA' : 'ES256', publicKey };
}

/** A text that can't be read is left to the check of the keys, which says so by its name. */
function isEd25519(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

/** A PEM text in an environment file often has its line breaks written `\n`. */
function withLineBreaks(pem: string): string {
  return pem.replaceAll('\\n', '\n');
}

/** What else than tokens is protected under the service's one signing secret, each under a key of its own. */
export type KeyPurpose = 'sms-codes' | 'notifications';

const KEY_BYTES = 32;

/**
 * A key for one purpose, derived from the signing key of the tokens (HKDF, RFC 5869): every node has the same one, and
 * none of them says anything about another. It changes with the signing key; what is under it lives for minutes.
 */
export function deriveKey(signingKey: SigningKey, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', signingSecret(signingKey), '', `sallyport ${purpose} v1`, KEY_BYTES));
}

/** The bytes of the key itself and not of its text: a PEM has many. */
export function signingSecret(signingKey: SigningKey): Uint8Array {
  if (signingKey.algorithm === 'HS256') {
    const { secret } = signingKey;
    return typeof secret === 'string' ? Buffer.from(secret) : secret;
  }
  const { privateKey } = signingKey;
  const key = privateKey instanceof KeyObject ? privateKey : privateKeyOf(privateKey);
  return key.export({ format: 'der', type: 'pkcs8' });
}

function privateKeyOf(material: Exclude<Extract<SigningKey, { privateKey: unknown }>['privateKey'], KeyObject>) {
  return typeof material === 'string' ? createPrivateKey(material) : createPrivateKey({ key: material, format: 'jwk' });
}
