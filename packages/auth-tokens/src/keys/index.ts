export { signingKeyRule, verificationKeysRule } from './key-rules.js';
export {
  generateSigningKey,
  type Jwk,
  type KeyAlgorithm,
  type KeyMaterial,
  type PreparedKey,
  type PrivateSigningKey,
  type PublicVerificationKey,
  type SharedSecret,
  type SigningKey,
  type VerificationKey,
} from './signing-keys.js';
export { secretWeakness } from './weak-secrets.js';
