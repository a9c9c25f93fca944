export {
  decodeBase64url,
  encodeBase64url,
} from './base64url.js';
export {
  type AnsweredRequest,
  type BoundStatus,
  type Envelope,
  eventStatus,
  maxTextBytes,
  type RequestBinding,
  readEnvelope,
  readResponseEnvelope,
  requestAad,
  responseAad,
  writeEnvelope,
  writeResponseEnvelope,
} from './envelope.js';
export {
  BASE_KEY_BYTES,
  type Carrier,
  DEFAULT_BYPASS_ROUTES,
  ENVELOPE_HEADER,
  ENVELOPE_PARAMETER,
  ENVELOPE_VERSION,
  type EncryptionMode,
  type EnvelopeBootstrap,
  isJsonContentType,
  isKeyId,
  MAX_QUERY_BYTES,
  mediaTypeOf,
  SUITE_NAME,
  WRAPPED_KEY_BYTES,
} from './protocol.js';
export { bindAuthorization, bindIdempotencyKey, splitTarget } from './request-binding.js';
export {
  asciiBytes,
  decodeUtf8,
  encodeUtf8,
  type TextDecoding,
  type TextEncoding,
} from './text-coding.js';
