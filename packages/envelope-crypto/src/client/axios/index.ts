export { EnvelopeClientError, type EnvelopeClientErrorCode, EnvelopeClientSetupError } from '../errors.js';
export { createEnvelopeAdapter, type EnvelopeAdapter, type EnvelopeAdapterOptions } from './envelope-adapter.js';
