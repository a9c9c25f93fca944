import type { Carrier, RequestBinding } from '../wire/index.js';
import type { OpenedRequest } from './envelope-engine.js';

/** The key of a request's private {@link RequestState}. */
export const kRequestState = Symbol('@sallyport/envelope-crypto: request state');

/** The progress of the protocol with one request and its response. */
export type RequestState =
  /** Plaintext, as if the mode were OFF. */
  | { readonly stage: 'exempt' }
  /** Plaintext, in mode OPTIONAL. */
  | { readonly stage: 'plaintext' }
  /** Refused before rate limiting; the refusal is sent after it. */
  | { readonly stage: 'refused'; readonly refusal: unknown }
  /** The envelope is in the body, which is not read yet. */
  | { readonly stage: 'awaiting-body'; readonly binding: RequestBinding }
  /** The text of the body is read, and no key used yet. */
  | { readonly stage: 'awaiting-opening'; readonly binding: RequestBinding; readonly text: Uint8Array }
  /** Authentic; the plaintext waits for the replay guard. */
  | { readonly stage: 'opened'; readonly envelope: OpenedEnvelope; readonly opened: OpenedRequest }
  /** Query and body of the request are those of the envelope. */
  | { readonly stage: 'delivered'; readonly envelope: OpenedEnvelope; readonly opened: Answerable }
  /** The envelope asked for the time, and carried no request. It is of any stamp, and may have come before. */
  | { readonly stage: 'asked-for-time'; readonly opened: Answerable }
  /** Sealing failed. What follows is plaintext, without data. */
  | { readonly stage: 'unsealable' };

/** The part of an opened request that sealing its response needs. */
export type Answerable = Pick<OpenedRequest, 'keyId' | 'nonce' | 'binding' | 'responseKey'>;

/** The request that the response must be sealed for. Null if it goes out as plaintext. */
export function answerableOf(state: RequestState | null): Answerable | null {
  if (state?.stage === 'asked-for-time') return state.opened;
  if (state?.stage !== 'opened' && state?.stage !== 'delivered') return null;
  return state.envelope.state === 'claimed' ? state.opened : null;
}

/** An envelope that is authentic and in time. The replay guard decides whether it is used for the first time. */
export interface OpenedEnvelope {
  /** The key that it was sealed for. */
  readonly keyId: string;
  /** The decoded nonce: 16 bytes. */
  readonly nonce: Uint8Array;
  /** The client's clock, in milliseconds since the Unix epoch. */
  readonly timestamp: number;
  /** The request's one reading of this service's clock, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** The window that the timestamp was checked against, in seconds. */
  readonly timestampWindowSeconds: number;
  readonly carrier: Carrier;
  /**
   * `opened` until the replay guard has recorded `(keyId, nonce)`, then `claimed`. Only a claimed envelope's plaintext
   * is delivered, and only its response is sealed. `replayed`: the replay guard has found the pair. It stays `opened`
   * if it is refused for any other reason, as an envelope of an honest client may be.
   */
  readonly state: 'opened' | 'claimed' | 'replayed';
  /** For the replay guard alone: it has recorded the pair, and this is the first use. */
  markClaimed(): void;
  /** For the replay guard alone: the pair was used before. */
  markReplayed(): void;
}

/** The view of an opened request for other plugins: no key and no plaintext. */
export function presentEnvelope(
  { keyId, nonce, timestamp, binding }: OpenedRequest,
  receivedAt: number,
  timestampWindowSeconds: number,
): OpenedEnvelope {
  // No getter: a literal with one takes a microsecond to create, for every request.
  const envelope: { -readonly [Member in keyof OpenedEnvelope]: OpenedEnvelope[Member] } = {
    keyId,
    nonce,
    timestamp,
    receivedAt,
    timestampWindowSeconds,
    carrier: binding.carrier,
    state: 'opened',
    markClaimed() {
      envelope.state = 'claimed';
    },
    markReplayed() {
      envelope.state = 'replayed';
    },
  };
  return envelope;
}
