import { ENVELOPE_VERSION, openResponse } from '@sallyport/envelope-crypto/client';
import type { SealedEnvelope } from './envelope.js';
import type { PlainRequest } from './requests.js';

/** A request as it left the page. */
export interface Sent {
  readonly request: PlainRequest;
  readonly token: string | null;
  readonly language: string;
  /** Null: it was sent in the clear. */
  readonly envelope: SealedEnvelope | null;
}

/** What the service answered. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  /** Null for a success. */
  readonly code: string | null;
  readonly detail: string | null;
  readonly requestId: string | null;
  /** The time of the service, which some refusals tell. */
  readonly serverTime: number | null;
  /** The answer was sealed, which the service does for requests whose envelope it has opened and counted. */
  readonly isSealed: boolean;
  /** The body as it traveled. */
  readonly wireText: string;
  /** The body, opened. */
  readonly text: string;
}

export type Answer =
  | Answered
  /** No answer arrived. */
  | { readonly kind: 'lost' }
  /** What arrived is not the service's answer to this request. */
  | { readonly kind: 'untrusted' };

/** One request and its answer. */
export interface Exchange {
  readonly sent: Sent;
  readonly answer: Answer;
}

/** The service's clock, as the page knows it. */
export interface ServiceClock {
  /** How far it is ahead of the clock of the page, in milliseconds. */
  readonly aheadMillis: number;
  readonly windowSeconds: number;
}

/** The request target: the path, and what follows `?`. */
export function targetOf({ request, envelope }: Sent): string {
  const query = envelope === null ? request.query : envelope.carrier === 'query' ? envelope.text : '';
  return query === '' ? request.path : `${request.path}?${query}`;
}

/** The headers, in the order in which the page shows them. */
export function headersOf({ request, envelope, token, language }: Sent): Readonly<Record<string, string>> {
  return {
    ...(token !== null && { Authorization: `Bearer ${token}` }),
    'Accept-Language': language,
    ...(request.idempotencyKey !== null && { 'Idempotency-Key': request.idempotencyKey }),
    ...(request.body !== '' && { 'Content-Type': 'application/json' }),
    ...(envelope !== null && { 'Api-Encryption': ENVELOPE_VERSION }),
  };
}

/** The body as it leaves the page. Null: none. */
export function bodyOf({ request, envelope }: Sent): string | null {
  if (request.body === '') return null;
  return envelope === null ? request.body : envelope.text;
}

/** Opens an answer. Throws `EnvelopeClientError` for one that must not be shown. */
export function readAnswer(
  { envelope }: Pick<Sent, 'envelope'>,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: Uint8Array,
  { aheadMillis, windowSeconds }: ServiceClock,
): Answered {
  const window = { now: Date.now() + aheadMillis, timestampWindowSeconds: windowSeconds };
  const opened =
    envelope === null
      ? ({ kind: 'plaintext' } as const)
      : openResponse(envelope.requestState, { status, headers, body }, window);
  const wireText = new TextDecoder().decode(body);
  const text = opened.kind === 'opened' ? new TextDecoder().decode(opened.plaintext) : wireText;
  const refusal = status >= 400 ? membersOf(text) : {};
  return {
    kind: 'answered',
    status,
    code: textIn(refusal.code),
    detail: textIn(refusal.detail),
    requestId: textIn(refusal.requestId) ?? headers.get('x-request-id'),
    serverTime: typeof refusal.serverTime === 'number' ? refusal.serverTime : null,
    isSealed: opened.kind === 'opened',
    wireText,
    text,
  };
}

/** The members of a JSON object. None where the text is something else, such as the page of a proxy. */
function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
