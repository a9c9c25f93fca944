export type { ProvenKernel } from '../kernel/index.js';
export type { ActiveBackend, BackendName, ClientSuite, EnvelopeSuite } from '../suites/index.js';
export {
  type Carrier,
  ENVELOPE_HEADER,
  ENVELOPE_PARAMETER,
  ENVELOPE_VERSION,
  type EnvelopeBootstrap,
} from '../wire/index.js';
export type { KernelSource } from './client-backend.js';
export { createEnvelopeClient, type EnvelopeClient } from './envelope-client.js';
export { EnvelopeClientError, type EnvelopeClientErrorCode, EnvelopeClientSetupError } from './errors.js';
export { type OpenedResponse, openResponse, type ReceivedResponse, type ResponseWindow } from './open-response.js';
export { ENVELOPE_CLIENT_DEFAULTS, type EnvelopeClientOptions } from './options.js';
export type { FetchInput } from './outgoing-request.js';
export {
  type EnvelopeSecrets,
  type RequestState,
  type SealableRequest,
  type SealedRequest,
  type ServiceKey,
  sealRequest,
} from './seal-request.js';
export type { ConfirmClock } from './service-clock.js';
