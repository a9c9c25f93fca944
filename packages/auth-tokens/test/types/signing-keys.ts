// ADP-13: keys have a type of their own, whatever release of @types/node is installed.
import { generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto';
import type { Jwk, KeyMaterial, PrivateSigningKey, VerificationKey } from '@sallyport/auth-tokens';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const exported: Jwk = privateKey.export({ format: 'jwk' });
declare const ofWebCrypto: webcrypto.JsonWebKey;
const signing: PrivateSigningKey[] = [
  { algorithm: 'EdDSA', privateKey },
  { algorithm: 'EdDSA', privateKey: exported },
  { algorithm: 'EdDSA', privateKey: ofWebCrypto },
  { algorithm: 'ES256', privateKey: '-----BEGIN PRIVATE KEY-----' },
  { algorithm: 'ES256', privateKey: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd', kid: 'k', alg: 'ES256' } },
];
const verifying: VerificationKey[] = [{ algorithm: 'EdDSA', publicKey: publicKey.export({ format: 'jwk' }) }];
// @ts-expect-error
const number: PrivateSigningKey = { algorithm: 'EdDSA', privateKey: 12345 };
// @ts-expect-error
const bytes: KeyMaterial = new Uint8Array(32);
// @ts-expect-error
const wrong: KeyMaterial = { kty: 1 };
// @ts-expect-error
const nothing: KeyMaterial = null;
export const keys: readonly (KeyMaterial | PrivateSigningKey | VerificationKey | KeyObject)[] = [
  ...[...signing, ...verifying, number, bytes, wrong, nothing],
];
