import { equalBytes } from '@noble/curves/utils.js';
import { type ClientSuite, portableClientSuite } from '../../suites/index.js';
import {
  asciiBytes,
  type BoundStatus,
  decodeUtf8,
  ENVELOPE_HEADER,
  ENVELOPE_VERSION,
  isJsonContentType,
  readResponseEnvelope,
  responseAad,
  type TextDecoding,
} from '../../wire/index.js';
import { EnvelopeClientError } from '../errors.js';
import { isSuccess } from './bootstrap.js';
import type { RequestState } from './seal-request.js';

/** A response as received. */
export interface ReceivedResponse {
  readonly status: BoundStatus;
  readonly headers: { get(name: string): string | null };
  readonly body: Uint8Array;
}

/** The client's clock, corrected by the service's, and the maximum difference of a response's timestamp. */
export interface ResponseWindow {
  readonly now: number;
  readonly timestampWindowSeconds: number;
}

/** A response that may be shown to the application. For any other, `RESPONSE_REFUSED` is thrown. */
export type OpenedResponse =
  | {
      readonly kind: 'opened';
      readonly plaintext: Uint8Array;
      readonly contentType: string;
      /** The service's clock, in milliseconds since the Unix epoch. */
      readonly timestamp: number;
    }
  /** A refusal, or content that is never sealed. It is not authenticated. */
  | { readonly kind: 'plaintext' };

/**
 * Opens the response to a sealed request.
 *
 * @param suite Default: the portable implementation.
 * @param decodeText Default: the global `TextDecoder`.
 */
export function openResponse(
  requestState: RequestState,
  response: ReceivedResponse,
  window: ResponseWindow,
  suite: ClientSuite = portableClientSuite,
  decodeText: TextDecoding = decodeUtf8,
): OpenedResponse {
  const version = response.headers.get(ENVELOPE_HEADER);
  if (version === null) {
    if (response.body.length > 0 && mustBeSealed(requestState, response)) refuse('its JSON is not sealed');
    return { kind: 'plaintext' };
  }
  if (version !== ENVELOPE_VERSION) refuse('it has another version');
  const envelope = readResponseEnvelope(response.body, decodeText);
  if (envelope === null) refuse('it is not an envelope');

  const { timestamp, nonce, iv, ct } = envelope;
  if (!equalBytes(nonce, requestState.nonce)) refuse('it answers another request');
  // The condition is positive, so that a clock or a window that is NaN makes nothing fresh.
  const isFresh = Math.abs(window.now - timestamp) <= window.timestampWindowSeconds * 1000;
  if (!isFresh) refuse('it is not from now');
  const aad = asciiBytes(responseAad(requestState, timestamp, response.status));
  const plaintext = suite.openMessage(requestState.responseKey, iv, aad, ct);
  if (plaintext === null) refuse('it does not open');
  return {
    kind: 'opened',
    plaintext,
    timestamp,
    contentType: (response.status as number) >= 400 ? 'application/problem+json' : 'application/json',
  };
}

/** The service seals every success with JSON content, so a plaintext one is a forgery. */
export function mustBeSealed({ method }: RequestState, answer: Pick<ReceivedResponse, 'status' | 'headers'>): boolean {
  return (
    isSuccess(answer as { readonly status: number }) &&
    method !== 'HEAD' &&
    isJsonContentType(answer.headers.get('content-type'))
  );
}

/** The headers of an answer that describe its envelope. */
export const ENVELOPE_HEADERS: readonly string[] = [
  ENVELOPE_HEADER,
  'content-type',
  'content-length',
  'content-encoding',
];

/**
 * Throws `RESPONSE_REFUSED` if the text of an unsealed success is JSON. Such an answer is a download, never data. An
 * attacker who replaces a sealed answer can choose its media type, which JSON parsers ignore.
 */
export function requireNoJson(text: string): string {
  try {
    // Programs trim a text before they parse it, which removes a byte order mark and more than the white space of JSON.
    JSON.parse(text.trim());
  } catch {
    return text;
  }
  refuse('its JSON is not sealed');
}

/** Refuses a response, of which nothing is shown. */
export function refuse(reason: string): never {
  throw new EnvelopeClientError('RESPONSE_REFUSED', `the response was refused: ${reason}`);
}
