export type { Answer } from './answer.js';
export { isSuccess } from './bootstrap.js';
export type { KernelSource, WhenIdle } from './client-backend.js';
export {
  createConnection,
  type EnvelopeControls,
  type OpenEvent,
  type OpenedContent,
  type Outcome,
  type SealedMessage,
} from './connection.js';
export { readBody, unsupportedContent } from './json-body.js';
export {
  ENVELOPE_HEADERS,
  type OpenedResponse,
  openResponse,
  type ReceivedResponse,
  type ResponseWindow,
  refuse,
  requireNoJson,
} from './open-response.js';
export { CONNECTION_DEFAULTS, type ConnectionOptions, type ConnectionSettings, readClientOptions } from './options.js';
export type { RandomSource } from './random-source.js';
export {
  type EnvelopeSecrets,
  type RequestState,
  type SealableRequest,
  type SealedRequest,
  type ServiceKey,
  sealRequest,
} from './seal-request.js';
export type { ParseUrl, ServiceUrl } from './service-url.js';
