import { type ClientSuite, portableClientSuite } from '../suites/sm2-sm4-gcm-v1.js';
import {
  ENVELOPE_HEADER,
  ENVELOPE_VERSION,
  isJsonContentType,
  readResponseEnvelope,
  responseAad,
} from '../wire/envelope.js';
import { EnvelopeClientError } from './errors.js';
import type { Exchange } from './seal-request.js';

/** A response as it came. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}

/** The client's clock (corrected by the service's), and how far a response's may be from it. */
export interface ResponseWindow {
  readonly now: number;
  readonly timestampWindowSeconds: number;
}

/** What may be shown. Whatever else came is thrown as `RESPONSE_REFUSED`. */
export type OpenedResponse =
  | { readonly kind: 'opened'; readonly plaintext: Uint8Array; readonly contentType: string }
  /** In the clear: a refusal, or nothing that is ever sealed. Nobody vouches for it. */
  | { readonly kind: 'plaintext' };

/**
 * Opens the response to a sealed request.
 *
 * @param suite Default: the portable implementation.
 */
export function openResponse(
  exchange: Exchange,
  response: ReceivedResponse,
  window: ResponseWindow,
  suite: ClientSuite = portableClientSuite,
): OpenedResponse {
  const version = response.headers.get(ENVELOPE_HEADER);
  if (version === null) return admitPlaintext(exchange, response);
  if (version !== ENVELOPE_VERSION) throw refused('it has another protocol version');
  const reading = readResponseEnvelope(response.body);
  if (reading.kind !== 'read') throw refused('it is not an envelope');

  const { timestamp, nonce, iv, ct } = reading.envelope;
  if (!isEqual(nonce, exchange.nonce)) throw refused('it answers another request');
  // What must hold is asked, not what must not: with a clock or a window that is no number nothing is from now.
  const isFromNow = Math.abs(window.now - timestamp) <= window.timestampWindowSeconds * 1000;
  if (!isFromNow) throw refused('it is not from now');
  const aad = new TextEncoder().encode(responseAad(exchange, timestamp, response.status));
  const plaintext = suite.openMessage(exchange.responseKey, iv, aad, ct);
  if (plaintext === null) throw refused('it does not open');
  return {
    kind: 'opened',
    plaintext,
    contentType: response.status >= 400 ? 'application/problem+json' : 'application/json',
  };
}

/** A success with content would have been sealed; somebody on the way could have put another one in its place. */
function admitPlaintext({ method }: Exchange, { status, headers, body }: ReceivedResponse): OpenedResponse {
  const hasSealableContent = method !== 'HEAD' && body.length > 0 && isJsonContentType(headers.get('content-type'));
  if (hasSealableContent && status >= 200 && status < 300) throw refused('it is JSON in the clear');
  return { kind: 'plaintext' };
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

/** What isn't shown, and why. */
export function refused(reason: string): EnvelopeClientError {
  return new EnvelopeClientError('RESPONSE_REFUSED', `the response was refused: ${reason}`);
}
