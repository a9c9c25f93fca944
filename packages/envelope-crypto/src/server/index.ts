export type { BackendChoice } from './backend.js';
export { publicKeyRoute } from './encryption-routes.js';
export type { EnvelopeCrypto } from './envelope-crypto.js';
export type { SealEvent } from './event-sealing.js';
export { ENVELOPE_CRYPTO_DEFAULTS, type EnvelopeCryptoOptions } from './options.js';
export { envelopeCrypto } from './plugin.js';
export type { OpenedEnvelope } from './request-state.js';
