import { createPrivateKey, hkdfSync, KeyObject } from 'node:crypto';
import type { SigningKey } from '@sallyport/auth-tokens';

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
