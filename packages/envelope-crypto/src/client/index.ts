export type { ProvenKernel } from '../kernel/index.js';
export type { ActiveBackend, BackendName, ClientSuite, EnvelopeSuite } from '../suites/index.js';
export {
  type Carrier,
  ENVELOPE_HEADER,
  ENVELOPE_PARAMETER,
  ENVELOPE_VERSION,
  type EnvelopeBootstrap,
  type TextDecoding,
  type TextEncoding,
} from '../wire/index.js';
export {
  type ConnectionOptions,
  type EnvelopeControls,
  type EnvelopeSecrets,
  type KernelSource,
  type OpenedResponse,
  openResponse,
  type ParseUrl,
  type RandomSource,
  type ReceivedResponse,
  type RequestState,
  type ResponseWindow,
  type SealableRequest,
  type SealedRequest,
  type ServiceKey,
  type ServiceUrl,
  sealRequest,
  type WhenIdle,
} from './connection/index.js';
export { createEnvelopeClient, type EnvelopeClient } from './envelope-client.js';
export { EnvelopeClientError, type EnvelopeClientErrorCode, EnvelopeClientSetupError } from './errors.js';
export type { CreateResponse, ResponseContent } from './opened-response.js';
export { ENVELOPE_CLIENT_DEFAULTS, type EnvelopeClientOptions } from './options.js';
export type { FetchInput } from './outgoing-request.js';
