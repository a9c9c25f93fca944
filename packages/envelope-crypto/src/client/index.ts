export { type Carrier, ENVELOPE_HEADER, ENVELOPE_PARAMETER, ENVELOPE_VERSION } from '../envelope.js';
export type { EnvelopeBootstrap } from '../envelope-crypto.js';
export { createEnvelopeClient, type EnvelopeClient } from './envelope-client.js';
export { EnvelopeClientError, type EnvelopeClientErrorCode } from './errors.js';
export { type OpenedResponse, openResponse, type ReceivedResponse, type ResponseWindow } from './open-response.js';
export { ENVELOPE_CLIENT_DEFAULTS, type EnvelopeClientOptions } from './options.js';
export type { FetchInput } from './outgoing-request.js';
export {
  type EnvelopeSecrets,
  type Exchange,
  type SealableRequest,
  type SealedRequest,
  type ServiceKey,
  sealRequest,
} from './seal-request.js';
export type { ConfirmClock } from './service-clock.js';
