export {
  EnvelopeExpiredOrReplayedError,
  EnvelopeKeyUnavailableError,
  EnvelopeKeyUnknownError,
  EnvelopeMalformedError,
  EnvelopeNotDeliveredError,
  EnvelopePlaintextInvalidError,
  EnvelopeRejectedError,
  EnvelopeReplayStoreUnavailableError,
  EnvelopeRequiredError,
  EnvelopeSealingFailedError,
  EnvelopeSetupInvalidError,
  EnvelopeTooLargeError,
  EnvelopeVersionUnsupportedError,
} from './errors.js';
export type { KeyProvider } from './keys/key-provider.js';
export { type ParsedPrivateKey, type PrivateKeySource, parsePrivateKey } from './keys/server-keys.js';
export type { ActiveBackend, BackendChoice, BackendName } from './server/choose-suite.js';
export type { EnvelopeBootstrap, EnvelopeCrypto } from './server/envelope-crypto.js';
export type { OpenedEnvelope } from './server/opened-envelope.js';
export { ENVELOPE_CRYPTO_DEFAULTS, type EncryptionMode, type EnvelopeCryptoOptions } from './server/options.js';
export { envelopeCrypto, envelopeCrypto as default } from './server/plugin.js';
export { publicKeyRoute } from './server/public-key-route.js';
export { SelfTestFailedError } from './suites/self-test.js';
export { DEFAULT_BYPASS_ROUTES } from './wire/default-bypass-routes.js';
export { type Carrier, ENVELOPE_HEADER, ENVELOPE_PARAMETER, ENVELOPE_VERSION } from './wire/envelope.js';
