export { DEFAULT_BYPASS_ROUTES } from './default-bypass-routes.js';
export { type Carrier, ENVELOPE_HEADER, ENVELOPE_PARAMETER, ENVELOPE_VERSION } from './envelope.js';
export type { EnvelopeBootstrap, EnvelopeCrypto } from './envelope-crypto.js';
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
export type { KeyProvider } from './key-provider.js';
export type { OpenedEnvelope } from './opened-envelope.js';
export { ENVELOPE_CRYPTO_DEFAULTS, type EncryptionMode, type EnvelopeCryptoOptions } from './options.js';
export { envelopeCrypto, envelopeCrypto as default } from './plugin.js';
export { publicKeyRoute } from './public-key-route.js';
export { SelfTestFailedError } from './self-test.js';
export { type ParsedPrivateKey, type PrivateKeySource, parsePrivateKey } from './server-keys.js';
export type { ActiveBackend, BackendChoice, BackendName } from './suites/choose-suite.js';
