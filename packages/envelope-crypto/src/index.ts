export {
  EnvelopeExpiredOrReplayedError,
  EnvelopeHijackUndeclaredError,
  EnvelopeKeyUnavailableError,
  EnvelopeKeyUnknownError,
  EnvelopeMalformedError,
  EnvelopeNotDeliveredError,
  EnvelopePlaintextInvalidError,
  EnvelopeRawUrlUndeclaredError,
  EnvelopeRejectedError,
  EnvelopeReplayStoreUnavailableError,
  EnvelopeRequiredError,
  EnvelopeSealingFailedError,
  EnvelopeSetupError,
  EnvelopeTooLargeError,
  EnvelopeVersionUnsupportedError,
} from './errors.js';
export {
  type KeyProvider,
  type ParsedPrivateKey,
  type PrivateKeySource,
  parsePrivateKey,
  type SuppliedKeys,
} from './keys/index.js';
export { type EnvelopeRefusalCode, refusals } from './refusals.js';
export type { KeyRefreshFailure, KeySource } from './rotation/index.js';
export {
  type BackendChoice,
  ENVELOPE_CRYPTO_DEFAULTS,
  type EnvelopeCrypto,
  type EnvelopeCryptoOptions,
  envelopeCrypto,
  envelopeCrypto as default,
  type OpenedEnvelope,
  publicKeyRoute,
  type SealEvent,
} from './server/index.js';
export { type ActiveBackend, type BackendName, SelfTestFailedError } from './suites/index.js';
export {
  type Carrier,
  DEFAULT_BYPASS_ROUTES,
  ENVELOPE_HEADER,
  ENVELOPE_PARAMETER,
  ENVELOPE_VERSION,
  type EncryptionMode,
  type EnvelopeBootstrap,
} from './wire/index.js';
