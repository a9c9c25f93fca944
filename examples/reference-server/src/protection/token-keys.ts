import { createPrivateKey, createPublicKey, hkdfSync, KeyObject } from 'node:crypto';
import { generateSigningKey, type SigningKey, type VerificationKey } from '@sallyport/auth-tokens';
import type { Config } from '../config/config.js';
import { keepKey } from '../storage/data-folder.js';

export interface TokenKeys {
  readonly signingKey: SigningKey;
  readonly verificationKeys: readonly VerificationKey[];
}

/** The settings that define the keys. */
type TokenKeyConfig = Pick<Config, 'auth.token.key' | 'auth.token.algorithm' | 'auth.token.previous-keys' | 'data-dir'>;

/**
 * The keys of the access tokens (TOK-4). They come from the environment. Development generates a missing key once and
 * keeps it in the data folder, so that sessions survive a restart.
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
  const make = () =>
    JSON.stringify(algorithm === 'HS256' ? generateSigningKey(algorithm) : generateSigningKey(algorithm));
  const read = (text: string) => JSON.parse(text) as SigningKey;
  return keepKey(config['data-dir'], `token-key-${algorithm}.json`, make, read);
}

function signingKeyOf(algorithm: Config['auth.token.algorithm'], key: string): SigningKey {
  return algorithm === 'HS256' ? { algorithm, secret: key } : { algorithm, privateKey: withLineBreaks(key) };
}

/** Detects the kind of a key: a PEM by its curve, any other text is a shared secret. */
function verificationKeyOf(key: string): VerificationKey {
  if (!key.includes('-----BEGIN')) return { algorithm: 'HS256', secret: key };
  const publicKey = withLineBreaks(key);
  return { algorithm: isEd25519(publicKey) ? 'EdDSA' : 'ES256', publicKey };
}

/** An unreadable text is left to the check of the keys, which reports it by name. */
function isEd25519(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

/** Reads `\n` as a line break: environment files often write a PEM this way. */
function withLineBreaks(pem: string): string {
  return pem.replaceAll('\\n', '\n');
}

/** The purposes of keys that are derived from the signing key of the tokens. Each purpose has its own key. */
export type KeyPurpose = 'sms-codes' | 'notifications';

const KEY_BYTES = 32;

/**
 * Derives a key for one purpose from the signing key of the tokens (HKDF, RFC 5869). Every node derives the same key,
 * and no key reveals another. It changes with the signing key, which is acceptable because the protected data lives for
 * minutes.
 */
export function deriveKey(signingKey: SigningKey, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', signingSecret(signingKey), '', `sallyport ${purpose} v1`, KEY_BYTES));
}

/** The key bytes, not its text: one key has many PEM texts. */
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
