import { type ClientSuite, portableClientSuite } from '../../suites/index.js';
import {
  type AnsweredRequest,
  asciiBytes,
  ENVELOPE_PARAMETER,
  type Envelope,
  encodeBase64url,
  encodeUtf8,
  MAX_QUERY_BYTES,
  type RequestBinding,
  requestAad,
  type TextEncoding,
  writeEnvelope,
} from '../../wire/index.js';
import { EnvelopeClientError } from '../errors.js';

/** The service's key, and the limits of an envelope. */
export interface ServiceKey {
  readonly keyId: string;
  /** 65 bytes: 04, x, y. */
  readonly publicKey: Uint8Array;
  /** Maximum plaintext bytes of a body envelope. */
  readonly maxPayloadBytes: number;
  /** Maximum plaintext bytes of a query envelope. Default: the smaller of 4096 and `maxPayloadBytes`. */
  readonly maxQueryBytes?: number;
}

/** The plaintext of a request, and the values to which it is bound. */
export interface SealableRequest extends RequestBinding {
  /** Milliseconds since the Unix epoch, by the service's clock. */
  readonly timestamp: number;
  /** The query string, without `?`. */
  readonly query: string;
  /** The JSON text of the body. Empty without a body, and with the carrier `query`. */
  readonly body: string;
}

/** The random values of one envelope. Never use them for a second one. */
export interface EnvelopeSecrets {
  /** 16 bytes. They are overwritten when the request is sealed. */
  readonly baseKey: Uint8Array;
  /** 16 bytes. */
  readonly nonce: Uint8Array;
  /** 12 bytes. */
  readonly iv: Uint8Array;
  /** The ephemeral scalar of SM2: 32 bytes, a number from 1 to n − 1. Default: the suite draws it. */
  readonly ephemeral?: Uint8Array;
}

/** The state for opening the response, including the response key. Drop it with the request. */
export interface RequestState extends AnsweredRequest {
  readonly responseKey: Uint8Array;
}

/** A sealed request. `text` is the body or the query string, depending on the carrier. */
export interface SealedRequest {
  readonly text: string;
  readonly requestState: RequestState;
}

/**
 * Seals a request with a new base key, nonce and IV.
 *
 * @param secrets Default: bytes of the global `crypto`.
 * @param suite Default: the portable implementation.
 * @param encodeText Default: the global `TextEncoder`.
 */
export function sealRequest(
  key: ServiceKey,
  request: SealableRequest,
  secrets: EnvelopeSecrets = drawSecrets(),
  suite: ClientSuite = portableClientSuite,
  encodeText: TextEncoding = encodeUtf8,
): SealedRequest {
  const { carrier, method, path, query, body } = request;
  const plaintext = encodeText(carrier === 'query' ? query : `${query}\n${body}`);
  requireFit(plaintext, maxPlaintextBytes(key, carrier));

  const { baseKey, nonce, iv, ephemeral } = secrets;
  const { requestKey, responseKey } = suite.deriveKeys(baseKey, nonce, key.keyId);
  const head = { keyId: key.keyId, timestamp: request.timestamp, nonce };
  const envelope: Envelope = {
    ...head,
    wrappedKey: suite.wrapBaseKey(key.publicKey, baseKey, ephemeral),
    iv,
    ct: suite.sealMessage(requestKey, iv, asciiBytes(requestAad(head, request)), plaintext),
  };
  baseKey.fill(0);
  requestKey.fill(0);
  const json = writeEnvelope(envelope);
  return {
    text: carrier === 'query' ? `${ENVELOPE_PARAMETER}=${encodeBase64url(asciiBytes(json))}` : json,
    requestState: { keyId: key.keyId, nonce, method, path, responseKey },
  };
}

function maxPlaintextBytes(key: ServiceKey, carrier: 'body' | 'query'): number {
  if (carrier === 'body') return key.maxPayloadBytes;
  return key.maxQueryBytes ?? Math.min(MAX_QUERY_BYTES, key.maxPayloadBytes);
}

function requireFit(plaintext: Uint8Array, maxBytes: number): void {
  if (plaintext.length <= maxBytes) return;
  const message = `the request has ${plaintext.length} bytes, the service accepts ${maxBytes}`;
  throw new EnvelopeClientError('REQUEST_TOO_LARGE', message);
}

function drawSecrets(): EnvelopeSecrets {
  const draw = (bytes: number) => globalThis.crypto.getRandomValues(new Uint8Array(bytes));
  return { baseKey: draw(16), nonce: draw(16), iv: draw(12) };
}
