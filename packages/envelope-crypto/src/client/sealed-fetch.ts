import { hexToBytes } from '@noble/hashes/utils.js';
import type { ClientSuite } from '../suites/index.js';
import {
  bindAuthorization,
  bindIdempotencyKey,
  type Carrier,
  ENVELOPE_HEADER,
  ENVELOPE_VERSION,
  type EnvelopeBootstrap,
  isJsonContentType,
} from '../wire/index.js';
import { EnvelopeClientError } from './errors.js';
import { openResponse, type ResponseWindow, refused } from './open-response.js';
import type { OutgoingRequest } from './outgoing-request.js';
import { type RequestState, sealRequest } from './seal-request.js';

/** A sealed request as arguments of `fetch`. */
export interface SealedFetch {
  readonly url: string;
  readonly init: RequestInit;
  readonly requestState: RequestState;
}

/** Methods that carry the envelope in the body, even an empty one, so that URL logs do not contain it. */
const BODY_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH'];

/** Seals a request to the service. */
export function sealFetch(
  request: OutgoingRequest,
  path: string,
  bootstrap: EnvelopeBootstrap,
  timestamp: number,
  suite: ClientSuite,
): SealedFetch {
  const { method, url, body } = request;
  const headers = new Headers(request.headers);
  const query = url.search.slice(1);
  const carrier = carrierFor(request, query, bootstrap);
  const idempotencyKey = bindIdempotencyKey(headers.get('idempotency-key'));
  if (idempotencyKey === null) {
    throw new EnvelopeClientError('REQUEST_UNSUPPORTED', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  const authorization = bindAuthorization(headers.get('authorization'), suite);
  const binding = { carrier, method, path, authorization, idempotencyKey };
  const sealable = { ...binding, timestamp, query, body: body ?? '' };
  const { text, requestState } = sealRequest(keyOf(bootstrap), sealable, undefined, suite);

  headers.set(ENVELOPE_HEADER, ENVELOPE_VERSION);
  if (carrier === 'body') headers.set('content-type', 'application/json');
  else headers.delete('content-type');
  // The caller's `integrity` is the hash of the plaintext response.
  const { integrity, ...init } = request.init;
  return {
    url: `${url.origin}${url.pathname}${carrier === 'query' ? `?${text}` : ''}`,
    // The target of a redirect would receive an envelope that is not bound to it.
    init: { ...init, method, headers, body: carrier === 'body' ? text : null, redirect: 'manual' },
    requestState,
  };
}

/** An opened response, or a plaintext one where the protocol allows it. */
export interface OpenedFetch {
  readonly response: Response;
  readonly wasSealed: boolean;
}

/** Opens the response to a sealed request. Throws `RESPONSE_REFUSED` if it is not the service's. */
export async function openFetch(
  requestState: RequestState,
  response: Response,
  window: ResponseWindow,
  suite: ClientSuite,
): Promise<OpenedFetch> {
  const mustBeSealed = response.ok && requestState.method !== 'HEAD' && isJson(response);
  // The body of a plaintext response is not read here: it may be a long download.
  if (!response.headers.has(ENVELOPE_HEADER) && !mustBeSealed) {
    return { response: response.ok ? refuseJson(response) : response, wasSealed: false };
  }
  const copy = response.clone();
  const body = new Uint8Array(await copy.arrayBuffer());
  const { status, headers } = response;
  const opened = openResponse(requestState, { status, headers, body }, window, suite);
  if (opened.kind === 'plaintext') return { response, wasSealed: false };
  return { response: restore(response, opened.plaintext, opened.contentType), wasSealed: true };
}

/**
 * A plaintext success is a download, never data. An attacker who replaces a sealed answer can choose its media type,
 * which `json()` ignores.
 */
function refuseJson(response: Response): Response {
  const clone = response.clone.bind(response);
  return Object.defineProperties(response, {
    json: { value: () => Promise.reject(refused('its JSON is not sealed')), configurable: true },
    clone: { value: () => refuseJson(clone()), configurable: true },
  });
}

/** The response as it was before the service sealed it. */
function restore(response: Response, plaintext: Uint8Array, contentType: string): Response {
  const headers = new Headers(response.headers);
  for (const name of [ENVELOPE_HEADER, 'content-length', 'content-encoding']) headers.delete(name);
  headers.set('content-type', contentType);
  const { status, statusText, url } = response;
  const restored = new Response(plaintext as Uint8Array<ArrayBuffer>, { status, statusText, headers });
  return Object.defineProperty(restored, 'url', { value: url });
}

function isJson(response: Response): boolean {
  return isJsonContentType(response.headers.get('content-type'));
}

function carrierFor({ method, body }: OutgoingRequest, query: string, { maxQueryBytes }: EnvelopeBootstrap): Carrier {
  if (method === 'GET' || method === 'HEAD') return 'query';
  return body !== null || BODY_METHODS.includes(method) || query.length > maxQueryBytes ? 'body' : 'query';
}

function keyOf({ keyId, publicKey, maxPayloadBytes, maxQueryBytes }: EnvelopeBootstrap) {
  return { keyId: keyId!, publicKey: hexToBytes(publicKey!), maxPayloadBytes, maxQueryBytes };
}
