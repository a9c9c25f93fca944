import { type ClientSuite, portableClientSuite } from '../suites/index.js';
import {
  ENVELOPE_HEADER,
  ENVELOPE_VERSION,
  isJsonContentType,
  readResponseEnvelope,
  responseAad,
} from '../wire/index.js';
import { EnvelopeClientError } from './errors.js';
import type { RequestState } from './seal-request.js';

/** A response as received. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}

/** The client's clock, corrected by the service's, and the maximum difference of a response's timestamp. */
export interface ResponseWindow {
  readonly now: number;
  readonly timestampWindowSeconds: number;
}

/** A response that may be shown. Any other is thrown as `RESPONSE_REFUSED`. */
export type OpenedResponse =
  | { readonly kind: 'opened'; readonly plaintext: Uint8Array; readonly contentType: string }
  /** A refusal, or content that is never sealed. It is not authenticated. */
  | { readonly kind: 'plaintext' };

/**
 * Opens the response to a sealed request.
 *
 * @param suite Default: the portable implementation.
 */
export function openResponse(
  requestState: RequestState,
  response: ReceivedResponse,
  window: ResponseWindow,
  suite: ClientSuite = portableClientSuite,
): OpenedResponse {
  const version = response.headers.get(ENVELOPE_HEADER);
  if (version === null) return admitPlaintext(requestState, response);
  if (version !== ENVELOPE_VERSION) throw refused('it has another protocol version');
  const reading = readResponseEnvelope(response.body);
  if (reading.kind !== 'read') throw refused('it is not an envelope');

  const { timestamp, nonce, iv, ct } = reading.envelope;
  if (!isEqual(nonce, requestState.nonce)) throw refused('it answers another request');
  // The condition is positive, so that a clock or a window that is NaN makes nothing fresh.
  const isFresh = Math.abs(window.now - timestamp) <= window.timestampWindowSeconds * 1000;
  if (!isFresh) throw refused('it is not from now');
  const aad = new TextEncoder().encode(responseAad(requestState, timestamp, response.status));
  const plaintext = suite.openMessage(requestState.responseKey, iv, aad, ct);
  if (plaintext === null) throw refused('it does not open');
  return {
    kind: 'opened',
    plaintext,
    contentType: response.status >= 400 ? 'application/problem+json' : 'application/json',
  };
}

/** The service seals a success with JSON content, so a plaintext one is a forgery. */
function admitPlaintext({ method }: RequestState, { status, headers, body }: ReceivedResponse): OpenedResponse {
  const hasSealableContent = method !== 'HEAD' && body.length > 0 && isJsonContentType(headers.get('content-type'));
  if (hasSealableContent && status >= 200 && status < 300) throw refused('it is JSON in the clear');
  return { kind: 'plaintext' };
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

/** The error of a response that is not shown. */
export function refused(reason: string): EnvelopeClientError {
  return new EnvelopeClientError('RESPONSE_REFUSED', `the response was refused: ${reason}`);
}
