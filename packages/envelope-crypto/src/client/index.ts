export type { ProvenKernel } from '../kernel/proven-kernel.js';
export type { ActiveBackend, BackendName } from '../server/choose-suite.js';
export type { EnvelopeBootstrap } from '../server/envelope-crypto.js';
export type { ClientSuite, EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';
export { type Carrier, ENVELOPE_HEADER, ENVELOPE_PARAMETER, ENVELOPE_VERSION } from '../wire/envelope.js';
export type { KernelSource } from './client-backend.js';
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
