export {
  generateSigningKey,
  type Jwk,
  type KeyAlgorithm,
  KeyFault,
  type KeyMaterial,
  type PreparedKey,
  type PrivateSigningKey,
  type PublicVerificationKey,
  prepareSigningKey,
  prepareVerificationKey,
  type SharedSecret,
  type SigningKey,
  type VerificationKey,
} from './signing-keys.js';
export { secretWeakness } from './weak-secrets.js';
