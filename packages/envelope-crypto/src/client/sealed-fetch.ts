import { hexToBytes } from '@noble/hashes/utils.js';
import type { EnvelopeBootstrap } from '../server/envelope-crypto.js';
import type { ClientSuite } from '../suites/sm2-sm4-gcm-v1.js';
import { type Carrier, ENVELOPE_HEADER, ENVELOPE_VERSION, isJsonContentType } from '../wire/envelope.js';
import { bindAuthorization, bindIdempotencyKey } from '../wire/request-binding.js';
import { EnvelopeClientError } from './errors.js';
import { openResponse, type ResponseWindow, refused } from './open-response.js';
import type { OutgoingRequest } from './outgoing-request.js';
import { type Exchange, sealRequest } from './seal-request.js';

/** A request in its envelope, as the arguments of `fetch`. */
export interface SealedFetch {
  readonly url: string;
  readonly init: RequestInit;
  readonly exchange: Exchange;
}

/** Methods whose requests have a body: theirs keep envelopes out of the logs of URLs, even where the body is empty. */
const BODY_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH'];

/** Puts a request to the service into an envelope. */
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
  const { text, exchange } = sealRequest(keyOf(bootstrap), sealable, undefined, suite);

  headers.set(ENVELOPE_HEADER, ENVELOPE_VERSION);
  if (carrier === 'body') headers.set('content-type', 'application/json');
  else headers.delete('content-type');
  // The hash that a caller may have given is that of the plaintext response.
  const { integrity, ...init } = request.init;
  return {
    url: `${url.origin}${url.pathname}${carrier === 'query' ? `?${text}` : ''}`,
    // A redirect's target would receive an envelope that isn't bound to it.
    init: { ...init, method, headers, body: carrier === 'body' ? text : null, redirect: 'manual' },
    exchange,
  };
}

/** What came back: opened, or in the clear where the protocol allows that. */
export interface OpenedFetch {
  readonly response: Response;
  readonly wasSealed: boolean;
}

/** Opens the response to a sealed request; throws `RESPONSE_REFUSED` for what isn't the service's. */
export async function openFetch(
  exchange: Exchange,
  response: Response,
  window: ResponseWindow,
  suite: ClientSuite,
): Promise<OpenedFetch> {
  const mustBeSealed = response.ok && exchange.method !== 'HEAD' && isJson(response);
  // The body of what is shown as it came isn't read here: it may be a long download.
  if (!response.headers.has(ENVELOPE_HEADER) && !mustBeSealed) {
    return { response: response.ok ? refuseJson(response) : response, wasSealed: false };
  }
  const copy = response.clone();
  const body = new Uint8Array(await copy.arrayBuffer());
  const { status, headers } = response;
  const opened = openResponse(exchange, { status, headers, body }, window, suite);
  if (opened.kind === 'plaintext') return { response, wasSealed: false };
  return { response: restore(response, opened.plaintext, opened.contentType), wasSealed: true };
}

/**
 * A success in the clear is a download, and never data: whoever put it in the place of the sealed answer could have
 * given it any media type, which `json()` doesn't look at.
 */
function refuseJson(response: Response): Response {
  const clone = response.clone.bind(response);
  return Object.defineProperties(response, {
    json: { value: () => Promise.reject(refused('its JSON is not sealed')), configurable: true },
    clone: { value: () => refuseJson(clone()), configurable: true },
  });
}

/** The response as the service made it before it was sealed. */
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
