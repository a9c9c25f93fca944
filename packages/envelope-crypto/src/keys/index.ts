export type { KeyProvider } from './key-provider.js';
export { type ParsedPrivateKey, parsePrivateKey } from './private-key.js';
export {
  loadServerKeys,
  type PrivateKeySource,
  type ServerKeys,
  type ServerKeysReading,
  type UnwrapHere,
} from './server-keys.js';
export { keyRules, readSuppliedKeys, type SuppliedKeys } from './supplied-keys.js';
